/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff_side.c: one side of a comparison: a plan, perhaps with another policy, at some time. */
#include "cli/diff/diff.h"

#include <string.h>
#include <unistd.h>

/* ---- Reading both without saying things twice ------------------------------------------------ */

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b && strcmp(a, b) == 0);
}

static bool has(const allot_report *report, const allot_diagnostic *finding)
{
    for (int32_t i = 0; i < allot_report_count(report); i++) {
        const allot_diagnostic *it = allot_report_at(report, i);
        if (it->line == finding->line && it->col == finding->col &&
            is_same_text(it->code, finding->code) && is_same_text(it->file, finding->file) &&
            is_same_text(it->path, finding->path) && is_same_text(it->message, finding->message))
            return true;
    }
    return false;
}

/* Adds findings of one report that the other lacks. */
static void hand_on(allot_report *to, const allot_report *from)
{
    for (int32_t i = 0; i < allot_report_count(from); i++)
        if (!has(to, allot_report_at(from, i)))
            allot_report_add(to, allot_report_at(from, i));
}

typedef int step(allot__cli *cli, allot__diff_side *side, const allot__text *text,
                 const char *path);

/* Does a step of both sides, each with a report of its own. */
static int each(allot__cli *cli, allot__diff_side sides[2], step *take, const allot__text *text,
                const char *path)
{
    allot_report *whole = cli->report;
    int code = CLI_DONE;
    for (int i = 0; i < 2 && code == CLI_DONE; i++) {
        allot_report *own;
        int status = allot_report_new(cli->engine, &own);
        if (status != ALLOT_OK)
            return allot__cli_status(cli, status);
        cli->report = own;
        code = take(cli, &sides[i], text, path);
        cli->report = whole;
        hand_on(whole, own);
        allot_report_free(own);
    }
    return code;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* "plan.json@next": a file of that very name is no time. "@next" is the live plan. */
static int split(allot__cli *cli, allot__diff_side *side, const allot__remote *live)
{
    const char *word = side->word, *at = strrchr(word, '@');
    bool timed = at != NULL && (at > word || live) && access(word, F_OK) != 0;
    side->what.engine = cli->engine;
    allot__text_add(&side->what, word, timed ? (size_t)(at - word) : strlen(word));
    if (side->what.failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    const char *what = side->what.bytes;
    side->at = timed ? at + 1 : NULL;
    if (strcmp(what, "-") == 0)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "standard input (\"-\") can only be a state");
    if (*what == '\0' && live)
        side->plan = live->file.bytes;
    else if (allot__cli_ends_in(what, ".lua"))
        side->policy = what;
    else if (access(what, F_OK) == 0 || strpbrk(what, "./"))
        side->plan = what;
    else
        side->policy = what;
    return side->policy ? allot__cli_check_policy(cli, what) : CLI_DONE;
}

/* A policy is applied to --plan's plan, to the other side's, or to the live one. */
static int find_plans(allot__cli *cli, const allot__remote *live, allot__diff_side sides[2])
{
    const char *plan = cli->options.plan;
    if (plan && !sides[0].policy && !sides[1].policy)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "--plan is only for policies, but %.100s and %.100s are plans",
                               sides[0].what.bytes, sides[1].what.bytes);
    for (int i = 0; i < 2; i++)
        if (sides[i].policy)
            sides[i].plan = plan ? plan : sides[!i].plan;
    for (int i = 0; i < 2 && live; i++)
        if (!sides[i].plan)
            sides[i].plan = live->file.bytes;
    if (!sides[0].plan)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", "--plan PLAN names it",
                               "%.100s and %.100s are policies, and need a plan to decide in",
                               sides[0].what.bytes, sides[1].what.bytes);
    for (int i = 0; i < 2; i++)
        sides[i].is_live = live && sides[i].plan == live->file.bytes;
    return CLI_DONE;
}

static int open_side(allot__cli *cli, allot__diff_side *side, const allot__text *text,
                     const char *path)
{
    (void)text;
    (void)path;
    const allot__source source = {
        .file = side->plan, .live = side->is_live ? side->live : NULL, .policy = side->policy};
    return allot__cli_open_plan(cli, &source, &side->docs);
}

int allot__sides_open(allot__cli *cli, allot__remote *live, allot__diff_side sides[2])
{
    /* With a service a single word is B, and A is the live plan. */
    int code = CLI_DONE, missing = live ? 2 - cli->operand_count : 0;
    for (int i = 0; i < 2; i++)
        sides[i] =
            (allot__diff_side){.word = i < missing ? "" : cli->operands[i - missing], .live = live};
    for (int i = 0; i < 2 && code == CLI_DONE; i++)
        code = split(cli, &sides[i], live);
    if (code == CLI_DONE)
        code = find_plans(cli, live, sides);
    return code == CLI_DONE ? each(cli, sides, open_side, NULL, NULL) : code;
}

void allot__diff_side_close(allot__cli *cli, allot__diff_side *side)
{
    allot__cli_close(cli, &side->docs);
    allot__text_free(&side->what);
}

static int decide(allot__cli *cli, allot__diff_side *side, const allot__text *text,
                  const char *path)
{
    return allot__cli_decide_text(cli, text, path, "@", side->at, &side->docs);
}

int allot__sides_decide(allot__cli *cli, allot__diff_side sides[2], const allot__text *text,
                        const char *path)
{
    return each(cli, sides, decide, text, path);
}
