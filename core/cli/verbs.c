/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* verbs.c: the table of verbs. Their help texts are in lua/allot/command/verbs.lua. */
#include "cli/term/cli.h"

#include <stddef.h>

const allot__verb allot__cli_verbs[] = {
    {"run", "PLAN STATE", 2, 2, "[PLAN]", 0, 1, "all columns at trace socket token-file",
     allot__cli_run, NULL, NULL},
    {"check", "PLAN|POLICY...", 0, -1, "[PLAN|POLICY...]", 0, -1,
     "runs seconds seed jobs out coverage format=text|json|github|sarif|junit socket token-file",
     NULL, "check", "run"},
    {"explain", "PLAN STATE [PATH|TASK|JOB|LEASE]", 2, 3, "[PLAN] [PATH|TASK|JOB|LEASE]", 0, 2,
     "group at trace socket token-file", allot__cli_explain, NULL, NULL},
    {"diff", "PLAN|POLICY PLAN|POLICY STATE|TRACE...", 3, -1, "[PLAN|POLICY] PLAN|POLICY", 1, 2,
     "plan all map interval rigid socket token-file", allot__cli_diff, NULL, NULL},
    {"init", "NAME", 1, 1, NULL, 0, 0, "like out", NULL, "reference.scaffold", "init"},
    {"simulate", "PLAN... TRACE", 2, -1, NULL, 0, 0,
     "policy map interval from before until rigid plot samples bins jobs all trace "
     "format=text|json|csv",
     allot__cli_simulate, NULL, NULL},
    {"repl", "[PLAN [STATE]]", 0, 2, "[PLAN]", 0, 1, "eval socket token-file", allot__cli_repl,
     NULL, NULL},
    {"serve", "PLAN", 1, 1, NULL, 0, 0,
     "socket socket-mode socket-group allow tcp token-file store address lease wait http interval "
     "debounce cycle-limit keep snapshot clients most-change no-watch log log-level",
     allot__cli_serve, NULL, NULL},
    {"status", "", 0, 0, NULL, 0, 0, "socket token-file", NULL, "top.status", "status"},
    {"top", "", 0, 0, NULL, 0, 0, "socket token-file group", NULL, "top", "run"},
    {"plan", "PLAN", 1, 1, NULL, 0, 0, "dry-run all socket token-file", NULL, "service.change",
     "plan"},
    {"reload", "", 0, 0, NULL, 0, 0, "dry-run all socket token-file", NULL, "service.change",
     "reload"},
    {"confirm", "[VERSION]", 0, 1, NULL, 0, 0, "drop all socket token-file", NULL, "service.change",
     "confirm"},
    {"rollback", "[VERSION]", 0, 1, NULL, 0, 0, "dry-run all socket token-file", NULL,
     "service.change", "rollback"},
    {"call", "METHOD [PARAMS]", 1, 2, NULL, 0, 0, "socket token-file", allot__cli_call, NULL, NULL},
    {"log", "", 0, 0, NULL, 0, 0,
     "lines follow kind consumer who since until socket token-file store", NULL, "service.log",
     "run"},
    {"replay", "STORE", 1, 1, NULL, 0, 0, "from=N to policy plan all trace", allot__cli_replay,
     NULL, NULL},
    {"import", "FILE...", 1, -1, NULL, 0, 0,
     "from=lsf|slurm|condor|pbs|kueue|yarn|ego slot slots wildcard", NULL, "import.tool", "import"},
    {"slurm", "PLAN", 1, 1, NULL, 0, 0,
     "socket token-file slot tag rest map interval hold cancel signal most-requeues stale out "
     "dry-run once open status",
     NULL, "slurm", "run"},
    {"bench", "", 0, 0, NULL, 0, 0, "shape repeat", allot__cli_bench, NULL, NULL},
    {"version", "", 0, 0, NULL, 0, 0, "", NULL, "command.version", "show"},
    {"types", "", 0, 0, NULL, 0, 0, "out format=text|json|luacheck|luarc", NULL, "reference",
     "types"},
    {"completion", "bash|zsh|fish", 1, 1, NULL, 0, 0, "", NULL, "command", "completion"},
    {"help", "[VERB|TOPIC]", 0, 1, NULL, 0, 0, "format=text|json|scdoc", NULL, "command", "help"},
    {NULL},
};
