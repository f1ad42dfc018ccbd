/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* verbs.c: the table of verbs, which help, manual pages and shells' completion are made from. */
#include "cli/term/cli.h"

#include <stddef.h>

const allot__verb allot__cli_verbs[] = {
    {"run", "PLAN STATE", 2, 2, "all columns at trace", "decide once: quotas, grants and reclaims",
     "Reads a plan and a state and prints what a scheduler should now do: the quota of every\n"
     "consumer, who gets idle slots, and who gives back how many to whom. Of a plan with queues:\n"
     "which jobs to start, resume, suspend and kill, where, and why others wait; of contracts,\n"
     "both sides' slots and what moves.\n\n"
     "  allot run plan.json state.json\n"
     "  allot run --format json plan.json state.json | jq '.reclaims'\n"
     "  allot run plan.json state.json --at 2026-11-23T08:00:00+01:00\n"
     "  allot run --trace plan.json state.json\n"
     "  collect-state | allot run plan.json -\n",
     allot__cli_run},
    {"check", "PLAN|POLICY...", 0, -1,
     "runs seconds seed out coverage format=text|json|github|sarif|junit",
     "say whether plans and policies are valid, and keep what they promise",
     "Reads plans, and policies (files that end in .lua, and ready-made ones by name), and tells\n"
     "every fault with its place. Checking no file at all is an error, so that a mistyped pattern\n"
     "is noticed.\n\n"
     "What is valid is tried on random cases: a policy on plans within what it declares, a plan "
     "on\n"
     "states of its own. The invariants must hold, the same input must give the same answer, "
     "cycle\n"
     "after cycle must come to rest, the policy must keep its budget and the properties that it\n"
     "declares. What breaks is made small and written to --out, ready for allot run. --coverage\n"
     "tells which lines of a policy ran in all of that.\n\n"
     "It takes --seconds for each file at most, and says how many cases ran in them. Of a plan of\n"
     "more than 128 leaves parts are tried, as many leaves each, and the whole once.\n\n"
     "  allot check plan.json\n"
     "  allot check --runs 20000 --seed 7 site/fair.lua\n"
     "  allot check --format sarif site/*.lua > allot.sarif\n"
     "  allot check --runs 0 site/*.lua && git commit\n",
     allot__cli_check},
    {"explain", "PLAN STATE [PATH|TASK|JOB|LEASE]", 2, 3, "group at trace",
     "tell why a consumer gets what it gets, a task goes, a job waits",
     "Runs the cycle of `run` and tells one consumer's part in it in sentences, with the numbers\n"
     "that decided. With several resource groups it tells all, or the one named by --group.\n\n"
     "What is no path is a task's id: it tells whom the task was compared with and which key\n"
     "decided. Of a plan with queues it is a job's id: why it waits, who is ahead and what binds,\n"
     "or why it was preempted and what would have spared it.\n\n"
     "Without either, --at tells what a switch of windows takes from whom, and what work is\n"
     "lost.\n\n"
     "  allot explain plan.json state.json /physics/lattice\n"
     "  allot explain plan.json state.json task-17\n"
     "  allot explain queues.json state.json 4711\n"
     "  allot explain --group gpu plan.json state.json /physics\n"
     "  allot explain plan.json state.json --at next\n",
     allot__cli_explain},
    {"diff", "PLAN|POLICY PLAN|POLICY STATE|TRACE...", 3, -1, "plan all map interval rigid",
     "compare what two plans, policies or times decide",
     "Decides about the same states twice and tells whose quota, grants, reclaims, tasks, jobs,\n"
     "loans and leases differ, and by how much. The two, A and B, are plans; or policies, .lua\n"
     "files or ready-made ones, which stand in turn in the plan of --plan, or of the other side,\n"
     "in place of its own. Behind either, @TIME is another time than the state's own: Unix\n"
     "seconds, RFC 3339, or \"next\", the next switch of windows.\n\n"
     "Of several states, or a folder of .json files, it tells the sum: in how many they differ,\n"
     "who gains and loses most and in which, what more or less is reclaimed and lost. --all shows\n"
     "what is the same too, and lists whole. Exit status 1: they differ.\n\n"
     "In place of states a log (.swf, .jsonl, maybe .gz) is played through A, as allot simulate\n"
     "does, and B decides about every state that A meets, or one every --interval seconds. --map\n"
     "and --rigid are those of simulate.\n\n"
     "  allot diff plan.json new-plan.json state.json\n"
     "  allot diff --plan plan.json hybrid fair.lua states/\n"
     "  allot diff plan.json plan.json@next state.json\n"
     "  allot diff plan.json fair.lua log.swf.gz --interval 3600\n"
     "  allot diff --format json plan.json fair.lua state.json | jq '.states[0]'\n",
     allot__cli_diff},
    {"init", "NAME", 1, 1, "out", "write a policy to begin with, and its spec",
     "Writes NAME.lua, a small policy with comments; NAME_spec.lua, which says for busted what it\n"
     "should do; and a plan and a state to try it on. All of it passes as it is. Nothing that is\n"
     "there is written over. --out DIR: into that folder, which is made if need be.\n\n"
     "  allot init fair && busted && allot run fair_plan.json fair_state.json\n"
     "  allot init --out site fair\n",
     allot__cli_init},
    {"simulate", "PLAN... TRACE", 2, -1,
     "policy map interval from before until rigid plot samples bins all trace format=text|json|csv",
     "play a log of jobs through plans and policies",
     "Plays a trace through a plan: jobs arrive, wait, run, lose slots and begin anew, and at "
     "every\n"
     "instant at which something happens the plan's cycle decides. It tells how busy the cluster\n"
     "was, how long jobs waited, what was preempted and lost, and how even it was. A trace is a\n"
     "log in the Standard Workload Format or an event log (JSON lines), either maybe compressed\n"
     "by gzip.\n\n"
     "Several plans, or several --policy in place of the first plan's, are told side by side, "
     "with\n"
     "the differences to the first. Jobs find their consumers by the log's groups, users and\n"
     "queues; where that does not fit, --map says it: a file that returns a function of a job.\n"
     "Every consumer is told of with --all.\n\n"
     "A picture of who held slots when comes with --plot: .svg and .png, drawn by gnuplot; .gp is\n"
     "what gnuplot would be told. Every change, for other tools, comes with --samples.\n\n"
     "  allot simulate plan.json log.swf.gz\n"
     "  allot simulate plan.json log.swf.gz --policy hybrid --policy share_ratio\n"
     "  allot simulate plan.json queues.json log.swf --map map.lua --interval 60\n"
     "  allot simulate plan.json log.swf --format csv > results.csv\n"
     "  allot simulate plan.json log.swf --plot picture.svg\n",
     allot__cli_simulate},
    {"repl", "[PLAN [STATE]]", 0, 2, "eval", "try things: a desk with a plan and a state on it",
     "Reads Lua, piece by piece, and shows what comes of it. On the desk lie plan, consumers,\n"
     "queues, state and jobs, to be looked at and changed; cycle () decides, explain (path) tells\n"
     "why, diff () what changed, try (policy) what another policy would do, step (n) goes on in\n"
     "time, undo () takes back. :help tells the rest. What fails changes nothing.\n\n"
     "On a terminal Tab completes, Ctrl-C stops what runs, Ctrl-D leaves; the history is in\n"
     "$XDG_STATE_HOME/allot/history. Input that is no terminal is evaluated like --eval, without\n"
     "prompts, up to the first error.\n\n"
     "  allot repl plan.json state.json\n"
     "  allot repl plan.json state.json --eval 'demand (\"/a\", 40)' --eval 'cycle ()'\n"
     "  allot repl --format json plan.json --eval 'cycle ().grants' | jq .\n"
     "  allot repl < experiment.lua\n",
     allot__cli_repl},
    {"serve", "PLAN", 1, 1,
     "socket socket-mode socket-group allow tcp token-file store http interval debounce "
     "cycle-limit keep snapshot clients no-watch log log-level",
     "keep the books of a live cluster, and decide as events come",
     "Takes events (demand, start, finish, host, submit, ...) as JSON-RPC 2.0, a message a line, "
     "on\n"
     "a Unix socket and, with a token, on TCP; decides when something has changed; tells those "
     "who\n"
     "subscribed. An event is acknowledged once it is on disk; what was acknowledged is never "
     "lost,\n"
     "and no decision is made twice. Ends on SIGTERM; SIGHUP reloads.\n\n"
     "Every option may also be a variable: --token-file is ALLOT_TOKEN_FILE.\n\n"
     "  allot serve plan.json\n"
     "  allot serve plan.json --socket /run/allot/sock --store /var/lib/allot.db\n"
     "  allot serve plan.json --tcp 127.0.0.1:7400 --token-file token --log json\n",
     allot__cli_serve},
    {"status", "", 0, 0, "socket token-file", "a running service at a glance",
     "Prints what a service says of itself: how it is, which plan and policies decide and what\n"
     "became of their last reload, its store, its clients, and who has how many slots. Exit\n"
     "status 1: it is not well, and says why. As JSON it is the answer to the method "
     "\"status\".\n\n"
     "  allot status --socket plan.json.sock\n"
     "  ALLOT_SOCKET=/run/allot/allot.sock allot status --format json | jq .store\n",
     allot__cli_service_status},
    {"top", "", 0, 0, "socket token-file group", "a running service's consumers, live",
     "Shows a service's consumers on the terminal as they stand, with bars that move. Arrows "
     "move,\n"
     "open and close, Enter tells why, \"/\" finds, Esc takes back, \"g\" shows the next resource\n"
     "group, q leaves. Where standard output is no terminal it prints one screen, and as JSON the\n"
     "answer to the method \"view\".\n\n"
     "  allot top --socket plan.json.sock\n"
     "  allot top --group gpu\n"
     "  allot top | head\n",
     allot__cli_top},
    {"call", "METHOD [PARAMS]", 1, 2, "socket token-file", "ask a running service something",
     "Sends one request to a service, and prints the result that it answers, as JSON. PARAMS is a\n"
     "JSON object, or \"-\": what stands on standard input. Where the service listens is said by\n"
     "the option --socket or by ALLOT_SOCKET; over TCP, the token is in the file that "
     "--token-file\n"
     "or ALLOT_TOKEN_FILE says. What the service refuses is told with exit status 1.\n\n"
     "Events: demand, release, allocated, start, finish, returned, session, session_end, host,\n"
     "host_gone, slots, submit, stop, cont, withdraw, lease; each is answered with its number "
     "once\n"
     "it is on disk. Calls: status, cycle, explain, view, decisions, subscribe, unsubscribe,\n"
     "reload, shadow, promote, drop, auth, ping. What a call takes, it says when it is left "
     "out.\n\n"
     "  allot call --socket plan.json.sock status\n"
     "  allot call demand '{\"consumer\": \"/physics\", \"slots\": 40}'\n"
     "  allot call explain '{\"path\": \"/physics\"}'\n",
     allot__cli_call},
    {"replay", "STORE", 1, 1, "from=N to policy plan all trace",
     "compute again what a service recorded",
     "Reads the store of a service, running or not, and computes every cycle again: from the same\n"
     "events, plan and policy the same decisions must come, byte by byte. The first cycle that\n"
     "comes out otherwise is told, with what differs, and the exit status is 1. --from and --to\n"
     "are numbers of decisions. Policies are looked for beside the plan, which is the store's\n"
     "name without \".db\", or that of --plan.\n\n"
     "With --policy another policy decides about every state that was met, in place of the\n"
     "plan's own, and what would have been different is told as allot diff does.\n\n"
     "  allot replay plan.json.db\n"
     "  allot replay plan.json.db --from 1200 --to 1250 --format json\n"
     "  allot replay plan.json.db --policy fair.lua\n",
     allot__cli_replay},
    {"import", "FILE...", 1, -1, "", "make a plan of a site's LSF files",
     "Reads lsb.queues and, as far as they are given, lsb.params, lsb.hosts, lsb.users,\n"
     "lsb.applications and lsb.resources, and prints the plan that they come to. What a plan "
     "cannot\n"
     "say is listed line by line on standard error: nothing is dropped in silence.\n\n"
     "  allot import lsb.queues lsb.params > plan.json && allot check plan.json\n"
     "  allot import --format json /etc/lsf/lsb.* | jq '.notes'\n",
     allot__cli_import},
    {"bench", "", 0, 0, "shape repeat", "measure this machine and this build",
     "Generates trees, times the cycle on them, and sets it against merely reading 64 bytes a\n"
     "consumer from memory. Best and median of --repeat runs.\n\n"
     "The shape serve[/SECONDS[/EVENTS]] is measured by itself: a service with 100,000 consumers,\n"
     "and ten clients that send so many events a second (20000) for so long (60), then 10 s more\n"
     "beside 100 clients that ask for decisions without end.\n"
     "The shape reload[/EDITS[/TASKS]]: how soon an edited policy or plan decides (each edited 5\n"
     "times), and how long the service is away meanwhile, with so many tasks (0) in its books.\n\n"
     "  allot bench\n"
     "  allot bench --shape 10x100x100 --repeat 21 --format json\n"
     "  allot bench --shape serve/10/5000\n"
     "  allot bench --shape reload/5/100000\n",
     allot__cli_bench},
    {"version", "", 0, 0, "", "the version and the ready-made policies",
     "  allot version\n  allot version --format json\n", allot__cli_version},
    {"types", "", 0, 0, "out format=text|json|luacheck|luarc",
     "what a policy can say, for editors and linters",
     "Prints types of the policy language as the Lua language server reads them; with --out it\n"
     "writes them and a .luarc.json that points there. As luacheck it is a .luacheckrc for a "
     "folder\n"
     "of policies and specs; as JSON the whole table of the API. --out writes that alone then; a\n"
     ".luarc.json or .luacheckrc that is there stays.\n\n"
     "  allot types --out . && ls allot.lua .luarc.json\n"
     "  allot types --format luacheck --out . && luacheck .\n",
     allot__cli_types},
    {"completion", "bash|zsh|fish", 1, 1, "", "completion for a shell",
     "Prints a script that lets the shell complete verbs, options, their words, files and topics.\n"
     "An installed package has it in place.\n\n"
     "  source <(allot completion bash)\n"
     "  allot completion fish > ~/.config/fish/completions/allot.fish\n",
     allot__cli_completion},
    {"help", "[VERB|TOPIC]", 0, 1, "format=text|json|scdoc",
     "help for a verb, or for a word of the policy language",
     "Tells about a verb, or about a topic: a word that policies are written in, a key, a column,\n"
     "a code of diagnostics; lists are language, library, core, testing, desk, columns and\n"
     "diagnostics. As scdoc it prints the sources of the manual pages: allot(1), and of the topic "
     "policy "
     "allot-policy(7).\n"
     "\n"
     "  allot help run\n"
     "  allot help fill\n"
     "  allot help E-range\n",
     allot__cli_help_verb},
    {NULL, NULL, 0, 0, NULL, NULL, NULL, NULL},
};
