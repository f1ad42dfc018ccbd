/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* manual.c: allot(1), made from the tables of verbs and options; as scdoc reads it. */
#include "cli/term/cli.h"

#include <ctype.h>
#include <string.h>

/* Text that scdoc takes as it stands. */
static void put_plain(allot__text *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr("\\_*~<>#", text[i]) && text[i] != '\0')
            allot__cli_puts(out, "\\");
        allot__cli_add(out, text + i, 1);
    }
}

/* A verb's text: what is indented are examples, as they stand. */
static void put_text(allot__text *out, const char *text)
{
    bool literal = false;
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        bool example = strncmp(text, "  ", 2) == 0;
        if (example != literal)
            allot__cli_puts(out, "```\n");
        literal = example;
        if (example)
            allot__cli_add(out, text + 2, len - 2);
        else
            put_plain(out, text, len);
        allot__cli_puts(out, "\n");
        text += len + (text[len] == '\n');
    }
    allot__cli_puts(out, literal ? "```\n\n" : "\n");
}

static void put_options(allot__text *out, const allot__verb *verb)
{
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        bool own = allot__cli_knows(verb, row);
        allot__word argument = allot__cli_argument(verb, row);
        /* What every verb has is told once, but where this one has other words. */
        bool told = verb != NULL && allot__cli_knows(NULL, row) && argument.at == row->argument;
        if (!own || told)
            continue;
        if (row->letter != '\0')
            allot__cli_printf(out, "*-%c*, ", row->letter);
        allot__cli_printf(out, "*--%s*", row->name);
        if (argument.len > 0)
            allot__cli_puts(out, " ");
        put_plain(out, argument.at ? argument.at : "", (size_t)argument.len);
        allot__cli_puts(out, "\n\t");
        put_plain(out, row->help, strlen(row->help));
        allot__cli_puts(out, "\n\n");
    }
}

static void put_verb(allot__text *out, const allot__verb *verb)
{
    allot__cli_printf(out, "## allot %s ", verb->name);
    put_plain(out, verb->operands, strlen(verb->operands));
    allot__cli_trim(out);
    char first = (char)toupper((unsigned char)verb->summary[0]);
    allot__cli_puts(out, "\n\n");
    allot__cli_add(out, &first, 1);
    put_plain(out, verb->summary + 1, strlen(verb->summary + 1));
    allot__cli_puts(out, ".\n\n");
    put_text(out, verb->text);
    put_options(out, verb);
}

void allot__cli_manual(allot__text *out, const allot__verb *verbs)
{
    allot__cli_puts(
        out, "allot(1)\n\n# NAME\n\nallot - who gets how many slots of a cluster, and who gives "
             "them back\n\n# SYNOPSIS\n\n*allot* _VERB_ [_OPTION_...]\n\n# DESCRIPTION\n\n"
             "A plan states who owns what, a state what is demanded and held, a policy how rules "
             "combine; *allot*\ndecides, in whole numbers and with reasons. A file named - is "
             "standard input.\n\n# VERBS\n\n");
    for (const allot__verb *verb = verbs; verb->name; verb++)
        put_verb(out, verb);
    allot__cli_puts(out, "# OPTIONS OF ALL VERBS\n\n");
    put_options(out, NULL);
    allot__cli_puts(out, "# EXIT STATUS\n\n");
    for (const allot__exit_row *row = allot__cli_exits; row->text; row++) {
        allot__cli_printf(out, "*%d*\n\t", row->status);
        put_plain(out, row->text, strlen(row->text));
        allot__cli_puts(out, "\n\n");
    }
    allot__cli_puts(out, "# SEE ALSO\n\nallot-plan(5), allot-policy(7)\n");
}
