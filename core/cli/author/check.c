/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * check.c: the verb `check`: are these plans and policies valid, and do they keep their promises?
 * lua/allot/check tries them.
 */
#include "cli/term/cli.h"

int allot__cli_check(allot__cli *cli)
{
    /* What reads these formats wants a document whatever came of it. */
    cli->shows_always = cli->options.format > CLI_JSON;
    if (cli->operand_count == 0)
        return allot__cli_fail(cli, CLI_INVALID, "E-nothing", "name a plan or a policy",
                               "nothing was checked");
    return allot__cli_tool(cli, "check", "run");
}
