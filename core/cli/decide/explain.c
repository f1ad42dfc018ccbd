/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* explain.c: the verb `explain`: why a consumer gets its slots, why a task goes, why a job waits or
 * goes, and what a contract does. */
#include "cli/term/cli.h"

#include <string.h>

/* The operands; NULL: not given. */
typedef struct words {
    const char *plan, *state, *what;
} words;

static bool ends_in_json(const char *word)
{
    size_t len = strlen(word);
    return len > 5 && strcmp(word + len - 5, ".json") == 0;
}

/* Beside a service a single operand is a plan if it ends in .json. */
static words find_words(const allot__cli *cli)
{
    char **at = cli->operands, **end = at + cli->operand_count;
    words it = {0};
    if (!allot__cli_is_live(cli)) {
        it.plan = *at++;
        it.state = *at++;
    } else if (end - at == 2 || (end - at == 1 && ends_in_json(*at))) {
        it.plan = *at++;
    }
    it.what = at < end ? *at : NULL;
    return it;
}

int allot__cli_explain(allot__cli *cli)
{
    allot__documents docs;
    words it = find_words(cli);
    if (!it.what && !cli->options.at)
        return allot__cli_fail(
            cli, CLI_USAGE, "E-usage", "--at next explains the next switch of windows",
            "usage: allot explain %s PATH|TASK|JOB|LEASE, or --at TIME in its place",
            it.state ? "PLAN STATE" : "--socket ADDRESS [PLAN]");
    int code = allot__cli_decide(cli, it.plan, it.state, &docs);
    if (code == CLI_DONE && !it.what)
        code = allot__cli_preview(cli, &docs);
    else if (code == CLI_DONE)
        code = allot__cli_tool_about(cli, docs.decision, "text.explain", &it.what, 1);
    allot__cli_close(cli, &docs);
    return code;
}
