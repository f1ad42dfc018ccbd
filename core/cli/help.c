/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* help.c: help made from the tables of verbs and options. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static void put_options(allot__text *out, const allot__verb *verb)
{
    allot__cli_puts(out, "\noptions:\n");
    for (const allot__option_row *row = allot__cli_options; row->name != NULL; row++) {
        if (!allot__cli_knows(verb, row))
            continue;
        allot__word argument = allot__cli_argument(verb, row);
        char left[96], letter[] = {'-', row->letter, ',', '\0'};
        snprintf(left, sizeof left, "%3s --%s%s%.*s", row->letter != '\0' ? letter : "", row->name,
                 argument.len > 0 ? " " : "", argument.len, argument.at != NULL ? argument.at : "");
        allot__cli_printf(out, "  %-31s %s\n", left, row->help);
    }
}

static void help_command(allot__text *out)
{
    allot__cli_printf(out, "allot %s: who gets how many slots, and who gives them back\n\n",
                      allot_version());
    allot__cli_puts(out, "usage: allot VERB [OPTION...]\n\n");
    for (const allot__verb *verb = allot__cli_verbs; verb->name != NULL; verb++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", verb->name, verb->operands);
        allot__cli_printf(out, "  %-31s %s\n", left, verb->summary);
    }
    put_options(out, NULL);
    allot__cli_puts(out, "\nA file named - is standard input.\n"
                         "\nexit status:\n"
                         "  0  done\n"
                         "  1  done, and the answer is \"no\"\n"
                         "  2  wrong words on the command line\n"
                         "  3  invalid plan, state or policy, or nothing was checked\n"
                         "  4  a policy failed while running\n"
                         "  5  a file or stream could not be read or written\n"
                         " 70  an internal bug, or out of memory\n");
}

void allot__cli_help(allot__text *out, const allot__verb *verb)
{
    if (verb == NULL) {
        help_command(out);
        return;
    }
    allot__cli_printf(out, "usage: allot %s%s%s [OPTION...]\n\n%s\n", verb->name,
                      *verb->operands != '\0' ? " " : "", verb->operands, verb->text);
    out->len--; /* the text ends its own last line */
    put_options(out, verb);
}
