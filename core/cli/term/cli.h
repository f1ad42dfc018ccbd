/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * cli.h: shared by the verbs of the command.
 *
 * A verb writes its result to `out`, which stays in memory until the verb is done: standard output
 * gets a whole result or none. Findings go to `report`. A verb returns the exit status.
 */
#ifndef ALLOT_CLI_TERM_CLI_H
#define ALLOT_CLI_TERM_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/path.h"

#include <allot/json.h>
#include <allot/script.h>
#include <allot/tool.h>

/* Exit statuses; they never depend on the format. */
enum {
    CLI_DONE = 0,
    CLI_NO = 1,       /* done, and the answer is "no" */
    CLI_USAGE = 2,    /* wrong words on the command line */
    CLI_INVALID = 3,  /* invalid plan, state or policy; nothing was checked */
    CLI_SCRIPT = 4,   /* a policy failed while running */
    CLI_IO = 5,       /* a file, a stream, a connection */
    CLI_INTERNAL = 70 /* a bug, or no memory */
};

/* ---- Command line (cli/verbs.c, options.c) ----------------------------------- */

typedef enum allot__color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER } allot__color;

/* --format: "text|json" and further words of the verb. */
enum { CLI_JSON = 1 };

#define CLI_OPTIONS_MAX 80
#define CLI_VERBS_MAX   32
#define CLI_LIST_MOST   32

/* An option that may come several times, in the order of the line. */
typedef struct allot__list {
    const char *items[CLI_LIST_MOST];
    int count;
} allot__list;

/* Values of the options, which the table of options.c places; 0: not given. */
typedef struct allot__options {
    /* By the place in the table: the value as a text, "" of a flag, NULL: not given. */
    const char *given[CLI_OPTIONS_MAX];
    bool json, help, version, all, coverage, trace, rigid;
    int format, color, columns; /* a word's place among its option's: allot__color, ... */
    const char *group, *shape, *at, *to, *plan;
    const char *like, *map, *from, *before, *until;
    allot__list policies, eval;
    int64_t interval;
    const char *plot, *samples;
    int64_t repeat;                    /* 0: the verb's own choice */
    int64_t runs, seconds, seed, jobs; /* 0 jobs: as many as processors */
    const char *socket, *socket_mode, *socket_group, *tcp, *token_file, *store, *http, *address;
    allot__list allow;
    const char *keep;
    int64_t cycle_limit, debounce, snapshot, clients, lease, most_change;
    bool no_watch, wait, dry_run, drop;
    int log, log_level;
    int64_t last; /* decision; 0: the last of the store */
    int64_t bins; /* of a picture; 0: the most possible */
    allot__list slot, slots, tag;
    const char *rest, *signal;
    int64_t most_requeues, stale;
    bool hold, cancel, once, open, status, wildcard;
    int64_t lines;
    int kind;
    const char *consumer, *who, *since;
    bool follow;
} allot__options;

typedef struct allot__cli {
    allot_engine *engine;
    allot_report *report;
    allot__text out;
    allot__options options;
    const struct allot__verb *verbs; /* all; the last has no name */
    const struct allot__verb *verb;  /* the verb of this command line */
    char **operands;                 /* behind the verb */
    int operand_count;
    int64_t traced;    /* lines of policies */
    bool shows_always; /* the result is shown whatever the status */
} allot__cli;

typedef struct allot__verb {
    const char *name;
    const char *operands; /* "PLAN STATE": kinds, used by shells' completion (lua/allot/command) */
    int min, max;         /* how many of them; max -1: any number */
    /* The same with --socket: the state is the service's, and so is the plan unless an operand
     * names one. NULL: the verb reads files alone, or a service alone. */
    const char *live_operands;
    int live_min, live_max;
    /* Names of its own options, divided by blanks; with "=words" if these differ from the table's:
     * "at format=text|json|csv". */
    const char *options;
    int (*run)(allot__cli *cli);   /* NULL: a tool, */
    const char *module, *function; /* ... as of allot__cli_tool */
} allot__verb;

/* All verbs (cli/verbs.c); the last has no name. */
extern const allot__verb allot__cli_verbs[];

/* Does the verb of this line read a service's state? */
bool allot__cli_is_live(const allot__cli *cli);

typedef enum allot__option_kind {
    CLI_FLAG,   /* bool */
    CLI_WORD,   /* int: the place among `argument`'s words, which "|" divides */
    CLI_TEXT,   /* const char * */
    CLI_NUMBER, /* int64_t, from `least` to `most` */
    CLI_LIST    /* allot__list */
} allot__option_kind;

/* An option of any verb; the list ends with a row without name. */
typedef struct allot__option_row {
    const char *name;
    char letter;          /* '\0': has none */
    const char *argument; /* NULL: takes none; a text in lower case lists its words */
    allot__option_kind kind;
    size_t at; /* in allot__options */
    int64_t least, most;
} allot__option_row;
extern const allot__option_row allot__cli_options[];

/* A piece of a longer text. */
typedef struct allot__word {
    const char *at;
    int len;
} allot__word;

/* Whether a verb (NULL: no verb yet) knows an option. */
bool allot__cli_knows(const allot__verb *verb, const allot__option_row *row);
/* What an option takes where a verb (or NULL) has it; nothing: {NULL, 0}. */
allot__word allot__cli_argument(const allot__verb *verb, const allot__option_row *row);
/* Whether the line has an option, by its name. */
bool allot__cli_given(const allot__cli *cli, const char *name);
const allot__verb *allot__cli_verb_find(const allot__cli *cli, const char *name);

/* Reads the command line: options anywhere, the first other word is the verb. Goes on after a
 * mistake, so that --format is known when the mistake is reported. CLI_DONE or CLI_USAGE. */
int allot__cli_parse(allot__cli *cli, int argc, char **argv);

/* ---- Findings (findings.c) ------------------------------------------------------------------- */

/* Adds an error without a place and returns `code`; hint may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
int
allot__cli_fail(allot__cli *cli, int code, const char *id, const char *hint, const char *format,
                ...);
/* The exit status of a failed call; makes sure that the report says something. */
int allot__cli_status(allot__cli *cli, int status);
/* Shows the report on standard error (tool.c). */
void allot__cli_findings(allot__cli *cli);
/* The report as members of a JSON list, warnings alone: `[{...}, ...]`. */
void allot__cli_warnings_json(const allot_report *report, allot__text *out);

/* ---- Files and streams (files.c) ------------------------------------------------------------- */

enum { CLI_WHY = 128 };
/* The text of an errno. */
const char *allot__cli_words(int error, char words[CLI_WHY]);
/* Passes the bytes of a file or, for "-", of standard input to a sink; 0 or errno. */
int allot__cli_drain(const char *path, allot_sink sink, void *ud);
/* Reads it whole. CLI_IO (reported), CLI_INTERNAL. */
int allot__cli_read(allot__cli *cli, const char *path, allot__text *out);
/* Its first line, as a string: a token. As above. */
int allot__cli_first_line(allot__cli *cli, const char *path, allot__text *out);
/* How diagnostics name it. */
const char *allot__cli_file_name(const char *path);
/* Has a name that end, and more before it? */
bool allot__cli_ends_in(const char *name, const char *end);
/* Is it a log of jobs, by its name? */
bool allot__cli_is_log(const char *path);
/* Writes all to a descriptor; 0 or errno. */
int allot__cli_write(int fd, const char *bytes, size_t len);
/* Makes the folders of a file of that name; failures show when the file is opened. */
void allot__cli_make_folders(allot_engine *engine, const char *path, int mode);
/* Writes a whole file: first beside the old one, then in its place, so that a reader never finds
 * half a file. 0 or errno. */
int allot__cli_replace(allot_engine *engine, const char *path, const char *bytes, size_t len);
/* The same, reported: CLI_IO, CLI_INTERNAL. */
int allot__cli_put_file(allot__cli *cli, const char *path, const char *bytes, size_t len);
/* Report that a file cannot be read, or written, for an errno; CLI_IO. */
int allot__cli_unread(allot__cli *cli, const char *path, int error);
int allot__cli_unwritten(allot__cli *cli, const char *path, int error);
bool allot__cli_colored(allot__color color, int fd);
/* Columns of the terminal on a descriptor; 0: not a terminal. */
int allot__cli_width(int fd);

/* ---- What policies say (findings.c) ------------------------------------------------------------
 */

/* Default limits, with `say` set: with --trace to standard error. */
void allot__cli_trace(allot__cli *cli, allot_script_limits *limits);
/* After the last line: reports how many lines were left out. */
void allot__cli_trace_end(allot__cli *cli);

/* ---- Tools (tool.c) ---------------------------------------------------------------------------
 */

/* Runs require("allot." .. module)[function](host, operands), with the command as its host
 * (cli/term/tool.h); the exit status. */
int allot__cli_tool(allot__cli *cli, const char *module, const char *function);
/* Runs a module's function `show` with host.rows of a decision. */
int allot__cli_tool_about(allot__cli *cli, const allot_decision *decision, const char *module,
                          const char *const *args, int count);
/* For people: has the tool's function `show` replace the result, a document, by text, unless a
 * document is wanted or the verb failed. Returns `code`, or the tool's failure. */
int allot__cli_show(allot__cli *cli, int code, const char *module);

/* ---- Documents (documents.c) ----------------------------------------------------------------- */

/* A plan's source, and the policy of the command line that replaces its own. */
typedef struct allot__source {
    const char *file;           /* of the live plan its name in the service */
    struct allot__remote *live; /* the service whose plan it is; NULL: the file's */
    const char *policy;         /* a .lua file, or a ready-made policy's name; NULL: none */
    const char *options;        /* of that policy: "a=1,b,c=word"; NULL: none */
} allot__source;

typedef struct allot__documents {
    allot__cli *cli;
    allot__source source;
    allot_policy_loader loader; /* of files */
    allot__text text;           /* of the plan, where it is a file's */
    allot_plan *plan;
    allot_state *state;
    allot_decision *decision;
    int64_t from; /* the state's own time; --at gives the decision another */
} allot__documents;

/* Reads a plan. End it with allot__cli_close, also after a failure; `docs` stays where it is. */
int allot__cli_open_plan(allot__cli *cli, const allot__source *source, allot__documents *docs);
/* Replaces the plan, which nothing else holds, by one with the newcomers in the command's report.
 */
int allot__cli_grow(allot__documents *docs);
/* Does a policy of that name exist? Faults are reported as of the command line, not of a plan. */
int allot__cli_check_policy(allot__cli *cli, const char *name);
/* Reads plan and state and runs a cycle, at the time of --at if given; with --socket the state is
 * the service's, and, if `plan` is NULL, so is the plan. As above. */
int allot__cli_decide(allot__cli *cli, const char *plan, const char *state, allot__documents *docs);
void allot__cli_close(allot__cli *cli, allot__documents *docs);
/* Reads the function of --map, if there is one. */
int allot__cli_map(allot__cli *cli, allot_script_map **out);
/* Reads a state of the open plan from its text, and runs a cycle; `at` (NULL: the state's own) is a
 * time, and `word` stands before it in messages, as in "--at ". */
int allot__cli_decide_text(allot__cli *cli, const allot__text *text, const char *path,
                           const char *word, const char *at, allot__documents *docs);
/* Ends state and decision, and keeps the plan. */
void allot__cli_forget(allot__documents *docs);

/* ---- Text of a decision (decide/run.c) ------------------------------------------------------- */

/* Adds a decision's text to the result, `width` columns wide at most (0: any number). */
int allot__cli_decision(allot__cli *cli, const allot_decision *decision, int width);
/* Adds the effect of a switch of windows, for people or as a document. */
int allot__cli_preview(allot__cli *cli, const allot__documents *docs);

/* ---- Verbs ----------------------------------------------------------------------------------- */

int allot__cli_run(allot__cli *cli);
int allot__cli_explain(allot__cli *cli);
int allot__cli_diff(allot__cli *cli);
int allot__cli_bench(allot__cli *cli);
int allot__cli_simulate(allot__cli *cli);
int allot__cli_repl(allot__cli *cli);
int allot__cli_call(allot__cli *cli);
int allot__cli_serve(allot__cli *cli);
int allot__cli_replay(allot__cli *cli);

#endif
