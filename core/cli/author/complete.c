/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * complete.c: the verb `completion`, and allot(1): made from the tables of verbs and options, which
 * lua/allot/command reads as one text.
 */
#include "cli/term/cli.h"

static void put_options(allot__text *out, const allot__verb *verb)
{
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        char letter[] = {row->letter, '\0'};
        allot__word argument = allot__cli_argument(verb, row);
        if (allot__cli_knows(verb, row))
            allot__cli_printf(out, "option\x1f%s\x1f%s\x1f%.*s\x1f%s\x1f\x1e", row->name, letter,
                              argument.len, argument.at ? argument.at : "", row->help);
    }
}

static void put_tables(allot__text *out, const allot__verb *verbs)
{
    put_options(out, NULL);
    for (const allot__verb *verb = verbs; verb->name; verb++) {
        allot__cli_printf(out, "verb\x1f%s\x1f%s\x1f%s\x1f%s\x1f\x1e", verb->name, verb->operands,
                          verb->summary, verb->text);
        put_options(out, verb);
    }
    for (const allot__exit_row *row = allot__cli_exits; row->text; row++)
        allot__cli_printf(out, "exit\x1f%d\x1f%s\x1f\x1e", row->status, row->text);
    allot__cli_puts(out, "policies\x1f");
    for (int32_t i = 0; i < allot_ready_policies(); i++)
        allot__cli_printf(out, "%s%s", i > 0 ? " " : "", allot_ready_policy_name(i));
    allot__cli_add(out, "\x1f\x1e", 3);
}

/* A function of the tool, with the tables behind the operands. */
static int make(allot__cli *cli, const char *function)
{
    allot__text tables = {.engine = cli->engine};
    char *words[CLI_VERBS_MAX], **operands = cli->operands;
    int count = cli->operand_count;
    put_tables(&tables, cli->verbs);
    for (int i = 0; i < count; i++)
        words[i] = operands[i];
    words[count] = tables.bytes;
    cli->operands = words;
    cli->operand_count++;
    int code = tables.failed ? allot__cli_status(cli, ALLOT_ENOMEM)
                             : allot__cli_tool(cli, "command", function);
    cli->operands = operands;
    cli->operand_count = count;
    allot__cli_text_free(&tables);
    return code;
}

int allot__cli_completion(allot__cli *cli)
{
    return make(cli, "completion");
}

int allot__cli_manual(allot__cli *cli)
{
    return make(cli, "manual");
}
