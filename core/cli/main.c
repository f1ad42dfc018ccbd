/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* main.c: the command `allot`: reads its words, lets a verb work, and shows what came of it. */
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const allot__verb allot__cli_verbs[] = {
    {"run", "PLAN STATE", 2, 2, "akt", "decide once: quotas, grants and reclaims",
     "Reads a plan and a state and prints what a scheduler should now do: the quota of every\n"
     "consumer, who gets idle slots, and who gives back how many to whom. Of a plan with queues:\n"
     "which jobs to start, resume, suspend and kill, where, and why others wait; of contracts,\n"
     "both sides' slots and what moves.\n\n"
     "  allot run plan.json state.json\n"
     "  allot run --format json plan.json state.json | jq '.reclaims'\n"
     "  allot run plan.json state.json --at 2026-11-23T08:00:00+01:00\n"
     "  collect-state | allot run plan.json -\n",
     allot__cli_run},
    {"check", "PLAN|POLICY...", 0, -1, "", "say whether plans and policies are valid",
     "Reads plans, and policies (files that end in .lua), and tells every fault with its place.\n"
     "Checking no file at all is an error, so that a mistyped pattern is noticed.\n\n"
     "  allot check plan.json\n"
     "  allot check site/*.lua && git commit\n",
     allot__cli_check},
    {"explain", "PLAN STATE [PATH|TASK|JOB|LEASE]", 2, 3, "gt",
     "tell why a consumer gets what it gets, a task goes, a job waits",
     "Runs the cycle of `run` and tells one consumer's part in it in sentences, with the numbers\n"
     "that decided. With several resource groups it tells all, or the one named by --group.\n\n"
     "What is no path is a task's id: it tells whom the task was compared with and which key\n"
     "decided. Of a plan with queues it is a job's id: why it waits, who is ahead and what binds,\n"
     "or why it was preempted and what would have spared it.\n\n"
     "Without either, --at tells what a switch of windows takes from whom, and what work is\n"
     "lost.\n\n"
     "  allot explain plan.json state.json /physics/lattice\n"
     "  allot explain plan.json state.json task-17\n"
     "  allot explain queues.json state.json 4711\n"
     "  allot explain --group gpu plan.json state.json /physics\n"
     "  allot explain plan.json state.json --at next\n",
     allot__cli_explain},
    {"import", "FILE...", 1, -1, "", "make a plan of a site's LSF files",
     "Reads lsb.queues and, as far as they are given, lsb.params, lsb.hosts, lsb.users,\n"
     "lsb.applications and lsb.resources, and prints the plan that they come to. What a plan "
     "cannot\n"
     "say is listed line by line on standard error: nothing is dropped in silence.\n\n"
     "  allot import lsb.queues lsb.params lsb.hosts > plan.json && allot check plan.json\n"
     "  allot import --format json /etc/lsf/lsb.* | jq '.notes'\n",
     allot__cli_import},
    {"bench", "", 0, 0, "sn", "measure this machine and this build",
     "Generates trees, times the cycle on them, and sets it against merely reading 64 bytes a\n"
     "consumer from memory. Best and median of --repeat runs.\n\n"
     "  allot bench\n"
     "  allot bench --shape 10x100x100 --repeat 21 --format json\n",
     allot__cli_bench},
    {"version", "", 0, 0, "", "the version and the ready-made policies",
     "  allot version\n  allot version --format json\n", allot__cli_version},
    {"help", "[VERB]", 0, 1, "", "help for a verb, with examples",
     "  allot help run\n  allot run --help\n", allot__cli_help_verb},
    {NULL, NULL, 0, 0, NULL, NULL, NULL, NULL},
};

int allot__cli_help_verb(allot__cli *cli)
{
    const allot__verb *verb = NULL;
    if (cli->operand_count > 0) {
        verb = allot__cli_verb_find(cli->operands[0]);
        if (verb == NULL)
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", "allot help lists what there is",
                                   "there is no verb %.100s", cli->operands[0]);
    }
    allot__cli_help(&cli->out, verb);
    return CLI_DONE;
}

static int work(allot__cli *cli, int argc, char **argv)
{
    int code = allot__cli_parse(cli, argc, argv);
    if (code != CLI_DONE)
        return code;
    if (cli->options.help) {
        allot__cli_help(&cli->out, cli->verb);
        return CLI_DONE;
    }
    if (cli->options.version)
        return allot__cli_version(cli);
    if (cli->verb == NULL)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage",
                               "allot help lists the verbs, allot help VERB tells about one",
                               "usage: allot VERB [OPTION...]");
    return cli->verb->run(cli);
}

/* Errors as text, or as the document that stands in place of the result. */
static void show_findings(allot__cli *cli, bool failed)
{
    bool document = failed && cli->options.json;
    if (cli->options.json && !document)
        return; /* the result has its warnings in it */
    allot__text text = {.engine = cli->engine};
    int fd = document ? STDOUT_FILENO : STDERR_FILENO;
    if (document)
        allot_report_write(cli->report, allot__cli_sink, &text);
    else
        allot__cli_findings(cli->report, &text, allot__cli_colored(cli->options.color, fd));
    allot__cli_write(fd, text.bytes, text.len);
    allot__cli_text_free(&text);
}

/* Nobody reads on (EPIPE) needs no words; the status says it. */
static int show_result(allot__cli *cli)
{
    int error = allot__cli_write(STDOUT_FILENO, cli->out.bytes, cli->out.len);
    if (error == 0)
        return CLI_DONE;
    if (error != EPIPE) {
        char words[128] = "";
        if (strerror_r(error, words, sizeof words) != 0)
            words[0] = '\0';
        fprintf(stderr, "allot: error: standard output cannot be written: %s [E-io]\n", words);
    }
    return CLI_IO;
}

static int finish(allot__cli *cli, int code)
{
    if (code <= CLI_NO && cli->out.failed)
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    show_findings(cli, code > CLI_NO);
    if (code <= CLI_NO && show_result(cli) != CLI_DONE)
        code = CLI_IO;
    return code;
}

int main(int argc, char **argv)
{
    allot__cli cli = {0};
    signal(SIGPIPE, SIG_IGN);
    if (allot_engine_new(NULL, NULL, &cli.engine) != ALLOT_OK ||
        allot_report_new(cli.engine, &cli.report) != ALLOT_OK) {
        fputs("allot: error: out of memory [ENOMEM]\n", stderr);
        allot_engine_free(cli.engine);
        return CLI_INTERNAL;
    }
    cli.out.engine = cli.engine;
    int code = finish(&cli, work(&cli, argc, argv));
    allot__cli_text_free(&cli.out);
    allot_report_free(cli.report);
    allot_engine_free(cli.engine);
    return code;
}
