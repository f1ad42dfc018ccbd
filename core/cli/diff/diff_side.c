/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff_side.c: one side of a comparison: a plan, or a policy that stands in one, at some time. */
#include "cli/diff/diff.h"

#include <string.h>
#include <unistd.h>

static bool ends_in_lua(const char *word)
{
    size_t len = strlen(word);
    return len > 4 && strcmp(word + len - 4, ".lua") == 0;
}

/* ---- The policy that stands in --------------------------------------------------------------- */

/* A file of the command line is relative to where the command runs, not to the plan. */
static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    allot__diff_side *side = ud;
    if (use != side->policy || !ends_in_lua(use))
        return side->loader.load(side->loader.ud, engine, use, plan_file, options, count, out,
                                 report);
    allot__text text = {0};
    int status = ALLOT_EIO;
    if (allot__cli_read(side->cli, use, &text) == CLI_DONE)
        status =
            allot_script_load(engine, text.bytes, text.len, use, options, count, NULL, report, out);
    allot__text_free(&text);
    return status;
}

static int zone(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                allot_report *report)
{
    const allot__diff_side *side = ud;
    return side->loader.zone(side->loader.ud, engine, name, data, len, report);
}

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

/* What the report of one side says and the other has not. */
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

bool allot__diff_side_is_live(const allot__diff_side *side)
{
    return side->live && side->plan == side->live->file.bytes;
}

/* "plan.json@next": a file of that very name is no time. "@next" is the live plan. */
static int split(allot__cli *cli, allot__diff_side *side)
{
    const char *at = strrchr(side->word, '@');
    bool timed = at != NULL && (at > side->word || side->live) && access(side->word, F_OK) != 0;
    size_t len = timed ? (size_t)(at - side->word) : strlen(side->word);
    side->size = len + 1;
    side->what = allot_engine_alloc(cli->engine, NULL, 0, side->size);
    if (!side->what)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    memcpy(side->what, side->word, len);
    side->what[len] = '\0';
    if (side->word[len] == '@')
        side->at = at + 1;
    if (len == 0 && side->live) {
        side->plan = side->live->file.bytes;
        return CLI_DONE;
    }
    bool there = access(side->what, F_OK) == 0 || strcmp(side->what, "-") == 0;
    if (!there && !strpbrk(side->what, "./") && !allot_ready_policy_text(side->what, NULL)) {
        allot_policy *none = NULL; /* the loader says which there are */
        side->files.load(side->files.ud, cli->engine, side->what, NULL, NULL, 0, &none,
                         cli->report);
        return CLI_INVALID;
    }
    if (ends_in_lua(side->what) || (!there && allot_ready_policy_text(side->what, NULL)))
        side->policy = side->what;
    else
        side->plan = side->what;
    return CLI_DONE;
}

/* A policy stands in the plan of --plan, in the other side's, or in the live one. */
static int find_plans(allot__cli *cli, allot__diff_side sides[2])
{
    const char *plan = cli->options.plan;
    if (plan && !sides[0].policy && !sides[1].policy)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "--plan is only for policies, but %.100s and %.100s are plans",
                               sides[0].what, sides[1].what);
    for (int i = 0; i < 2; i++)
        if (sides[i].policy)
            sides[i].plan = plan ? plan : sides[!i].plan;
    for (int i = 0; i < 2 && sides[0].live; i++)
        if (!sides[i].plan)
            sides[i].plan = sides[i].live->file.bytes;
    if (!sides[0].plan)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", "--plan PLAN names it",
                               "%.100s and %.100s are policies, and need a plan to decide in",
                               sides[0].what, sides[1].what);
    return CLI_DONE;
}

static int open_side(allot__cli *cli, allot__diff_side *side, const allot__text *text,
                     const char *path)
{
    (void)text;
    (void)path;
    bool live = allot__diff_side_is_live(side);
    allot__text read = {0};
    int code = live ? CLI_DONE : allot__cli_read(cli, side->plan, &read);
    const allot__text *document = live ? &side->live->plan : &read;
    side->loader = live ? allot__remote_loader(side->live, &side->files) : side->files;
    allot_policy_loader loader = {.ud = side,
                                  .load = load,
                                  .zone = zone,
                                  .instead = side->policy ? side->policy : side->loader.instead};
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_plan_read(cli->engine, document->bytes, document->len,
                                                      allot__cli_file_name(side->plan), &loader,
                                                      cli->report, &side->docs.plan));
    allot__text_free(&read);
    return code;
}

/* Beside a service a single word is B, and A is what is live. */
static const char *word_of(const allot__cli *cli, const allot__remote *live, int side)
{
    int missing = live ? 2 - cli->operand_count : 0;
    return side < missing ? "" : cli->operands[side - missing];
}

int allot__sides_open(allot__cli *cli, allot__remote *live, allot__diff_side sides[2])
{
    for (int i = 0; i < 2; i++)
        sides[i] = (allot__diff_side){.word = word_of(cli, live, i), .live = live, .cli = cli};
    for (int i = 0; i < 2; i++) {
        int status = allot_script_loader_new(cli->engine, NULL, &sides[i].files);
        if (status != ALLOT_OK)
            return allot__cli_status(cli, status);
        int code = split(cli, &sides[i]);
        if (code != CLI_DONE)
            return code;
        if (strcmp(sides[i].what, "-") == 0)
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                                   "standard input (\"-\") can only be a state");
    }
    int code = find_plans(cli, sides);
    return code == CLI_DONE ? each(cli, sides, open_side, NULL, NULL) : code;
}

void allot__diff_side_close(allot__cli *cli, allot__diff_side *side)
{
    allot__cli_forget(&side->docs);
    allot_plan_free(side->docs.plan);
    allot_script_loader_free(cli->engine, &side->files);
    if (side->what)
        allot_engine_alloc(cli->engine, side->what, side->size, 0);
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
