/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* repl_line.h: lines from a terminal, edited, completed and remembered. */
#ifndef ALLOT_CLI_AUTHOR_REPL_LINE_H
#define ALLOT_CLI_AUTHOR_REPL_LINE_H

#include "cli/term/cli.h"

typedef struct allot__editor allot__editor;

/* Asks for completions of a line; candidates replace the text from *from on. */
typedef void allot__editor_complete(void *ud, const char *text, size_t len, size_t *from,
                                    void (*each)(void *ud, const char *candidate), void *each_ud);

/* How the reading of a line ended. */
typedef enum allot__editor_end { CLI_LINE, CLI_LINE_CLEARED, CLI_LINE_END } allot__editor_end;

/* Opens the terminal and the history. CLI_INTERNAL (reported): out of memory. Works without a
 * history that cannot be read or written. */
int allot__editor_open(allot__cli *cli, allot__editor_complete *complete, void *ud,
                       allot__editor **out);
void allot__editor_close(allot__editor *line);
/* Reads a line, with its newline, into `text`, which it clears first. CLI_LINE_CLEARED: Ctrl-C;
 * CLI_LINE_END: Ctrl-D on an empty line, or the terminal is gone. */
allot__editor_end allot__editor_read(allot__editor *line, const char *prompt, allot__text *text);
/* Remembers an entry, of one line or several. */
void allot__editor_remember(allot__editor *line, const char *entry, size_t len);

#endif
