-- SPDX-License-Identifier: MIT
-- Copyright the allot authors
--- Texts about the command's verbs, for help, allot(1) and shells: a line, and a description with
-- examples.

local core = require "allot.core"

local PEERS = table.concat(core.peer(), ", ")

return {
  run = { "decide once: quotas, grants and reclaims", [[
Reads a plan and a state, runs one cycle and prints its decision: each consumer's quota,
the grants of idle slots, and the reclaims with their claimants. For a plan with queues
it prints which jobs to start, resume, suspend and kill, on which hosts, and why the
other jobs wait; for a plan with lease contracts, the slots of both sides and the slots
that move.

With --socket the state is that of a running service as it is now, and so is the plan
unless PLAN names one: what the service would decide next, and what it would decide under
another plan. The service decides nothing by it.

  allot run plan.json state.json
  allot run --format json plan.json state.json | jq '.reclaims'
  allot run plan.json state.json --at 2026-11-23T08:00:00+01:00
  allot run --trace plan.json state.json
  collect-state | allot run plan.json -
  allot run --socket plan.json.sock
  allot run --socket plan.json.sock new-plan.json
]] },

  check = { "check that plans and policies are valid and keep what they promise", [[
Checks plans, and policies (.lua files, or ready-made ones by name), and reports every
fault with its place. Checking no file at all is an error, so that a mistyped pattern is
noticed.

Valid files are then tried on random cases: a policy on random plans with its attributes
and options, a plan on random states. In every case the invariants must hold, the same
input must give the same decision, repeated cycles must settle, and the policy must keep
its budget and the properties that it declares. A case that fails is made small and
written to --out, ready for allot run. --coverage reports which lines of a policy ran.

Each file is tried for --seconds at most, in as many processes as there are processors
(--jobs; with --coverage in one), and the report says how many cases ran, and in how many
of them a property had something to say. Of a plan with more than 128 leaves, parts of as
many leaves are tried, and the whole plan once.

With --socket it tries a policy in the plan of a running service, in place of the plan's
own, and a plan must fit the service's state; the state as it is now is tried first.
Without a file it checks the service's plan itself.

  allot check plan.json
  allot check --runs 20000 --seed 7 site/fair.lua
  allot check --format sarif site/*.lua > allot.sarif
  allot check --runs 0 site/*.lua && git commit
  allot check --socket plan.json.sock site/fair.lua
]] },

  explain = { "explain why a consumer gets its slots, a task or job waits or goes", [[
Runs the cycle of allot run and explains one consumer's part of the decision in
sentences, with the numbers that decided. With several resource groups it explains each,
or the one that --group names.

PATH names a consumer; any other argument is the id of a task or a job, or the name of a
lease. The explanation of a running task names the tasks it was compared with, and the key
that decided; that of a pending task says what of its consumer's quota is in use, how many
slots it lacks and why nobody gives them, behind which task it waits, or that it starts.
The explanation of a job says why the job waits, which jobs are ahead and which
limit binds; or why the job was preempted, and what would have protected it.

Without that argument, --at explains what a switch of windows takes from each consumer,
and how much work is lost. With --socket the state is that of a running service, and so
is the plan unless PLAN names one (alone a .json file).

  allot explain plan.json state.json /physics/lattice
  allot explain plan.json state.json task-17
  allot explain queues.json state.json 4711
  allot explain --group gpu plan.json state.json /physics
  allot explain plan.json state.json --at next
  allot explain --socket plan.json.sock /physics
  allot explain --socket plan.json.sock new-plan.json /physics
]] },

  diff = { "compare what two plans, policies or times decide", [[
Decides twice about the same states, by A and by B, and lists which quotas, grants,
reclaims, tasks, jobs, loans and leases differ, and by how much. A and B are plans or
policies. A policy (a .lua file, or a ready-made one by name) replaces the policy of the
plan that --plan names, or else of the other side's plan. Either side may end in @TIME,
to decide as at another time than the state's: Unix seconds, RFC 3339, or "next" for the
next switch of windows.

For several states, or a folder of .json files, it prints a summary: in how many states
A and B differ, which consumers gain and lose most and in which state, and how much more
or less is reclaimed and lost. --all also shows what is equal, and prints lists in full.
Exit status 1: they differ.

In place of states, a log (.swf or .jsonl, either also as .gz) can be played through A,
as allot simulate does; B decides about every state that A meets, or about one every
--interval seconds. --map and --rigid mean what they mean in simulate.

With --socket the state is that of a running service, and a single operand is B: it is
compared with the service's plan, in which policies then stand.

  allot diff plan.json new-plan.json state.json
  allot diff --plan plan.json hybrid fair.lua states/
  allot diff plan.json plan.json@next state.json
  allot diff plan.json fair.lua log.swf.gz --interval 3600
  allot diff --format json plan.json fair.lua state.json | jq '.states[0]'
  allot diff --socket plan.json.sock new-plan.json
  allot diff --socket plan.json.sock @next
]] },

  init = { "write a policy to begin with, and its spec", [[
Writes NAME.lua, a small policy with comments; NAME_spec.lua, its spec for busted; and a
plan and a state to try it on. All of them pass as they are. Existing files are never
overwritten. --out DIR writes into that folder, and makes it if need be.

--like PEER begins with another scheduler's rules, or with a ready-made policy; `allot help
PEER` says what it is. The spec then says what these decide today. Schedulers' rules:
]] .. PEERS .. [[.

  allot init fair && busted && allot run fair_plan.json fair_state.json
  allot init --like yarn_fair queues && allot check queues.lua queues_plan.json
  allot init --out site fair
]] },

  simulate = { "play a log of jobs through plans and policies", [[
Plays a log of jobs through a plan: jobs arrive, wait, run, lose slots and start again,
and the plan's cycle decides at every instant at which something happens. It prints how
busy the cluster was, how long jobs waited, what was preempted, how much work was lost,
and how fair it was. The log is in the Standard Workload Format or an event log (JSON
lines); either may be compressed by gzip.

Several plans, or several --policy that replace the first plan's policy, are shown side
by side, with the differences from the first. A job's consumer is found by the log's
groups, users and queues; where these do not fit the plan, --map names a Lua file that
returns a function of a job. --all shows every consumer. Several are played side by side
(--jobs), unless --plot, --samples or --trace write as they go; one simulation goes from
instant to instant, in one process.

--plot draws the slots of each consumer of the first level over time, with --all of each
leaf: .svg and .png by gnuplot, .gp is the script for gnuplot. --samples writes every
change as CSV, for other tools.

  allot simulate plan.json log.swf.gz
  allot simulate plan.json log.swf.gz --policy hybrid --policy share_ratio
  allot simulate plan.json queues.json log.swf --map map.lua --interval 60
  allot simulate plan.json log.swf --format csv > results.csv
  allot simulate plan.json log.swf --plot picture.svg
]] },

  repl = { "try plans, states and policies in a Lua session", [[
Reads Lua, one statement or expression at a time, and shows its values. The session has
plan, consumers, queues, state and jobs, to look at and to change. cycle () decides,
explain (path) says why, diff () shows what changed, try (policy) decides by another
policy, step (n) moves time on, undo () takes a change back. :help lists the rest. A
statement that fails changes nothing.

On a terminal Tab completes, Ctrl-C stops what runs, Ctrl-D leaves; the history is in
$XDG_STATE_HOME/allot/history. Input from a file or pipe is evaluated like --eval:
without prompts, up to the first error.

With --socket the session begins with the plan and the state of a running service, or with
PLAN and that state; diff () compares with what the service would decide next.

  allot repl plan.json state.json
  allot repl plan.json state.json --eval 'demand ("/a", 40)' --eval 'cycle ()'
  allot repl --format json plan.json --eval 'cycle ().grants' | jq .
  allot repl < experiment.lua
  allot repl --socket plan.json.sock --eval 'try "fair.lua"'
]] },

  serve = { "run the service of a live cluster: events in, decisions out", [[
Keeps the state of a live cluster. It takes events (demand, start, finish, host, submit,
...) as JSON-RPC 2.0, one message a line, on a Unix socket and, with a token, on TCP; it
decides when something has changed, and sends every decision to its subscribers. An
event is acknowledged once it is on disk: no acknowledged event is lost, and no decision
is made twice. SIGTERM ends the service; SIGHUP reloads plan and policies.

Every option can also be an environment variable: --token-file is ALLOT_TOKEN_FILE.

  allot serve plan.json
  allot serve plan.json --socket /run/allot/sock --store /var/lib/allot.db
  allot serve plan.json --tcp 127.0.0.1:7400 --token-file token --log json
]] },

  status = { "report how a running service is", [[
Prints a report on a running service, troubles first: plan and policies and their last
reload, cycles, disk, clients; and how many slots consumers have. Exit status 1: the
service is not well. If files were refused, the report says so, and a service that goes on
deciding is well; "allot reload" then exits with 1. As JSON it prints the answer to the
method "status".

  allot status --socket plan.json.sock
  ALLOT_SOCKET=/run/allot/allot.sock allot status --format json | jq .store
]] },

  top = { "watch a running service's consumers", [[
Shows a service's consumers on the terminal, with bars that move as slots do. Arrow keys
move, open and close; Enter explains, "/" searches, Esc goes back, "g" shows the next
resource group, "q" leaves. Into a file or pipe it prints one screen, and as JSON the
answer to the method "view".

  allot top --socket plan.json.sock
  allot top --group gpu
  allot top | head
]] },

  plan = { "give a running service another plan", [[
Hands the plan in a file to a service, which checks it, writes it to its own plan's file
and decides by it. With --dry-run nothing changes: what the next cycle would decide under
the live plan (A) is compared with what it would decide under PLAN (B), as by "allot
diff", which it also prints. Exit status 1: the service refused the plan, the plan waits
for "allot confirm" (serve --most-change), or the dry run found differences.

  allot plan --dry-run new-plan.json
  allot plan new-plan.json --socket plan.json.sock
]] },

  reload = { "let a running service read its plan and policies again", [[
Has a service try its plan's file and policies now, even if they were refused before or set
aside by a rollback. With --dry-run nothing changes: the difference is shown as by "allot
plan". Exit status 1: they were refused, they wait for "allot confirm", or the dry run
found differences.

  allot reload --dry-run
  allot reload
]] },

  confirm = { "confirm a change that waits in a running service", [[
A change of plan or policies that takes more slots than serve --most-change allows waits.
Without VERSION this shows what it would do, as "allot diff", and how to confirm it. With
the VERSION that was shown it takes over, whatever it takes by now; if the files have
changed meanwhile the newer change waits, and the old version is refused. --drop gives it
up: its files are not tried until they change or "allot reload" is called. Exit status 1: a
change waits, none does, or another one.

  allot confirm
  allot confirm 3fa9c1d02b44
  allot confirm --drop
]] },

  rollback = { "let a version of before decide in a running service", [[
Has a service decide by plan and policies of VERSION, a number in its store; without it, by
the newest version that differs from the live one. The files stay as they are. They decide
again when they change, or by "allot reload"; not by a restart. With --dry-run nothing
changes: the difference is shown as by "allot plan". Exit status 1: the service refused,
or the dry run found differences.

  allot rollback --dry-run
  allot rollback
  allot rollback 17
]] },

  call = { "send one request to a running service", [[
Sends one request to a service and prints the result as JSON. PARAMS is a JSON object,
or "-" for an object on standard input. --socket or ALLOT_SOCKET says where the service
listens; for TCP, --token-file or ALLOT_TOKEN_FILE names the file that has the token.
Exit status 1: the service refused the request.

Events: demand, release, allocated, start, finish, task, decline, returned, session,
session_end, host, host_gone, slots, submit, run, requeue, fail, stop, cont, withdraw,
Events: demand, release, allocated, start, finish, task, decline, returned, session,
session_end, host, host_gone, slots, submit, run, requeue, fail, stop, cont, withdraw,
lease; each is answered with its number once it is on disk. Calls: sync, tasks, flights,
hosts, sessions, jobs, status, report, cycle, explain, view, state, plan, decisions,
subscribe, unsubscribe, log, reload, confirm, rollback, shadow, promote, drop, auth,
hello, ping. A request that lacks a parameter fails and names it.

  allot call --socket plan.json.sock status
  allot call demand '{"consumer": "/physics", "slots": 40}'
  allot call explain '{"path": "/physics"}'
]] },

  log = { "show what a service was told and decided, and by whom", [[
Prints what happened, oldest first, a line each: events with their clients, decisions with
their orders and the events that caused them, reloads, refused calls, wrong tokens, starts
and stops of the service. As JSON it prints an object a line.

A client is known by the uid and pid of the Unix socket or by its address and its token's
label, and by the name that it gives itself (the call hello). The service answers what it
has; with --store the log is read from a store, whether a service runs or not. What a
service keeps is bounded by its --keep.

  allot log --socket plan.json.sock
  allot log --socket plan.json.sock --since 2h --consumer /physics
  allot log --socket plan.json.sock --kind refusal --follow
  allot log --store plan.json.db -n 20 --who 1000
  allot log --store plan.json.db --format json --since 3d | jq .who
]] },

  replay = { "compute again what a service recorded", [[
Reads the store of a service, running or not, and computes every cycle again: the same
events, plan and policy must give the same decisions, byte for byte. It reports the
first cycle that differs, and the difference; the exit status is then 1. --from and --to
are numbers of decisions. Policies are read from the plan's folder; the plan is the one
that --plan names, or the store's name without ".db".

With --policy, another policy decides about every state that the service met, in place
of the plan's own, and the differences are reported as allot diff does.

  allot replay plan.json.db
  allot replay plan.json.db --from 1200 --to 1250 --format json
  allot replay plan.json.db --policy fair.lua
]] },

  import = { "make a plan of what another scheduler's files say", [[
Reads lsb.queues and, where they are given, lsb.params, lsb.hosts, lsb.users,
lsb.applications and lsb.resources, and prints the plan that they state. Every line that
a plan cannot state is listed on standard error: nothing is dropped in silence.

Of Slurm it reads what "sacctmgr dump" writes or "sacctmgr show assoc tree -P" prints:
accounts, users, shares and limits, of --slot (cpu), in a cluster of --slots; of a plan
with groups both are said once for each: --slots gpu=8 --slot gpu=gres/gpu. Of HTCondor
it reads groups and their quotas (GROUP_NAMES, ...), of OpenPBS the tree of shares
(resource_group, and sched_config beside it), of Kueue ClusterQueues and Cohorts (YAML or
JSON), of YARN capacity-scheduler.xml or fair-scheduler.xml, and yarn-site.xml beside it,
of EGO (Symphony) ConsumerTrees.xml, as far as public texts describe it: no such file was
seen, and what is guessed is said. What a file is of it sees by itself, or --from says it.

  allot import lsb.queues lsb.params > plan.json && allot check plan.json
  allot import --format json /etc/lsf/lsb.* | jq '.notes'
  sacctmgr show assoc tree -P | allot import --slots 512 - > plan.json
]] },

  slurm = { "carry out decisions on a Slurm cluster", [[
Looks at the cluster (squeue, sinfo, sacctmgr), tells the service at --socket all of it,
and carries out what the service decides: the accounts' ceilings (GrpTRES) become their
quotas, or what they own if that is more; victims are requeued at the deadline. A
consumer stands for the account of its name. It looks every --interval seconds (2), and
when the service decides, and takes nothing for done that it does not see.

Begin with --dry-run: it changes nothing in Slurm, and needs no service, but decides by
PLAN itself. If the bridge or the service fails, ceilings stay and jobs go on; after
--stale seconds without a decision, and by --open, ceilings go up to the plan's limits.

  allot slurm --dry-run --once plan.json
  allot slurm --socket plan.json.sock plan.json
  allot slurm --status plan.json
  allot slurm --open plan.json
]] },

  bench = { "measure this build on this machine", [=[
Generates trees, queues and logs, measures cycles on them, and compares with the time to
read memory of that size. It prints the best of --repeat runs and, in brackets, the
median.

These shapes run only if --shape names them. serve[/SECONDS[/EVENTS]]: a service with
100,000 consumers, to which ten clients send EVENTS a second (20000) for SECONDS (60),
and then for 10 s more while 100 other clients read decisions without end.
decide[/EVENTS[/CONSUMERS]]: how soon a service with CONSUMERS (100000) decides, if
EVENTS (1000) come one at a time and nothing else happens.
reload[/EDITS[/TASKS]]: how soon an edited policy or plan decides (EDITS edits of each,
5), and how long a service with TASKS running tasks (0) does not answer meanwhile.
sync[/TASKS]: how long a service is busy with one call that tells it of TASKS (100000).
rigid[/PLAN]: jobs that start whole, on an overloaded grid, under several plans.
growth[/SITE]: how reading and cycles grow with hosts, queues, urgent jobs, windows and
levels, at n, 2n and 4n.

  allot bench
  allot bench --shape 10x100x100 --repeat 21 --format json
  allot bench --shape serve/10/5000
  allot bench --shape reload/5/100000
  allot bench --shape sync --repeat 9
]=] },

  version = { "the version and the ready-made policies", [[
Prints the version of the command, and the names of the ready-made policies.

  allot version
  allot version --format json
]] },

  types = { "describe the policy language to editors and linters", [[
Prints the types of the policy language for the Lua language server; --out DIR writes
them there, with a .luarc.json that points to them. --format luacheck makes a
.luacheckrc for a folder of policies and specs, --format json the whole table of the
API; --out then writes only that file. An existing .luarc.json or .luacheckrc stays as
it is.

  allot types --out . && ls allot.lua .luarc.json
  allot types --format luacheck --out . && luacheck .
]] },

  completion = { "completion for a shell", [[
Prints a script that lets the shell complete verbs, options and their words, files and
topics. An installed package has it in place.

  allot completion fish > ~/.config/fish/completions/allot.fish
]] },

  help = { "help for a verb, or for a word of the policy language", [[
Shows the help of a verb or of a topic: a word that policies are written in, a key, a
column, a property, an event of a service, or the code of a diagnostic. The lists of topics
are language, library, core, testing, desk, columns, properties, events and diagnostics.
--format scdoc prints the source of a manual page: of allot(1), or, with the topic policy,
of allot-policy(7).

  allot help run
  allot help fill
  allot help E-range
]] },
}
