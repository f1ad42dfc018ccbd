/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* options.c: the command line. One table of options feeds reading and help. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 16

const allot__option_row allot__cli_options[] = {
    {"format", 'f', "text|json", "how results and errors are written (text)"},
    {"color", 'c', "auto|always|never", "colours; auto: on a terminal, unless NO_COLOR is set"},
    {"all", 'a', NULL, "also consumers that have, want and get nothing"},
    {"columns", 'k', "auto|monitor|all",
     "auto: what says something; monitor: whose slots are in whose hands"},
    {"group", 'g', "GROUP", "this resource group alone"},
    {"at", 't', "TIME|next", "as if it were then: Unix seconds, RFC 3339, or the next switch"},
    {"shape", 's', "NAME", "this alone: flat, 10x10x100, victims, queues, queues/plain, ..."},
    {"repeat", 'n', "N", "measure each N times, 1 to 1000 (9)"},
    {"help", 'h', NULL, "help, with examples"},
    {"version", 'V', NULL, "the version"},
    {NULL, 0, NULL, NULL},
};

bool allot__cli_knows(const allot__verb *verb, char letter)
{
    if (strchr("fch", letter) != NULL)
        return true;
    return verb == NULL ? letter == 'V' : strchr(verb->options, letter) != NULL;
}

const allot__verb *allot__cli_verb_find(const char *name)
{
    const allot__verb *verb = allot__cli_verbs;
    while (verb->name != NULL && strcmp(verb->name, name) != 0)
        verb++;
    return verb->name != NULL ? verb : NULL;
}

static const allot__option_row *row_of(int letter)
{
    const allot__option_row *row = allot__cli_options;
    while (row->name != NULL && row->letter != letter)
        row++;
    return row->name != NULL ? row : NULL;
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

static int unknown(allot__cli *cli, const char *what, const char *name, size_t len,
                   const char *const *names, size_t count)
{
    const char *near = allot_nearest(name, len, names, count);
    char hint[64] = "allot help lists what there is";
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    return allot__cli_fail(cli, CLI_USAGE, "E-usage", hint, "there is no %s %.*s", what,
                           (int)(len < 100 ? len : 100), name);
}

static int unknown_option(allot__cli *cli, const char *word)
{
    const char *names[OPTIONS_MAX];
    size_t count = 0;
    for (const allot__option_row *row = allot__cli_options; row->name != NULL; row++)
        names[count++] = row->name;
    const char *name = word + strspn(word, "-");
    size_t len = strcspn(name, "=");
    const char *near = allot_nearest(name, len, names, count);
    char hint[64] = "allot help lists what there is";
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean --%s?", near);
    return allot__cli_fail(cli, CLI_USAGE, "E-usage", hint, "there is no option %.*s",
                           (int)strcspn(word, "="), word);
}

/* An option that getopt_long refuses; `word` is the last that it has passed. */
static int refused_option(allot__cli *cli, const char *word)
{
    const allot__option_row *row = row_of(optopt);
    char letter[] = {'-', (char)optopt, '\0'};
    if (row != NULL)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "--%s takes no argument",
                               row->name);
    /* getopt_long passes a word only behind its last letter. */
    return unknown_option(cli, optopt != 0 ? letter : word);
}

static int unknown_verb(allot__cli *cli, const char *name)
{
    const char *names[OPTIONS_MAX];
    size_t count = 0;
    for (const allot__verb *verb = allot__cli_verbs; verb->name != NULL; verb++)
        names[count++] = verb->name;
    return unknown(cli, "verb", name, strlen(name), names, count);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* The place of `value` among words divided by "|", or -1 (reported). */
static int choose(allot__cli *cli, const allot__option_row *row, const char *value)
{
    const char *word = row->argument;
    for (int i = 0;; i++) {
        size_t len = strcspn(word, "|");
        if (strlen(value) == len && strncmp(word, value, len) == 0)
            return i;
        if (word[len] == '\0')
            break;
        word += len + 1;
    }
    allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "--%s is %s, not \"%.100s\"", row->name,
                    row->argument, value);
    return -1;
}

static int read_repeat(allot__cli *cli, const char *value)
{
    char *end;
    errno = 0;
    long repeat = strtol(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0 || repeat < 1 || repeat > 1000)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "--repeat is a number from 1 to 1000, not \"%.100s\"", value);
    cli->options.repeat = repeat;
    return CLI_DONE;
}

static int take_option(allot__cli *cli, const allot__option_row *row, const char *value)
{
    int choice;
    switch (row->letter) {
    case 'f':
        choice = choose(cli, row, value);
        cli->options.json = choice == 1;
        return choice < 0 ? CLI_USAGE : CLI_DONE;
    case 'c':
        choice = choose(cli, row, value);
        cli->options.color = choice < 0 ? CLI_COLOR_AUTO : (allot__color)choice;
        return choice < 0 ? CLI_USAGE : CLI_DONE;
    case 'a':
        cli->options.all = true;
        return CLI_DONE;
    case 'k':
        choice = choose(cli, row, value);
        cli->options.columns = choice < 0 ? CLI_COLUMNS_AUTO : (allot__columns)choice;
        return choice < 0 ? CLI_USAGE : CLI_DONE;
    case 'g':
        cli->options.group = value;
        return CLI_DONE;
    case 't':
        cli->options.at = value;
        return CLI_DONE;
    case 's':
        cli->options.shape = value;
        return CLI_DONE;
    case 'n':
        return read_repeat(cli, value);
    case 'h':
        cli->options.help = true;
        return CLI_DONE;
    default:
        cli->options.version = true;
        return CLI_DONE;
    }
}

/* The table in getopt_long's own shape. */
static void getopt_tables(struct option *longs, char *shorts)
{
    *shorts++ = ':';
    for (const allot__option_row *row = allot__cli_options; row->name != NULL; row++, longs++) {
        int argument = row->argument != NULL ? required_argument : no_argument;
        *longs = (struct option){row->name, argument, NULL, row->letter};
        *shorts++ = row->letter;
        if (argument == required_argument)
            *shorts++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
}

static int read_options(allot__cli *cli, int argc, char **argv, char *used)
{
    struct option longs[OPTIONS_MAX];
    char shorts[3 * OPTIONS_MAX];
    getopt_tables(longs, shorts);
    int code = CLI_DONE, letter, step;
    opterr = 0;
    while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const allot__option_row *row = row_of(letter == ':' ? optopt : letter);
        if (letter == ':' && row != NULL)
            step = allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "--%s needs %s", row->name,
                                   row->argument);
        else if (row == NULL)
            step = refused_option(cli, argv[optind - 1]);
        else
            step = take_option(cli, row, optarg);
        if (step != CLI_DONE)
            code = step;
        if (row != NULL && strchr(used, row->letter) == NULL)
            strncat(used, &row->letter, 1);
    }
    return code;
}

/* ---- The whole line -------------------------------------------------------------------------- */

static int check_operands(allot__cli *cli)
{
    const allot__verb *verb = cli->verb;
    int count = cli->operand_count;
    if (count < verb->min || (verb->max >= 0 && count > verb->max))
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "usage: allot %s%s%s [OPTION...]",
                               verb->name, *verb->operands != '\0' ? " " : "", verb->operands);
    int standard = 0;
    for (int i = 0; i < count; i++)
        standard += strcmp(cli->operands[i], "-") == 0;
    if (standard > 1)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "standard input (\"-\") can be read only once");
    return CLI_DONE;
}

static int check_options(allot__cli *cli, const char *used)
{
    for (; *used != '\0'; used++)
        if (!allot__cli_knows(cli->verb, *used))
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "%s has no option --%s",
                                   cli->verb == NULL ? "allot" : cli->verb->name,
                                   row_of(*used)->name);
    return CLI_DONE;
}

int allot__cli_parse(allot__cli *cli, int argc, char **argv)
{
    char used[OPTIONS_MAX] = "";
    int code = read_options(cli, argc, argv, used);
    cli->operands = argv + optind;
    cli->operand_count = argc - optind;
    if (code != CLI_DONE)
        return code;
    if (cli->operand_count > 0) {
        cli->verb = allot__cli_verb_find(cli->operands[0]);
        if (cli->verb == NULL)
            return unknown_verb(cli, cli->operands[0]);
        cli->operands++;
        cli->operand_count--;
    }
    code = check_options(cli, used);
    if (code != CLI_DONE || cli->verb == NULL || cli->options.help)
        return code;
    return check_operands(cli);
}
