/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * help.c: the verbs `help` and `completion`: lua/allot/command makes them of the tables of verbs
 * and options, which it reads as one text.
 */
#include "cli/term/cli.h"

static const struct {
    int status;
    const char *text;
} exits[] = {
    {CLI_DONE, "done"},
    {CLI_NO, "done, and the answer is \"no\""},
    {CLI_USAGE, "wrong words on the command line"},
    {CLI_INVALID, "invalid plan, state or policy, or nothing was checked"},
    {CLI_SCRIPT, "a policy failed while running"},
    {CLI_IO, "a file or stream could not be read or written"},
    {CLI_INTERNAL, "an internal bug, or out of memory"},
};

static void put_options(allot__text *out, const allot__verb *verb)
{
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        char letter[] = {row->letter, '\0'};
        allot__word argument = allot__cli_argument(verb, row);
        if (allot__cli_knows(verb, row))
            allot__text_printf(out, "option\x1f%s\x1f%s\x1f%.*s\x1f%s\x1f\x1e", row->name, letter,
                               argument.len, argument.at ? argument.at : "", row->help);
    }
}

static void put_tables(allot__text *out, const allot__cli *cli)
{
    allot__text_printf(out, "version\x1f%s\x1f\x1e", allot_version());
    put_options(out, NULL);
    for (const allot__verb *verb = cli->verbs; verb->name; verb++) {
        const allot__live_form *live = allot__cli_live_form(cli, verb);
        allot__text_printf(out, "verb\x1f%s\x1f%s\x1f%s\x1f%s\x1f\x1e", verb->name, verb->operands,
                           verb->summary, verb->text);
        if (live)
            allot__text_printf(out, "live\x1f%s\x1f\x1e", live->operands);
        put_options(out, verb);
    }
    for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
        allot__text_printf(out, "exit\x1f%d\x1f%s\x1f\x1e", exits[i].status, exits[i].text);
    allot__text_puts(out, "policies\x1f");
    for (int32_t i = 0; i < allot_ready_policies(); i++)
        allot__text_printf(out, "%s%s", i > 0 ? " " : "", allot_ready_policy_name(i));
    allot__text_add(out, "\x1f\x1e", 3);
}

/* A function of the tool, with a word and the tables as its arguments. */
static int make(allot__cli *cli, const char *function, const char *word)
{
    allot__text tables = {.engine = cli->engine};
    put_tables(&tables, cli);
    char *words[] = {(char *)word, tables.bytes}, **operands = cli->operands;
    int count = cli->operand_count;
    cli->operands = words;
    cli->operand_count = 2;
    int code = tables.failed ? allot__cli_status(cli, ALLOT_ENOMEM)
                             : allot__cli_tool(cli, "command", function);
    cli->operands = operands;
    cli->operand_count = count;
    allot__text_free(&tables);
    return code;
}

int allot__cli_completion(allot__cli *cli)
{
    return make(cli, "completion", cli->operands[0]);
}

int allot__cli_help(allot__cli *cli, const allot__verb *verb)
{
    return make(cli, "help", verb ? verb->name : "");
}

int allot__cli_help_verb(allot__cli *cli)
{
    return make(cli, "help", cli->operand_count > 0 ? cli->operands[0] : "");
}
