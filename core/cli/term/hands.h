/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hands.h: a tool's hands: it runs programs, and waits, and never for longer than it says. All are
 * calls of a tool's host (cli/term/tool.h).
 */
#ifndef ALLOT_CLI_TERM_HANDS_H
#define ALLOT_CLI_TERM_HANDS_H

#include "cli/term/client.h"

/* Runs a program, found in PATH, without a shell, in a process group of its own, which is killed
 * after `limit` ms. `words`: its words, each ended by a NUL, `len` bytes. Adds a line
 * "exit N", "signal N", "late" or "missing REASON", a NUL, its standard error (at most 64 KiB), a
 * NUL, and its standard output. CLI_IO (report): this machine can run nothing now. */
int allot__hands_run(allot__cli *cli, int limit, const char *words, size_t len, allot__text *out);

/* Signals that end a tool (INT, TERM, HUP) are from now on noticed by allot__hands_wait alone; a
 * file descriptor, or below 0: errno says why. */
int allot__hands_signals(void);
/* Waits up to `wait` ms. Adds "quit" after a signal; the line of a notification that came from the
 * service; "lost" if the service has gone; nothing when the time is over. `client` may be closed.
 */
int allot__hands_wait(allot__client *client, int signals, int wait, allot__text *out);

/* Tells the service manager at NOTIFY_SOCKET (sd_notify(3)), if there is one. */
void allot__hands_notify(const char *text, size_t len);

#endif
