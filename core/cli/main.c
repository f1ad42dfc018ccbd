/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* main.c: the command `allot`: reads the command line, runs a verb, and shows its result. */
#include "cli/term/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int work(allot__cli *cli, int argc, char **argv)
{
    int code = allot__cli_parse(cli, argc, argv);
    if (code != CLI_DONE)
        return code;
    if (cli->options.help) {
        char *name[] = {cli->verb ? (char *)cli->verb->name : NULL};
        cli->operands = name;
        cli->operand_count = cli->verb != NULL;
        return allot__cli_tool(cli, "command", "help");
    }
    if (cli->options.version)
        return allot__cli_tool(cli, "command.version", "show");
    if (!cli->verb)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage",
                               "allot help lists the verbs, allot help VERB explains one",
                               "usage: allot VERB [OPTION...]");
    const allot__verb *verb = cli->verb;
    return verb->run ? verb->run(cli) : allot__cli_tool(cli, verb->module, verb->function);
}

/* Shows errors as text, or as a document in place of the result, which contains its warnings. */
static void show_findings(allot__cli *cli, bool failed)
{
    allot__text text = {.engine = cli->engine};
    if (!cli->options.json) {
        allot__cli_findings(cli);
    } else if (failed) {
        allot_report_write(cli->report, allot__text_sink, &text);
        allot__cli_write(STDOUT_FILENO, text.bytes, text.len);
    }
    allot__text_free(&text);
}

/* A closed pipe (EPIPE) needs no message: the status suffices. */
static int show_result(allot__cli *cli)
{
    int error = allot__cli_write(STDOUT_FILENO, cli->out.bytes, cli->out.len);
    if (error == 0)
        return CLI_DONE;
    if (error != EPIPE) {
        char words[CLI_WHY];
        fprintf(stderr, "allot: error: standard output cannot be written: %s [E-io]\n",
                allot__cli_words(error, words));
    }
    return CLI_IO;
}

static int finish(allot__cli *cli, int code)
{
    if (code <= CLI_NO && cli->out.failed)
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    show_findings(cli, code > CLI_NO);
    if ((code <= CLI_NO || cli->shows_always) && show_result(cli) != CLI_DONE)
        code = CLI_IO;
    return code;
}

int main(int argc, char **argv)
{
    allot__cli cli = {.verbs = allot__cli_verbs};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is an error, not a signal */
    if (allot_engine_new(NULL, NULL, &cli.engine) != ALLOT_OK ||
        allot_report_new(cli.engine, &cli.report) != ALLOT_OK) {
        fputs("allot: error: out of memory [ENOMEM]\n", stderr);
        allot_engine_free(cli.engine);
        return CLI_INTERNAL;
    }
    cli.out.engine = cli.engine;
    int code = finish(&cli, work(&cli, argc, argv));
    allot__text_free(&cli.out);
    allot_report_free(cli.report);
    allot_engine_free(cli.engine);
    return code;
}
