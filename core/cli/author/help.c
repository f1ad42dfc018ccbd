/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* help.c: help made from the tables of verbs and options. */
#include "cli/term/cli.h"

#include <stdio.h>
#include <string.h>

const allot__exit_row allot__cli_exits[] = {
    {CLI_DONE, "done"},
    {CLI_NO, "done, and the answer is \"no\""},
    {CLI_USAGE, "wrong words on the command line"},
    {CLI_INVALID, "invalid plan, state or policy, or nothing was checked"},
    {CLI_SCRIPT, "a policy failed while running"},
    {CLI_IO, "a file or stream could not be read or written"},
    {CLI_INTERNAL, "an internal bug, or out of memory"},
    {0, NULL},
};

/* Columns of a terminal, and where the right one of two begins. */
enum { PAGE = 80, RIGHT = 34 };

/* Words up to the end of the text or `end`, in lines that fit the page, each behind `indent` but
 * the first, which begins at that column. */
static void put_words(allot__text *out, const char *text, const char *end, int indent)
{
    int at = indent;
    for (const char *word = text; *word != '\0' && word < end;) {
        int len = (int)strcspn(word, " \n");
        bool fits = at + 1 + len <= PAGE;
        if (word != text)
            allot__cli_printf(out, "%s%*s", fits ? " " : "\n", fits ? 0 : indent, "");
        at = (word == text || !fits ? indent : at + 1) + len;
        allot__cli_printf(out, "%.*s", len, word);
        word += len;
        word += *word != '\0';
    }
    allot__cli_puts(out, "\n");
}

/* A word, and what it means beside it; below it, where the word is long. */
static void put_item(allot__text *out, const char *left, const char *right)
{
    int at = 2 + (int)strlen(left);
    bool below = at >= RIGHT;
    allot__cli_printf(out, "  %s%s%*s", left, below ? "\n" : "", RIGHT - (below ? 0 : at), "");
    put_words(out, right, right + strlen(right), RIGHT);
}

/* Paragraphs fill the page; lines that begin with a blank stay as they are. */
static void put_text(allot__text *out, const char *text)
{
    while (*text != '\0') {
        const char *end = text + strcspn(text, "\n");
        if (*text == ' ' || *text == '\n') {
            allot__cli_printf(out, "%.*s\n", (int)(end - text), text);
        } else {
            while (*end == '\n' && end[1] != '\0' && end[1] != '\n' && end[1] != ' ')
                end += 1 + strcspn(end + 1, "\n");
            put_words(out, text, end, 0);
        }
        text = end + (*end == '\n');
    }
}

static void put_options(allot__text *out, const allot__verb *verb)
{
    allot__cli_puts(out, "\noptions:\n");
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        if (!allot__cli_knows(verb, row))
            continue;
        allot__word argument = allot__cli_argument(verb, row);
        char left[96], letter[] = {'-', row->letter, ',', '\0'};
        snprintf(left, sizeof left, "%3s --%s%s%.*s", row->letter != '\0' ? letter : "", row->name,
                 argument.len > 0 ? " " : "", argument.len, argument.at ? argument.at : "");
        put_item(out, left, row->help);
    }
}

static void help_command(allot__text *out, const allot__verb *verbs)
{
    allot__cli_printf(out, "allot %s: who gets how many slots, and who gives them back\n\n",
                      allot_version());
    allot__cli_puts(out, "usage: allot VERB [OPTION...]\n\n");
    for (const allot__verb *verb = verbs; verb->name; verb++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", verb->name, verb->operands);
        put_item(out, left, verb->summary);
    }
    put_options(out, NULL);
    allot__cli_puts(out, "\nA file named - is standard input.\n"
                         "\nexit status:\n");
    for (const allot__exit_row *row = allot__cli_exits; row->text; row++)
        allot__cli_printf(out, "%3d  %s\n", row->status, row->text);
    allot__cli_puts(out, "\nOf the language of policies: allot help policy, columns, diagnostics,\n"
                         "testing, or any word of it.\n");
}

void allot__cli_help(allot__cli *cli, const allot__verb *verb)
{
    allot__text *out = &cli->out;
    if (!verb) {
        help_command(out, cli->verbs);
        return;
    }
    allot__cli_printf(out, "usage: allot %s%s%s [OPTION...]\n\n", verb->name,
                      *verb->operands != '\0' ? " " : "", verb->operands);
    put_text(out, verb->text);
    put_options(out, verb);
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* What is no verb is a topic of the language; the tool gets the verbs too, for what was meant. */
static int help_topic(allot__cli *cli)
{
    char *words[CLI_VERBS_MAX + 1] = {cli->operands[0]};
    int count = 1;
    for (const allot__verb *verb = cli->verbs; verb->name; verb++)
        words[count++] = (char *)verb->name;
    cli->operands = words;
    cli->operand_count = count;
    int code = allot__cli_tool(cli, "reference", "help");
    cli->operands = NULL;
    cli->operand_count = 0;
    return code;
}

int allot__cli_help_verb(allot__cli *cli)
{
    const char *topic = cli->operand_count > 0 ? cli->operands[0] : NULL;
    if (!topic && cli->options.format == CLI_SCDOC)
        return allot__cli_manual(cli);
    const allot__verb *verb = topic ? allot__cli_verb_find(cli, topic) : NULL;
    if (topic && !verb)
        return help_topic(cli);
    allot__cli_help(cli, verb);
    return CLI_DONE;
}
