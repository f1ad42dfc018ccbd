/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* complete_fish.c: completion for fish, which has a line for each verb and option. */
#include "cli/author/complete.h"

#include <string.h>

/* In single quotes. */
static void put_quoted(allot__text *out, const char *text)
{
    allot__cli_puts(out, "'");
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            allot__cli_puts(out, "\\");
        allot__cli_add(out, text, 1);
    }
    allot__cli_puts(out, "'");
}

static bool is(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && strncmp(word, name, len) == 0;
}

/* What fish runs or offers for a word of alternatives; "" for nothing. */
static void put_offer(allot__text *out, const char *word, size_t len)
{
    if (is(word, len, "PLAN") || is(word, len, "STATE"))
        allot__cli_puts(out, " (_allot_files json)");
    else if (is(word, len, "POLICY"))
        allot__cli_puts(out, " (_allot_files lua) (_allot_policies)");
    else if (is(word, len, "TRACE"))
        allot__cli_puts(out, " (_allot_files swf gz jsonl)");
    else if (is(word, len, "FILE"))
        allot__cli_puts(out, " (__fish_complete_path)");
    else if (is(word, len, "DIR"))
        allot__cli_puts(out, " (__fish_complete_directories)");
    else if (is(word, len, "VERB"))
        allot__cli_puts(out, " (_allot_verbs)");
    else if (is(word, len, "TOPIC"))
        allot__cli_puts(out, " (_allot_topics)");
    else if (word[0] >= 'a' && word[0] <= 'z')
        allot__cli_printf(out, " %.*s", (int)len, word);
}

static void put_alternatives(allot__text *out, const char *words, size_t len)
{
    const char *end = words + len;
    allot__cli_puts(out, " -x -a '");
    while (words < end) {
        size_t one = strcspn(words, "| .");
        if (one > (size_t)(end - words))
            one = (size_t)(end - words);
        put_offer(out, words, one);
        words += one + strspn(words + one, "|.");
        if (words < end && *words == ' ')
            break;
    }
    allot__cli_puts(out, "'");
}

static void put_options(allot__text *out, const allot__verb *verb, const char *when)
{
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        if (!allot__cli_knows(verb, row))
            continue;
        allot__word argument = allot__cli_argument(verb, row);
        allot__cli_printf(out, "complete -c allot -n '%s' -l %s", when, row->name);
        if (row->letter != '\0')
            allot__cli_printf(out, " -s %c", row->letter);
        if (argument.len > 0)
            put_alternatives(out, argument.at, (size_t)argument.len);
        allot__cli_puts(out, " -d ");
        put_quoted(out, row->help);
        allot__cli_puts(out, "\n");
    }
}

/* One line of all operands: fish does not tell which of them it is. */
static void put_verb(allot__text *out, const allot__verb *verb)
{
    allot__text operands = {.engine = out->engine};
    allot__cli_printf(out, "complete -c allot -n __fish_use_subcommand -a %s -d ", verb->name);
    put_quoted(out, verb->summary);
    allot__cli_puts(out, "\n");
    allot__complete_operands(&operands, verb);
    for (size_t i = 0; i < operands.len; i++)
        if (operands.bytes[i] == ' ')
            operands.bytes[i] = '|';
    allot__cli_add(&operands, "", 1);
    if (!operands.failed && operands.len > 1) {
        allot__cli_printf(out, "complete -c allot -n '__fish_seen_subcommand_from %s'", verb->name);
        put_alternatives(out, operands.bytes, operands.len - 1);
        allot__cli_puts(out, "\n");
    }
    out->failed |= operands.failed;
    allot__cli_text_free(&operands);
}

/* fish's own __fish_complete_suffix offers every file, those wanted first. */
static const char files[] = "function _allot_files\n"
                            "    set -l token (commandline -ct)\n"
                            "    set -l found $token*/\n"
                            "    for suffix in $argv\n"
                            "        set -a found $token*.$suffix\n"
                            "    end\n"
                            "    string join \\n -- $found\n"
                            "end\n";

static void put_function(allot__text *out, const char *name, const char *words, size_t len)
{
    allot__cli_printf(out, "function %s\n    string split ' ' '", name);
    allot__cli_add(out, words, len);
    allot__cli_puts(out, "'\nend\n");
}

void allot__complete_fish(allot__text *out, const allot__verb *verbs, const allot__text *topics)
{
    allot__text policies = {.engine = out->engine}, names = {.engine = out->engine};
    allot__complete_policies(&policies);
    for (const allot__verb *verb = verbs; verb->name; verb++)
        allot__cli_printf(&names, "%s%s", verb > verbs ? " " : "", verb->name);
    allot__cli_puts(out, "# Completion of `allot` for fish: put it as allot.fish into\n"
                         "# ~/.config/fish/completions\n\n");
    put_function(out, "_allot_policies", policies.bytes, policies.len);
    put_function(out, "_allot_verbs", names.bytes, names.len);
    put_function(out, "_allot_topics", topics->bytes, topics->len);
    allot__cli_puts(out, files);
    allot__cli_puts(out, "\ncomplete -c allot -f\n");
    put_options(out, NULL, "__fish_use_subcommand");
    for (const allot__verb *verb = verbs; verb->name; verb++) {
        char when[64] = "__fish_seen_subcommand_from ";
        strncat(when, verb->name, sizeof when - strlen(when) - 1);
        put_verb(out, verb);
        put_options(out, verb, when);
    }
    out->failed |= policies.failed || names.failed;
    allot__cli_text_free(&policies);
    allot__cli_text_free(&names);
}
