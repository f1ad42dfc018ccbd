/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* trace.c: --trace: what policies print and log, on standard error, as it comes. */
#include "cli/term/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Lines in all; the script's own measure is of one load, one batch. */
enum { LINES_MAX = 1000 };

static void put(allot__cli *cli, const char *chunk, int32_t line, const char *level,
                const char *text)
{
    allot__text out = {.engine = cli->engine};
    allot__text_puts_safe(&out, chunk, strlen(chunk));
    if (line > 0)
        allot__text_printf(&out, ":%" PRId32, line);
    allot__text_printf(&out, ": %s: ", level);
    allot__text_puts_safe(&out, text, strlen(text));
    allot__text_puts(&out, "\n");
    if (!out.failed)
        allot__cli_write(STDERR_FILENO, out.bytes, out.len);
    allot__text_free(&out);
}

static void hear(void *ud, const char *chunk, int32_t line, const char *level, const char *text)
{
    allot__cli *cli = ud;
    if (cli->traced++ < LINES_MAX)
        put(cli, chunk, line, level, text);
}

void allot__cli_trace(allot__cli *cli, allot_script_limits *limits)
{
    *limits = (allot_script_limits){0};
    if (cli->options.trace) {
        limits->say = hear;
        limits->say_ud = cli;
    }
}

void allot__cli_trace_end(allot__cli *cli)
{
    if (cli->traced > LINES_MAX)
        dprintf(STDERR_FILENO, "allot: log: (%" PRId64 " more lines were left out)\n",
                cli->traced - LINES_MAX);
    cli->traced = 0;
}
