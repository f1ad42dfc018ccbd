/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* documents.c: plan, state and policy files, opened for a verb and closed after it. */
#include "cli/term/cli.h"

#include <string.h>

static int read_plan(allot__cli *cli, const char *path, allot__documents *docs)
{
    allot__text text = {0};
    int code = allot__cli_read(cli, path, &text);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_plan_read(cli->engine, text.bytes, text.len,
                                                      allot__cli_file_name(path), &docs->loader,
                                                      cli->report, &docs->plan));
    allot__text_free(&text);
    return code;
}

int allot__cli_open_plan(allot__cli *cli, const char *path, allot__documents *docs)
{
    *docs = (allot__documents){0};
    allot_script_limits limits;
    allot__cli_trace(cli, &limits);
    int status = allot_script_loader_new(cli->engine, &limits, &docs->loader);
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    return read_plan(cli, path, docs);
}

/* The time that is said behind `word`: "--at ", or "@". */
static int find_time(allot__cli *cli, const allot__documents *docs, const char *word,
                     const char *at, int64_t *out)
{
    char from[40];
    allot_time_text(docs->from, from, sizeof from);
    if (strcmp(at, "next") == 0) {
        int status = allot_plan_switch(docs->plan, docs->from, out);
        if (status == ALLOT_ENOENT)
            return allot__cli_fail(cli, CLI_USAGE, "E-at", NULL,
                                   "no window of the plan begins or ends after %s", from);
        return allot__cli_status(cli, status);
    }
    if (allot_time_read(at, out) != ALLOT_OK)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "%sTIME is \"next\", Unix seconds or a time like "
                               "2026-01-31T08:00:00+01:00, not \"%.100s\"",
                               word, at);
    if (*out < docs->from)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "%s%.40s is before %s, the time of the state", word, at, from);
    return CLI_DONE;
}

/* The state at another time: the cycle before was at the state's own time. */
static int turn(allot__cli *cli, allot__documents *docs, const char *word, const char *at)
{
    int64_t when;
    int code = find_time(cli, docs, word, at, &when);
    if (code != CLI_DONE)
        return code;
    int status = allot_state_open(docs->state);
    if (status == ALLOT_OK)
        status = allot_state_now(docs->state, when);
    if (status == ALLOT_OK && when > docs->from)
        status = allot_state_last(docs->state, docs->from);
    if (status == ALLOT_OK)
        status = allot_state_seal(docs->state, NULL); /* what there is to say was said */
    return allot__cli_status(cli, status);
}

int allot__cli_decide_text(allot__cli *cli, const allot__text *text, const char *path,
                           const char *word, const char *at, allot__documents *docs)
{
    int code = allot__cli_status(cli, allot_state_read(docs->plan, text->bytes, text->len,
                                                       allot__cli_file_name(path), cli->report,
                                                       &docs->state));
    if (code == CLI_DONE) {
        docs->from = allot_state_now_get(docs->state);
        code = at ? turn(cli, docs, word, at) : CLI_DONE;
    }
    if (code == CLI_DONE)
        code = allot__cli_status(
            cli, allot_cycle(docs->plan, docs->state, cli->report, &docs->decision));
    return code;
}

int allot__cli_decide(allot__cli *cli, const char *plan, const char *state, allot__documents *docs)
{
    allot__text text = {0};
    int code = allot__cli_open_plan(cli, plan, docs);
    if (code == CLI_DONE)
        code = allot__cli_read(cli, state, &text);
    if (code == CLI_DONE)
        code = allot__cli_decide_text(cli, &text, state, "--at ", cli->options.at, docs);
    allot__text_free(&text);
    return code;
}

void allot__cli_forget(allot__documents *docs)
{
    allot_decision_free(docs->decision);
    allot_state_free(docs->state);
    docs->decision = NULL;
    docs->state = NULL;
}

void allot__cli_close(allot__cli *cli, allot__documents *docs)
{
    allot__cli_forget(docs);
    allot_plan_free(docs->plan);
    if (docs->loader.load)
        allot_script_loader_free(cli->engine, &docs->loader);
    allot__cli_trace_end(cli);
}
