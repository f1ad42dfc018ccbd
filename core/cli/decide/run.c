/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* run.c: the verbs `run` and `explain`: one cycle, shown or explained by lua/allot/text. */
#include "cli/term/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int allot__cli_decision(allot__cli *cli, const allot_decision *decision, int width)
{
    char columns[16];
    const char *const args[] = {columns};
    snprintf(columns, sizeof columns, "%d", width);
    return allot__cli_tool_about(cli, decision, "text.decision", args, 1);
}

int allot__cli_preview(allot__cli *cli, const allot__documents *docs)
{
    char from[24], before[24], after[24];
    const char *const args[] = {from, before, after};
    int64_t now = allot_decision_now(docs->decision);
    int status = cli->options.json ? allot_decision_write(docs->decision, cli->report,
                                                          allot__text_sink, &cli->out)
                                   : ALLOT_OK;
    if (status != ALLOT_OK)
        return allot__cli_status(cli, status);
    snprintf(from, sizeof from, "%" PRId64, docs->from);
    snprintf(before, sizeof before, "%" PRId64,
             (int64_t)allot_plan_windows_at(docs->plan, docs->from));
    snprintf(after, sizeof after, "%" PRId64, (int64_t)allot_plan_windows_at(docs->plan, now));
    return allot__cli_tool_about(cli, docs->decision, "text.preview", args, 3);
}

int allot__cli_run(allot__cli *cli)
{
    allot__documents docs;
    int code = allot__cli_decide(cli, cli->operands[0], cli->operands[1], &docs);
    if (code == CLI_DONE && cli->options.json)
        code = allot__cli_status(
            cli, allot_decision_write(docs.decision, cli->report, allot__text_sink, &cli->out));
    else if (code == CLI_DONE)
        code = allot__cli_decision(cli, docs.decision, allot__cli_width(STDOUT_FILENO));
    allot__cli_close(cli, &docs);
    return code;
}

/* ---- The verb explain ------------------------------------------------------------------------ */

/* The operands; NULL: not given. */
typedef struct words {
    const char *plan, *state, *what;
} words;

/* Beside a service a single operand is a plan if it ends in .json. */
static words find_words(const allot__cli *cli)
{
    char **at = cli->operands, **end = at + cli->operand_count;
    words it = {0};
    if (!allot__cli_is_live(cli)) {
        it.plan = *at++;
        it.state = *at++;
    } else if (end - at == 2 || (end - at == 1 && allot__cli_ends_in(*at, ".json"))) {
        it.plan = *at++;
    }
    it.what = at < end ? *at : NULL;
    return it;
}

int allot__cli_explain(allot__cli *cli)
{
    allot__documents docs;
    words it = find_words(cli);
    if (!it.what && !cli->options.at)
        return allot__cli_fail(
            cli, CLI_USAGE, "E-usage", "--at next explains the next switch of windows",
            "usage: allot explain %s PATH|TASK|JOB|LEASE, or --at TIME in its place",
            it.state ? "PLAN STATE" : "--socket ADDRESS [PLAN]");
    int code = allot__cli_decide(cli, it.plan, it.state, &docs);
    if (code == CLI_DONE && !it.what)
        code = allot__cli_preview(cli, &docs);
    else if (code == CLI_DONE)
        code = allot__cli_tool_about(cli, docs.decision, "text.explain", &it.what, 1);
    allot__cli_close(cli, &docs);
    return code;
}
