/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* types.c: the verb `types`: what a policy can say, for editors and linters. */
#include "cli/term/cli.h"

int allot__cli_types(allot__cli *cli)
{
    return allot__cli_tool(cli, "reference", "types");
}
