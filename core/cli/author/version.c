/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* version.c: the verb `version`: the version, and the built-in policies. */
#include "cli/term/cli.h"

int allot__cli_version(allot__cli *cli)
{
    allot__text *out = &cli->out;
    bool json = cli->options.json;
    allot__text_printf(
        out,
        json ? "{\"schema\": \"allot/version/v1\", \"version\": \"%s\", \"policies\": ["
             : "allot %s\nready-made policies:",
        allot_version());
    for (int32_t i = 0; i < allot_ready_policies(); i++)
        allot__text_printf(out, json ? "%s\"%s\"" : "%s %s",
                           i == 0 ? ""
                           : json ? ", "
                                  : ",",
                           allot_ready_policy_name(i));
    allot__text_puts(out, json ? "]}\n" : "\n");
    return CLI_DONE;
}
