/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tool.h: the command as the host of tools in Lua (allot/tool.h), and its calls: host.call(name,
 * text).
 *
 *   ask METHOD PARAMS   the answer of the service at --socket; behind the reason the exit status
 *                       (`log` with --store: read from there, without a service)
 *   terminal            "COLUMNS ROWS" of standard output, 0 0 where it is no terminal, and words:
 *                       "keys" (standard input is one, too), "color", "utf8"
 *   take, give          the terminal for whole screens, and back
 *   key MS              a key: a byte, or "up", "down", "left", "right", "home", "end", "pageup",
 *                       "pagedown", "escape"; "resize", "quit"; nothing within so many ms: ""
 *   show TEXT           writes to standard output at once
 *   note TEXT           writes to standard error at once
 *   forget              what was reported
 *   folder PATH         makes it, unless it is there
 *   program             the command's own path
 *   verbs               the tables of verbs and options, as lua/allot/command reads them
 *   document            the result so far, which the tool shows in its place
 *   warnings            those of the report, as a JSON list
 *   always              the result is shown whatever the exit status
 *   now                 Unix seconds
 *   map FIELDS          what the function of --map makes of a job: its consumer; "" for no change;
 *                       "-": left out. FIELDS are id, user, group, queue, partition, slots and
 *                       priority, each ended by a NUL. Without --map always ""
 *   run MS WORDS        a program, as allot__hands_run has it (cli/term/hands.h)
 *   wait MS             "", "quit", "lost" or a notification, as of allot__hands_wait
 *   notify TEXT         tells the service manager, if there is one
 *   fork N              starts workers for N tasks (cli/term/workers.h): "alone": there are none;
 *                       "first"; or in a worker its number from 1, and how many there are
 *   send TEXT, leave    in a worker
 *   hear                the next text of a worker; "": all have ended
 *   stop                ends all workers
 */
#ifndef ALLOT_CLI_TERM_TOOL_H
#define ALLOT_CLI_TERM_TOOL_H

#include "cli/term/client.h"
#include "cli/term/workers.h"

typedef struct allot__tool_ud {
    allot__cli *cli;
    allot__text answer;    /* the value of an option: a text; of a list the lines, of a flag "" */
    allot__client client;  /* opened at the first question */
    int signals;           /* opened when the tool first waits; -1 */
    allot_script_map *map; /* read at the first job; NULL */
    allot__workers workers;
} allot__tool_ud;

/* Fills `host`, which is the `ud` of the host returned; ended by allot__cli_host_end. */
allot_tool_host allot__cli_host(allot__tool_ud *host, allot__cli *cli);
void allot__cli_host_end(allot__tool_ud *host);

/* ---- The terminal (terminal.c) --------------------------------------------------------------- */

/* Takes the terminal, and restores it, also when a signal ends the process. */
bool allot__terminal_take(void);
void allot__terminal_give(void);
/* Adds the name of a key that comes within `wait` ms. */
void allot__terminal_key(int wait, allot__text *out);
/* Is the terminal's text UTF-8, by the environment? */
bool allot__terminal_utf8(void);

#endif
