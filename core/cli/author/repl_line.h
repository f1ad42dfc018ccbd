/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* repl_line.h: lines from a terminal, edited, completed and remembered. */
#ifndef ALLOT_CLI_AUTHOR_REPL_LINE_H
#define ALLOT_CLI_AUTHOR_REPL_LINE_H

#include "cli/term/cli.h"

typedef struct allot__line allot__line;

/* Asks for completions of a line; candidates replace the text from *from on. */
typedef void allot__line_complete(void *ud, const char *text, size_t len, size_t *from,
                                  void (*each)(void *ud, const char *candidate), void *each_ud);

/* How the reading of a line ended. */
typedef enum allot__line_end { CLI_LINE, CLI_LINE_CLEARED, CLI_LINE_END } allot__line_end;

/* Opens the terminal and the history. CLI_INTERNAL (reported): out of memory. A history that cannot
 * be read or written is done without. */
int allot__line_open(allot__cli *cli, allot__line_complete *complete, void *ud, allot__line **out);
void allot__line_close(allot__line *line);
/* Reads a line into `text`, its newline too, which is cleared before. CLI_LINE_CLEARED: Ctrl-C;
 * CLI_LINE_END: Ctrl-D on an empty line, or the terminal is gone. */
allot__line_end allot__line_read(allot__line *line, const char *prompt, allot__text *text);
/* Remembers an entry, of one line or several. */
void allot__line_remember(allot__line *line, const char *entry, size_t len);

#endif
