/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* run.c: the verb `run`: one cycle; and decisions as text, which lua/allot/text makes. */
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
