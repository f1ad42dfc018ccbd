/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* complete.c: the verb `completion`: scripts for shells, made from the tables of verbs and options.
 */
#include "cli/author/complete.h"

#include <string.h>

void allot__complete_operands(allot__text *out, const allot__verb *verb)
{
    for (const char *at = verb->operands; *at != '\0'; at++)
        if (*at != '[' && *at != ']')
            allot__cli_add(out, at, 1);
}

void allot__complete_policies(allot__text *out)
{
    for (int32_t i = 0; i < allot_ready_policies(); i++)
        allot__cli_printf(out, "%s%s", i > 0 ? " " : "", allot_ready_policy_name(i));
}

static void put_options(allot__text *out, const allot__verb *verb)
{
    const char *before = "";
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        if (!allot__cli_knows(verb, row))
            continue;
        allot__word argument = allot__cli_argument(verb, row);
        allot__cli_puts(out, before);
        if (row->letter != '\0')
            allot__cli_printf(out, "-%c,", row->letter);
        allot__cli_printf(out, "--%s", row->name);
        if (argument.len > 0)
            allot__cli_printf(out, "=%.*s", argument.len, argument.at);
        before = " ";
    }
}

/* `name` () with a case for each verb, of which `put` says the words. */
static void put_cases(allot__text *out, const allot__verb *verbs, const char *name,
                      void (*put)(allot__text *out, const allot__verb *verb))
{
    allot__cli_printf(out, "%s() {\n    case $1 in\n", name);
    for (const allot__verb *verb = verbs; verb->name; verb++) {
        allot__cli_printf(out, "    %s) echo '", verb->name);
        put(out, verb);
        allot__cli_puts(out, "' ;;\n");
    }
    if (put == put_options) {
        allot__cli_puts(out, "    *) echo '");
        put_options(out, NULL);
        allot__cli_puts(out, "' ;;\n");
    }
    allot__cli_puts(out, "    esac\n}\n\n");
}

/* What both shells take: one word a line, since zsh does not split what is not quoted. */
static const char argument[] =
    "# What the option $2 of the verb $1 takes; fails where it takes nothing.\n"
    "_allot_argument() {\n"
    "    local each name\n"
    "    while IFS= read -r each; do\n"
    "        name=${each%%=*}\n"
    "        if [ \"$name\" != \"$each\" ]; then\n"
    "            case \",$name,\" in *\",$2,\"*) echo \"${each#*=}\"; return 0 ;; esac\n"
    "        fi\n"
    "    done <<.\n"
    "$(_allot_options \"$1\" | tr ' ' '\\n')\n"
    ".\n"
    "    return 1\n"
    "}\n\n";

void allot__complete_tables(allot__text *out, const allot__verb *verbs, const allot__text *topics)
{
    allot__cli_puts(out, "_allot_verbs() { echo '");
    for (const allot__verb *verb = verbs; verb->name; verb++)
        allot__cli_printf(out, "%s%s", verb > verbs ? " " : "", verb->name);
    allot__cli_puts(out, "'; }\n_allot_policies() { echo '");
    allot__complete_policies(out);
    allot__cli_puts(out, "'; }\n_allot_topics() { echo '");
    allot__cli_add(out, topics->bytes, topics->len);
    allot__cli_puts(out, "'; }\n\n");
    put_cases(out, verbs, "_allot_operands", allot__complete_operands);
    put_cases(out, verbs, "_allot_options", put_options);
    allot__cli_puts(out, argument);
}

int allot__cli_completion(allot__cli *cli)
{
    static const struct {
        const char *name;
        void (*put)(allot__text *out, const allot__verb *verbs, const allot__text *topics);
    } shells[] = {
        {"bash", allot__complete_bash},
        {"zsh", allot__complete_zsh},
        {"fish", allot__complete_fish},
    };
    allot__text topics = {.engine = cli->engine};
    int code = allot__cli_topics(cli, &topics);
    for (size_t i = 0; code == CLI_DONE && i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(cli->operands[0], shells[i].name) != 0)
            continue;
        shells[i].put(&cli->out, cli->verbs, &topics);
        allot__cli_text_free(&topics);
        return CLI_DONE;
    }
    allot__cli_text_free(&topics);
    return code != CLI_DONE ? code
                            : allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                                              "completion is for bash, zsh or fish, not \"%.100s\"",
                                              cli->operands[0]);
}
