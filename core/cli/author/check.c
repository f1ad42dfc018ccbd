/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * check.c: the verb `check`: are these plans and policies valid, and do they keep their promises?
 * lua/allot/check tries them.
 */
#include "cli/term/remote.h"

static int check_live(allot__cli *cli)
{
    allot__remote live;
    int code = allot__remote_open(cli, &live);
    allot__text answer = {.engine = cli->engine};
    if (code == CLI_DONE)
        allot__text_add(&answer, live.answer, live.answer_len);
    if (answer.failed)
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    allot__remote_close(&live);
    cli->live = answer.bytes;
    if (code == CLI_DONE)
        code = allot__cli_tool(cli, "check", "run");
    cli->live = NULL;
    allot__text_free(&answer);
    return code;
}

int allot__cli_check(allot__cli *cli)
{
    /* What reads these formats wants a document whatever came of it. */
    cli->shows_always = cli->options.format > CLI_JSON;
    if (allot__cli_is_live(cli))
        return check_live(cli);
    if (cli->operand_count == 0)
        return allot__cli_fail(cli, CLI_INVALID, "E-nothing", "name a plan or a policy",
                               "nothing was checked");
    return allot__cli_tool(cli, "check", "run");
}
