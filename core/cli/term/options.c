/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* options.c: the command line. Help texts of options are in lua/allot/command/options.lua. */
#include "cli/term/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first code of long options for getopt_long, above all letters. */
#define FIRST_CODE 256
#define AT(member) offsetof(allot__options, member)

const allot__option_row allot__cli_options[] = {
    {"format", 'f', "text|json", CLI_WORD, AT(format), 0, 0},
    {"color", 'c', "auto|always|never", CLI_WORD, AT(color), 0, 0},
    {"coverage", '\0', NULL, CLI_FLAG, AT(coverage), 0, 0},
    {"all", 'a', NULL, CLI_FLAG, AT(all), 0, 0},
    {"columns", 'k', "auto|monitor|all", CLI_WORD, AT(columns), 0, 0},
    {"group", 'g', "GROUP", CLI_TEXT, AT(group), 0, 0},
    {"at", 't', "TIME|next", CLI_TEXT, AT(at), 0, 0},
    {"plan", 'p', "PLAN", CLI_TEXT, AT(plan), 0, 0},
    {"shape", 's', "NAME", CLI_TEXT, AT(shape), 0, 0},
    {"repeat", 'n', "N", CLI_NUMBER, AT(repeat), 1, 1000},
    {"eval", 'e', "CODE", CLI_LIST, AT(eval), 0, 0},
    {"trace", '\0', NULL, CLI_FLAG, AT(trace), 0, 0},
    {"runs", '\0', "N", CLI_NUMBER, AT(runs), 0, 1000000},
    {"seconds", '\0', "N", CLI_NUMBER, AT(seconds), 0, 86400},
    {"jobs", 'j', "N", CLI_NUMBER, AT(jobs), 1, 64},
    {"seed", '\0', "N", CLI_NUMBER, AT(seed), 0, 1000000000},
    {"out", 'o', "DIR", CLI_TEXT, AT(to), 0, 0},
    {"like", '\0', "PEER", CLI_TEXT, AT(like), 0, 0},
    {"policy", '\0', "POLICY", CLI_LIST, AT(policies), 0, 0},
    {"map", 'm', "FILE", CLI_TEXT, AT(map), 0, 0},
    {"interval", 'i', "N", CLI_NUMBER, AT(interval), 0, ALLOT_AMOUNT_MAX},
    {"from", '\0', "TIME", CLI_TEXT, AT(from), 0, 0},
    {"before", '\0', "TIME", CLI_TEXT, AT(before), 0, 0},
    {"until", '\0', "TIME", CLI_TEXT, AT(until), 0, 0},
    {"to", '\0', "N", CLI_NUMBER, AT(last), 1, INT64_MAX},
    {"rigid", '\0', NULL, CLI_FLAG, AT(rigid), 0, 0},
    {"plot", '\0', "FILE", CLI_TEXT, AT(plot), 0, 0},
    {"samples", '\0', "FILE", CLI_TEXT, AT(samples), 0, 0},
    {"bins", '\0', "N", CLI_NUMBER, AT(bins), 10, 2000},
    {"socket", '\0', "ADDRESS", CLI_TEXT, AT(socket), 0, 0},
    {"tcp", '\0', "HOST:PORT", CLI_TEXT, AT(tcp), 0, 0},
    {"token-file", '\0', "FILE", CLI_TEXT, AT(token_file), 0, 0},
    {"store", '\0', "FILE|URL", CLI_TEXT, AT(store), 0, 0},
    {"address", '\0', "ADDRESS", CLI_TEXT, AT(address), 0, 0},
    {"wait", '\0', NULL, CLI_FLAG, AT(wait), 0, 0},
    {"lease", '\0', "MS", CLI_NUMBER, AT(lease), 100, 600000},
    {"http", '\0', "HOST:PORT", CLI_TEXT, AT(http), 0, 0},
    {"socket-mode", '\0', "MODE", CLI_TEXT, AT(socket_mode), 0, 0},
    {"socket-group", '\0', "GROUP", CLI_TEXT, AT(socket_group), 0, 0},
    {"allow", '\0', "UID", CLI_LIST, AT(allow), 0, 0},
    {"cycle-limit", '\0', "MS", CLI_NUMBER, AT(cycle_limit), 0, 3600000},
    {"debounce", '\0', "MS", CLI_NUMBER, AT(debounce), 0, 60000},
    {"keep", '\0', "N|AGE|SIZE", CLI_TEXT, AT(keep), 0, 0},
    {"snapshot", '\0', "N", CLI_NUMBER, AT(snapshot), 1, INT64_MAX},
    {"clients", '\0', "N", CLI_NUMBER, AT(clients), 1, 100000},
    {"most-change", '\0', "N", CLI_NUMBER, AT(most_change), 0, INT64_MAX},
    {"dry-run", '\0', NULL, CLI_FLAG, AT(dry_run), 0, 0},
    {"drop", '\0', NULL, CLI_FLAG, AT(drop), 0, 0},
    {"no-watch", '\0', NULL, CLI_FLAG, AT(no_watch), 0, 0},
    {"slot", '\0', "[GROUP=]TRES[@PARTITION]", CLI_LIST, AT(slot), 0, 0},
    {"slots", '\0', "[GROUP=]N", CLI_LIST, AT(slots), 0, 0},
    {"wildcard", '\0', NULL, CLI_FLAG, AT(wildcard), 0, 0},
    {"tag", '\0', "TAG", CLI_LIST, AT(tag), 0, 0},
    {"rest", '\0', "PATH", CLI_TEXT, AT(rest), 0, 0},
    {"signal", '\0', "SIGNAL", CLI_TEXT, AT(signal), 0, 0},
    {"most-requeues", '\0', "N", CLI_NUMBER, AT(most_requeues), 0, 100000},
    {"stale", '\0', "N", CLI_NUMBER, AT(stale), 0, 86400},
    {"hold", '\0', NULL, CLI_FLAG, AT(hold), 0, 0},
    {"cancel", '\0', NULL, CLI_FLAG, AT(cancel), 0, 0},
    {"once", '\0', NULL, CLI_FLAG, AT(once), 0, 0},
    {"open", '\0', NULL, CLI_FLAG, AT(open), 0, 0},
    {"status", '\0', NULL, CLI_FLAG, AT(status), 0, 0},
    {"log", '\0', "text|json", CLI_WORD, AT(log), 0, 0},
    {"log-level", '\0', "error|warning|info|debug", CLI_WORD, AT(log_level), 0, 0},
    {"lines", 'n', "N", CLI_NUMBER, AT(lines), 1, 1000000},
    {"follow", '\0', NULL, CLI_FLAG, AT(follow), 0, 0},
    {"kind", '\0', "event|decision|reload|refusal|wrong-token|start|stop", CLI_WORD, AT(kind), 0,
     0},
    {"consumer", '\0', "PATH", CLI_TEXT, AT(consumer), 0, 0},
    {"who", '\0', "NAME", CLI_TEXT, AT(who), 0, 0},
    {"since", '\0', "TIME", CLI_TEXT, AT(since), 0, 0},
    {"help", 'h', NULL, CLI_FLAG, AT(help), 0, 0},
    {"version", 'V', NULL, CLI_FLAG, AT(version), 0, 0},
    {NULL, 0, NULL, CLI_FLAG, 0, 0, 0},
};

/* The end of an option's name in the verb's list; NULL: the list lacks it. */
static const char *said(const allot__verb *verb, const char *name)
{
    size_t len = strlen(name);
    const char *word = verb->options;
    for (word += strspn(word, " "); *word != '\0'; word += strspn(word, " ")) {
        size_t whole = strcspn(word, " ");
        if (strcspn(word, " =") == len && strncmp(word, name, len) == 0)
            return word + len;
        word += whole;
    }
    return NULL;
}

bool allot__cli_knows(const allot__verb *verb, const allot__option_row *row)
{
    if (strchr("fch", row->letter) && row->letter != '\0')
        return true;
    return !verb ? row->letter == 'V' : said(verb, row->name) != NULL;
}

allot__word allot__cli_argument(const allot__verb *verb, const allot__option_row *row)
{
    const char *own = verb ? said(verb, row->name) : NULL;
    if (own && *own == '=')
        return (allot__word){own + 1, (int)strcspn(own + 1, " ")};
    return (allot__word){row->argument, row->argument ? (int)strlen(row->argument) : 0};
}

const allot__verb *allot__cli_verb_find(const allot__cli *cli, const char *name)
{
    const allot__verb *verb = cli->verbs;
    while (verb->name && strcmp(verb->name, name) != 0)
        verb++;
    return verb->name ? verb : NULL;
}

/* By its letter, of which the verb's own option comes first, or by its place in the table and
 * FIRST_CODE. */
static const allot__option_row *row_of(const allot__verb *verb, int code)
{
    const allot__option_row *row = allot__cli_options, *found = NULL;
    if (code >= FIRST_CODE)
        return row + (code - FIRST_CODE);
    for (; row->name && code != 0; row++)
        if (row->letter == code && (!found || (verb && said(verb, row->name))))
            found = row;
    return found;
}

bool allot__cli_given(const allot__cli *cli, const char *name)
{
    for (size_t i = 0; allot__cli_options[i].name; i++)
        if (strcmp(allot__cli_options[i].name, name) == 0)
            return cli->options.given[i] != NULL;
    return false;
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

/* "there is no `what` `name`", with the nearest of the names. */
static int unknown(allot__cli *cli, const char *what, allot__word name, const char *dashes,
                   const char *const *names, size_t count)
{
    size_t bare = strspn(name.at, "-");
    const char *near = allot_nearest(name.at + bare, (size_t)name.len - bare, names, count);
    char hint[64] = "allot help lists what there is";
    if (near)
        snprintf(hint, sizeof hint, "did you mean %s%s?", dashes, near);
    return allot__cli_fail(cli, CLI_USAGE, "E-usage", hint, "there is no %s %.*s", what,
                           name.len < 100 ? name.len : 100, name.at);
}

static int unknown_option(allot__cli *cli, const char *word)
{
    const char *names[CLI_OPTIONS_MAX];
    size_t count = 0;
    for (const allot__option_row *row = allot__cli_options; row->name; row++)
        names[count++] = row->name;
    return unknown(cli, "option", (allot__word){word, (int)strcspn(word, "=")}, "--", names, count);
}

/* An option that getopt_long refuses; `word` is the last that it has passed. */
static int refused_option(allot__cli *cli, const char *word)
{
    const allot__option_row *row = row_of(cli->verb, optopt);
    char letter[] = {'-', (char)optopt, '\0'};
    if (row)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "--%s takes no argument",
                               row->name);
    /* getopt_long passes a word only behind its last letter. */
    return unknown_option(cli, optopt != 0 ? letter : word);
}

static int unknown_verb(allot__cli *cli, const char *name)
{
    const char *names[CLI_VERBS_MAX];
    size_t count = 0;
    for (const allot__verb *verb = cli->verbs; verb->name; verb++)
        names[count++] = verb->name;
    return unknown(cli, "verb", (allot__word){name, (int)strlen(name)}, "", names, count);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* The place of `value` among words divided by "|"; reports another value. */
static int take_word(allot__cli *cli, const allot__option_row *row, const char *value, int *to)
{
    allot__word words = allot__cli_argument(cli->verb, row);
    const char *word = words.at, *end = words.at + words.len;
    for (int i = 0; word < end; i++) {
        size_t len = strcspn(word, "| ");
        if (strlen(value) == len && strncmp(word, value, len) == 0) {
            *to = i;
            return CLI_DONE;
        }
        word += len + 1;
    }
    return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "--%s is %.*s, not \"%.100s\"",
                           row->name, words.len, words.at, value);
}

static int take_number(allot__cli *cli, const allot__option_row *row, const char *value,
                       int64_t *to)
{
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0 || number < row->least || number > row->most)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "--%s is a number from %lld to %lld, not \"%.100s\"", row->name,
                               (long long)row->least, (long long)row->most, value);
    *to = number;
    return CLI_DONE;
}

static int take_one_more(allot__cli *cli, const allot__option_row *row, const char *value,
                         allot__list *to)
{
    if (to->count == CLI_LIST_MOST)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "--%s comes at most %d times",
                               row->name, CLI_LIST_MOST);
    to->items[to->count++] = value;
    return CLI_DONE;
}

static int take_option(allot__cli *cli, const allot__option_row *row, const char *value)
{
    void *to = (char *)&cli->options + row->at;
    cli->options.given[row - allot__cli_options] = value ? value : "";
    switch (row->kind) {
    case CLI_WORD:
        return take_word(cli, row, value, to);
    case CLI_NUMBER:
        return take_number(cli, row, value, to);
    case CLI_LIST:
        return take_one_more(cli, row, value, to);
    case CLI_TEXT:
        *(const char **)to = value;
        return CLI_DONE;
    default:
        *(bool *)to = true;
        return CLI_DONE;
    }
}

typedef struct tables {
    struct option longs[CLI_OPTIONS_MAX];
    char shorts[2 * CLI_OPTIONS_MAX + 3]; /* of find_verb; behind the first byte of all others */
} tables;

/* The table in getopt_long's own shape. */
static void fill_tables(tables *to)
{
    struct option *longs = to->longs;
    char *shorts = to->shorts;
    *shorts++ = '-';
    *shorts++ = ':';
    for (const allot__option_row *row = allot__cli_options; row->name; row++, longs++) {
        int argument = row->argument ? required_argument : no_argument;
        int code = FIRST_CODE + (int)(row - allot__cli_options);
        *longs = (struct option){row->name, argument, NULL, code};
        if (row->letter == '\0')
            continue;
        *shorts++ = row->letter;
        if (argument == required_argument)
            *shorts++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *shorts = '\0';
}

static int read_options(allot__cli *cli, int argc, char **argv, const tables *by)
{
    int code = CLI_DONE, letter, step;
    optind = 0; /* glibc: from the beginning */
    while ((letter = getopt_long(argc, argv, by->shorts + 1, by->longs, NULL)) != -1) {
        const allot__option_row *row = row_of(cli->verb, letter == ':' ? optopt : letter);
        if (letter == ':' && row) {
            allot__word argument = allot__cli_argument(cli->verb, row);
            step = allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "--%s needs %.*s", row->name,
                                   argument.len, argument.at);
        } else if (letter == '?' || !row) {
            step = refused_option(cli, argv[optind - 1]);
        } else {
            step = take_option(cli, row, optarg);
        }
        if (step != CLI_DONE)
            code = step;
    }
    cli->options.json = cli->options.format == CLI_JSON;
    return code;
}

/* The words that an option takes depend on the verb, which may stand behind the option. With "-"
 * getopt_long gives other words as code 1 and leaves the line as it is. */
static const allot__verb *find_verb(const allot__cli *cli, int argc, char **argv, const tables *by)
{
    int code;
    opterr = 0;
    optind = 0;
    while ((code = getopt_long(argc, argv, by->shorts, by->longs, NULL)) != -1)
        if (code == 1)
            return allot__cli_verb_find(cli, optarg);
    return optind < argc ? allot__cli_verb_find(cli, argv[optind]) : NULL;
}

bool allot__cli_is_live(const allot__cli *cli)
{
    return cli->options.socket && cli->verb->live_operands;
}

/* For a verb that also reads files, ALLOT_SOCKET counts only if the operands are too few for files.
 */
static bool has_variable(const allot__cli *cli, const char *option)
{
    if (strcmp(option, "store") == 0) /* what a service writes; a reader names its own */
        return said(cli->verb, "keep");
    if (!cli->verb->live_operands)
        return said(cli->verb, option);
    return strcmp(option, "token-file") == 0 ||
           (strcmp(option, "socket") == 0 && cli->operand_count < cli->verb->min);
}

/* Options of verbs for a service may come from variables: ALLOT_TOKEN_FILE for --token-file. */
static int read_variables(allot__cli *cli)
{
    const allot__verb *verb = cli->verb;
    int code = CLI_DONE;
    if (!verb || !said(verb, "socket"))
        return CLI_DONE;
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        char name[64] = "ALLOT_";
        size_t len = strlen(row->name);
        if (!has_variable(cli, row->name) || cli->options.given[row - allot__cli_options] ||
            len + 7 > sizeof name)
            continue;
        for (size_t i = 0; i < len; i++) {
            char c = row->name[i];
            name[6 + i] = (char)(c == '-' ? '_' : c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
        const char *value = getenv(name);
        if (value && *value != '\0')
            code = take_option(cli, row, value) == CLI_DONE ? code : CLI_USAGE;
    }
    return code;
}

/* ---- The whole line -------------------------------------------------------------------------- */

/* Checks the number of operands. */
static int check_count(allot__cli *cli)
{
    const allot__verb *verb = cli->verb;
    bool live = allot__cli_is_live(cli);
    const char *operands = live ? verb->live_operands : verb->operands;
    int count = cli->operand_count, max = live ? verb->live_max : verb->max;
    bool many = max >= 0 && count > max;
    char hint[64];
    if (count >= (live ? verb->live_min : verb->min) && !many)
        return CLI_DONE;
    snprintf(hint, sizeof hint, "allot help %s tells more", verb->name);
    return allot__cli_fail(cli, CLI_USAGE, "E-usage",
                           live && many ? "with --socket the state is the service's" : hint,
                           "usage: allot %s%s%s%s [OPTION...]", verb->name,
                           live ? " --socket ADDRESS" : "", *operands != '\0' ? " " : "", operands);
}

static int check_operands(allot__cli *cli)
{
    int standard = 0, code = check_count(cli);
    if (code != CLI_DONE)
        return code;
    for (int i = 0; i < cli->operand_count; i++)
        standard += strcmp(cli->operands[i], "-") == 0;
    if (standard > 1)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "standard input (\"-\") can be read only once");
    return CLI_DONE;
}

static int check_options(allot__cli *cli)
{
    for (const allot__option_row *row = allot__cli_options; row->name; row++)
        if (cli->options.given[row - allot__cli_options] && !allot__cli_knows(cli->verb, row))
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "%s has no option --%s",
                                   !cli->verb ? "allot" : cli->verb->name, row->name);
    return CLI_DONE;
}

int allot__cli_parse(allot__cli *cli, int argc, char **argv)
{
    tables by;
    fill_tables(&by);
    cli->verb = find_verb(cli, argc, argv, &by);
    int code = read_options(cli, argc, argv, &by);
    cli->operands = argv + optind;
    cli->operand_count = argc - optind;
    if (code != CLI_DONE)
        return code;
    if (cli->operand_count > 0) {
        if (!cli->verb)
            return unknown_verb(cli, cli->operands[0]);
        cli->operands++;
        cli->operand_count--;
    }
    code = check_options(cli);
    if (code == CLI_DONE && !cli->options.help)
        code = read_variables(cli);
    if (code != CLI_DONE || !cli->verb || cli->options.help)
        return code;
    return check_operands(cli);
}
