/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* verbs.c: the table of verbs; help, manual pages and shells' completion are made from it. */
#include "cli/term/cli.h"

#include <stddef.h>

const allot__verb allot__cli_verbs[] = {
    {"run", "PLAN STATE", 2, 2, "all columns at trace socket token-file",
     "decide once: quotas, grants and reclaims",
     "Reads a plan and a state, runs one cycle and prints its decision: each consumer's quota,\n"
     "the grants of idle slots, and the reclaims with their claimants. For a plan with queues\n"
     "it prints which jobs to start, resume, suspend and kill, on which hosts, and why the\n"
     "other jobs wait; for a plan with lease contracts, the slots of both sides and the slots\n"
     "that move.\n"
     "\n"
     "With --socket the state is that of a running service as it is now, and so is the plan\n"
     "unless PLAN names one: what the service would decide next, and what it would decide under\n"
     "another plan. The service decides nothing by it.\n"
     "\n"
     "  allot run plan.json state.json\n"
     "  allot run --format json plan.json state.json | jq '.reclaims'\n"
     "  allot run plan.json state.json --at 2026-11-23T08:00:00+01:00\n"
     "  allot run --trace plan.json state.json\n"
     "  collect-state | allot run plan.json -\n"
     "  allot run --socket plan.json.sock\n"
     "  allot run --socket plan.json.sock new-plan.json\n",
     allot__cli_run, NULL, NULL},
    {"check", "PLAN|POLICY...", 0, -1,
     "runs seconds seed out coverage format=text|json|github|sarif|junit socket token-file",
     "check that plans and policies are valid and keep what they promise",
     "Checks plans, and policies (.lua files, or ready-made ones by name), and reports every\n"
     "fault with its place. Checking no file at all is an error, so that a mistyped pattern is\n"
     "noticed.\n"
     "\n"
     "Valid files are then tried on random cases: a policy on random plans with its attributes\n"
     "and options, a plan on random states. In every case the invariants must hold, the same\n"
     "input must give the same decision, repeated cycles must settle, and the policy must keep\n"
     "its budget and the properties that it declares. A case that fails is made small and\n"
     "written to --out, ready for allot run. --coverage reports which lines of a policy ran.\n"
     "\n"
     "Each file is tried for --seconds at most, and the report says how many cases ran. Of a\n"
     "plan with more than 128 leaves, parts of as many leaves are tried, and the whole plan\n"
     "once.\n"
     "\n"
     "With --socket it tries a policy in the plan of a running service, in place of the plan's\n"
     "own, and a plan must fit the service's state; the state as it is now is tried first.\n"
     "Without a file it checks the service's plan itself.\n"
     "\n"
     "  allot check plan.json\n"
     "  allot check --runs 20000 --seed 7 site/fair.lua\n"
     "  allot check --format sarif site/*.lua > allot.sarif\n"
     "  allot check --runs 0 site/*.lua && git commit\n"
     "  allot check --socket plan.json.sock site/fair.lua\n",
     NULL, "check", "run"},
    {"explain", "PLAN STATE [PATH|TASK|JOB|LEASE]", 2, 3, "group at trace socket token-file",
     "explain why a consumer gets its slots, a task or job waits or goes",
     "Runs the cycle of allot run and explains one consumer's part of the decision in\n"
     "sentences, with the numbers that decided. With several resource groups it explains each,\n"
     "or the one that --group names.\n"
     "\n"
     "PATH names a consumer; any other argument is the id of a task or a job, or the name of a\n"
     "lease. The explanation of a running task names the tasks it was compared with, and the key\n"
     "that decided; that of a pending task says what of its consumer's quota is in use, how many\n"
     "slots it lacks and why nobody gives them, behind which task it waits, or that it starts.\n"
     "The explanation of a job says why the job waits, which jobs are ahead and which\n"
     "limit binds; or why the job was preempted, and what would have protected it.\n"
     "\n"
     "Without that argument, --at explains what a switch of windows takes from each consumer,\n"
     "and how much work is lost. With --socket the state is that of a running service, and so\n"
     "is the plan unless PLAN names one (alone a .json file).\n"
     "\n"
     "  allot explain plan.json state.json /physics/lattice\n"
     "  allot explain plan.json state.json task-17\n"
     "  allot explain queues.json state.json 4711\n"
     "  allot explain --group gpu plan.json state.json /physics\n"
     "  allot explain plan.json state.json --at next\n"
     "  allot explain --socket plan.json.sock /physics\n"
     "  allot explain --socket plan.json.sock new-plan.json /physics\n",
     allot__cli_explain, NULL, NULL},
    {"diff", "PLAN|POLICY PLAN|POLICY STATE|TRACE...", 3, -1,
     "plan all map interval rigid socket token-file",
     "compare what two plans, policies or times decide",
     "Decides twice about the same states, by A and by B, and lists which quotas, grants,\n"
     "reclaims, tasks, jobs, loans and leases differ, and by how much. A and B are plans or\n"
     "policies. A policy (a .lua file, or a ready-made one by name) replaces the policy of the\n"
     "plan that --plan names, or else of the other side's plan. Either side may end in @TIME,\n"
     "to decide as at another time than the state's: Unix seconds, RFC 3339, or \"next\" for the\n"
     "next switch of windows.\n"
     "\n"
     "For several states, or a folder of .json files, it prints a summary: in how many states\n"
     "A and B differ, which consumers gain and lose most and in which state, and how much more\n"
     "or less is reclaimed and lost. --all also shows what is equal, and prints lists in full.\n"
     "Exit status 1: they differ.\n"
     "\n"
     "In place of states, a log (.swf or .jsonl, either also as .gz) can be played through A,\n"
     "as allot simulate does; B decides about every state that A meets, or about one every\n"
     "--interval seconds. --map and --rigid mean what they mean in simulate.\n"
     "\n"
     "With --socket the state is that of a running service, and a single operand is B: it is\n"
     "compared with the service's plan, in which policies then stand.\n"
     "\n"
     "  allot diff plan.json new-plan.json state.json\n"
     "  allot diff --plan plan.json hybrid fair.lua states/\n"
     "  allot diff plan.json plan.json@next state.json\n"
     "  allot diff plan.json fair.lua log.swf.gz --interval 3600\n"
     "  allot diff --format json plan.json fair.lua state.json | jq '.states[0]'\n"
     "  allot diff --socket plan.json.sock new-plan.json\n"
     "  allot diff --socket plan.json.sock @next\n",
     allot__cli_diff, NULL, NULL},
    {"init", "NAME", 1, 1, "out", "write a policy to begin with, and its spec",
     "Writes NAME.lua, a small policy with comments; NAME_spec.lua, its spec for busted; and a\n"
     "plan and a state to try it on. All of them pass as they are. Existing files are never\n"
     "overwritten. --out DIR writes into that folder, and makes it if need be.\n"
     "\n"
     "  allot init fair && busted && allot run fair_plan.json fair_state.json\n"
     "  allot init --out site fair\n",
     allot__cli_init, NULL, NULL},
    {"simulate", "PLAN... TRACE", 2, -1,
     "policy map interval from before until rigid plot samples bins all trace format=text|json|csv",
     "play a log of jobs through plans and policies",
     "Plays a log of jobs through a plan: jobs arrive, wait, run, lose slots and start again,\n"
     "and the plan's cycle decides at every instant at which something happens. It prints how\n"
     "busy the cluster was, how long jobs waited, what was preempted, how much work was lost,\n"
     "and how fair it was. The log is in the Standard Workload Format or an event log (JSON\n"
     "lines); either may be compressed by gzip.\n"
     "\n"
     "Several plans, or several --policy that replace the first plan's policy, are shown side\n"
     "by side, with the differences from the first. A job's consumer is found by the log's\n"
     "groups, users and queues; where these do not fit the plan, --map names a Lua file that\n"
     "returns a function of a job. --all shows every consumer.\n"
     "\n"
     "--plot draws the slots of each consumer over time: .svg and .png by gnuplot, .gp is the\n"
     "script for gnuplot. --samples writes every change as CSV, for other tools.\n"
     "\n"
     "  allot simulate plan.json log.swf.gz\n"
     "  allot simulate plan.json log.swf.gz --policy hybrid --policy share_ratio\n"
     "  allot simulate plan.json queues.json log.swf --map map.lua --interval 60\n"
     "  allot simulate plan.json log.swf --format csv > results.csv\n"
     "  allot simulate plan.json log.swf --plot picture.svg\n",
     allot__cli_simulate, NULL, NULL},
    {"repl", "[PLAN [STATE]]", 0, 2, "eval socket token-file",
     "try plans, states and policies in a Lua session",
     "Reads Lua, one statement or expression at a time, and shows its values. The session has\n"
     "plan, consumers, queues, state and jobs, to look at and to change. cycle () decides,\n"
     "explain (path) says why, diff () shows what changed, try (policy) decides by another\n"
     "policy, step (n) moves time on, undo () takes a change back. :help lists the rest. A\n"
     "statement that fails changes nothing.\n"
     "\n"
     "On a terminal Tab completes, Ctrl-C stops what runs, Ctrl-D leaves; the history is in\n"
     "$XDG_STATE_HOME/allot/history. Input from a file or pipe is evaluated like --eval:\n"
     "without prompts, up to the first error.\n"
     "\n"
     "With --socket the session begins with the plan and the state of a running service, or with\n"
     "PLAN and that state; diff () compares with what the service would decide next.\n"
     "\n"
     "  allot repl plan.json state.json\n"
     "  allot repl plan.json state.json --eval 'demand (\"/a\", 40)' --eval 'cycle ()'\n"
     "  allot repl --format json plan.json --eval 'cycle ().grants' | jq .\n"
     "  allot repl < experiment.lua\n"
     "  allot repl --socket plan.json.sock --eval 'try \"fair.lua\"'\n",
     allot__cli_repl, NULL, NULL},
    {"serve", "PLAN", 1, 1,
     "socket socket-mode socket-group allow tcp token-file store http interval debounce "
     "cycle-limit keep snapshot clients no-watch log log-level",
     "run the service of a live cluster: events in, decisions out",
     "Keeps the state of a live cluster. It takes events (demand, start, finish, host, submit,\n"
     "...) as JSON-RPC 2.0, one message a line, on a Unix socket and, with a token, on TCP; it\n"
     "decides when something has changed, and sends every decision to its subscribers. An\n"
     "event is acknowledged once it is on disk: no acknowledged event is lost, and no decision\n"
     "is made twice. SIGTERM ends the service; SIGHUP reloads plan and policies.\n"
     "\n"
     "Every option can also be an environment variable: --token-file is ALLOT_TOKEN_FILE.\n"
     "\n"
     "  allot serve plan.json\n"
     "  allot serve plan.json --socket /run/allot/sock --store /var/lib/allot.db\n"
     "  allot serve plan.json --tcp 127.0.0.1:7400 --token-file token --log json\n",
     allot__cli_serve, NULL, NULL},
    {"status", "", 0, 0, "socket token-file", "report how a running service is",
     "Prints a report on a running service, troubles first: plan and policies and their last\n"
     "reload, cycles, disk, clients; and how many slots consumers have. Exit status 1: the\n"
     "service is not well. As JSON it prints the answer to the method \"status\".\n"
     "\n"
     "  allot status --socket plan.json.sock\n"
     "  ALLOT_SOCKET=/run/allot/allot.sock allot status --format json | jq .store\n",
     NULL, "top.status", "status"},
    {"top", "", 0, 0, "socket token-file group", "watch a running service's consumers",
     "Shows a service's consumers on the terminal, with bars that move as slots do. Arrow keys\n"
     "move, open and close; Enter explains, \"/\" searches, Esc goes back, \"g\" shows the next\n"
     "resource group, \"q\" leaves. Into a file or pipe it prints one screen, and as JSON the\n"
     "answer to the method \"view\".\n"
     "\n"
     "  allot top --socket plan.json.sock\n"
     "  allot top --group gpu\n"
     "  allot top | head\n",
     NULL, "top", "run"},
    {"call", "METHOD [PARAMS]", 1, 2, "socket token-file", "send one request to a running service",
     "Sends one request to a service and prints the result as JSON. PARAMS is a JSON object,\n"
     "or \"-\" for an object on standard input. --socket or ALLOT_SOCKET says where the service\n"
     "listens; for TCP, --token-file or ALLOT_TOKEN_FILE names the file that has the token.\n"
     "Exit status 1: the service refused the request.\n"
     "\n"
     "Events: demand, release, allocated, start, finish, task, decline, returned, session,\n"
     "session_end, host, host_gone, slots, submit, run, requeue, fail, stop, cont, withdraw,\n"
     "Events: demand, release, allocated, start, finish, task, decline, returned, session,\n"
     "session_end, host, host_gone, slots, submit, run, requeue, fail, stop, cont, withdraw,\n"
     "lease; each is answered with its number once it is on disk. Calls: sync, tasks, flights,\n"
     "hosts, sessions, jobs, status, report, cycle, explain, view, state, plan, decisions,\n"
     "subscribe, unsubscribe, reload, shadow, promote, drop, auth, ping. A request that lacks a\n"
     "parameter fails and names it.\n"
     "\n"
     "  allot call --socket plan.json.sock status\n"
     "  allot call demand '{\"consumer\": \"/physics\", \"slots\": 40}'\n"
     "  allot call explain '{\"path\": \"/physics\"}'\n",
     allot__cli_call, NULL, NULL},
    {"replay", "STORE", 1, 1, "from=N to policy plan all trace",
     "compute again what a service recorded",
     "Reads the store of a service, running or not, and computes every cycle again: the same\n"
     "events, plan and policy must give the same decisions, byte for byte. It reports the\n"
     "first cycle that differs, and the difference; the exit status is then 1. --from and --to\n"
     "are numbers of decisions. Policies are read from the plan's folder; the plan is the one\n"
     "that --plan names, or the store's name without \".db\".\n"
     "\n"
     "With --policy, another policy decides about every state that the service met, in place\n"
     "of the plan's own, and the differences are reported as allot diff does.\n"
     "\n"
     "  allot replay plan.json.db\n"
     "  allot replay plan.json.db --from 1200 --to 1250 --format json\n"
     "  allot replay plan.json.db --policy fair.lua\n",
     allot__cli_replay, NULL, NULL},
    {"import", "FILE...", 1, -1, "", "make a plan of a site's LSF files",
     "Reads lsb.queues and, where they are given, lsb.params, lsb.hosts, lsb.users,\n"
     "lsb.applications and lsb.resources, and prints the plan that they state. Every line that\n"
     "a plan cannot state is listed on standard error: nothing is dropped in silence.\n"
     "\n"
     "  allot import lsb.queues lsb.params > plan.json && allot check plan.json\n"
     "  allot import --format json /etc/lsf/lsb.* | jq '.notes'\n",
     allot__cli_import, NULL, NULL},
    {"bench", "", 0, 0, "shape repeat", "measure this build on this machine",
     "Generates trees, queues and logs, measures cycles on them, and compares with the time to\n"
     "read memory of that size. It prints the best of --repeat runs and, in brackets, the\n"
     "median.\n"
     "\n"
     "These shapes run only if --shape names them. serve[/SECONDS[/EVENTS]]: a service with\n"
     "100,000 consumers, to which ten clients send EVENTS a second (20000) for SECONDS (60),\n"
     "and then for 10 s more while 100 other clients read decisions without end.\n"
     "reload[/EDITS[/TASKS]]: how soon an edited policy or plan decides (EDITS edits of each,\n"
     "5), and how long a service with TASKS running tasks (0) does not answer meanwhile.\n"
     "sync[/TASKS]: how long a service is busy with one call that tells it of TASKS (100000).\n"
     "rigid[/PLAN]: jobs that start whole, on an overloaded grid, under several plans.\n"
     "\n"
     "  allot bench\n"
     "  allot bench --shape 10x100x100 --repeat 21 --format json\n"
     "  allot bench --shape serve/10/5000\n"
     "  allot bench --shape reload/5/100000\n"
     "  allot bench --shape sync --repeat 9\n",
     allot__cli_bench, NULL, NULL},
    {"version", "", 0, 0, "", "the version and the ready-made policies",
     "Prints the version of the command, and the names of the ready-made policies.\n"
     "\n"
     "  allot version\n"
     "  allot version --format json\n",
     allot__cli_version, NULL, NULL},
    {"types", "", 0, 0, "out format=text|json|luacheck|luarc",
     "describe the policy language to editors and linters",
     "Prints the types of the policy language for the Lua language server; --out DIR writes\n"
     "them there, with a .luarc.json that points to them. --format luacheck makes a\n"
     ".luacheckrc for a folder of policies and specs, --format json the whole table of the\n"
     "API; --out then writes only that file. An existing .luarc.json or .luacheckrc stays as\n"
     "it is.\n"
     "\n"
     "  allot types --out . && ls allot.lua .luarc.json\n"
     "  allot types --format luacheck --out . && luacheck .\n",
     NULL, "reference", "types"},
    {"completion", "bash|zsh|fish", 1, 1, "", "completion for a shell",
     "Prints a script that lets the shell complete verbs, options and their words, files and\n"
     "topics. An installed package has it in place.\n"
     "\n"
     "  allot completion fish > ~/.config/fish/completions/allot.fish\n",
     allot__cli_completion, NULL, NULL},
    {"help", "[VERB|TOPIC]", 0, 1, "format=text|json|scdoc",
     "help for a verb, or for a word of the policy language",
     "Shows the help of a verb or of a topic: a word that policies are written in, a key, a\n"
     "column, or the code of a diagnostic. The lists of topics are language, library, core,\n"
     "testing, desk, columns and diagnostics. --format scdoc prints the source of a manual\n"
     "page: of allot(1), or, with the topic policy, of allot-policy(7).\n"
     "\n"
     "  allot help run\n"
     "  allot help fill\n"
     "  allot help E-range\n",
     allot__cli_help_verb, NULL, NULL},
    {NULL},
};

const allot__live_form allot__cli_live_forms[] = {
    {"run", "[PLAN]", 0, 1},
    {"explain", "[PLAN] [PATH|TASK|JOB|LEASE]", 0, 2},
    {"diff", "[PLAN|POLICY] PLAN|POLICY", 1, 2},
    {"check", "[PLAN|POLICY...]", 0, -1},
    {"repl", "[PLAN]", 0, 1},
    {NULL, NULL, 0, 0},
};
