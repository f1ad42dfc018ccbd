/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* replay.c: the verb `replay`: computes a service's record again, perhaps by another policy. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <allot/service.h>

#include "cli/diff/diff.h"

typedef struct replay {
    allot__cli *cli;
    const char *store, *policy; /* policy NULL: none */
    int64_t cycles, decisions, first, last;
    /* Cycles of one plan, by both policies. */
    allot__diff_side sides[2];
    allot__diff_sums sums;
    bool open; /* sums are gathered */
    int stretches, differing;
    bool diverged;
    bool failed;
} replay;

/* ---- The first that differs ------------------------------------------------------------------ */

/* For people a document is a text, compared byte by byte. */
static void put_document(const replay *it, const char *text, size_t len)
{
    allot__text *out = &it->cli->out;
    if (!text)
        allot__text_puts(out, "null");
    else if (it->cli->options.json)
        allot__text_add(out, text, len);
    else
        allot__text_json_len(out, text, len);
}

static void put_difference(replay *it, const allot_replayed *cycle)
{
    allot__text *out = &it->cli->out;
    allot__text_printf(out,
                       "{\"cycle\": %" PRId64 ", \"seq\": %" PRId64 ", \"now\": %" PRId64
                       ", \"what\": \"%s\",\n \"recorded\": ",
                       cycle->cycle, cycle->seq, cycle->at, cycle->differs);
    put_document(it, cycle->recorded, cycle->recorded_len);
    allot__text_puts(out, ",\n \"computed\": ");
    put_document(it, cycle->computed, cycle->computed_len);
    allot__text_puts(out, "}");
}

/* ---- Two policies ---------------------------------------------------------------------------- */

static int open_stretch(replay *it, const allot_replayed *cycle)
{
    it->sides[0] = (allot__diff_side){.plan = it->store};
    it->sides[1] = (allot__diff_side){.plan = it->store, .policy = it->policy};
    it->sides[0].docs.plan = (allot_plan *)allot_decision_plan(cycle->decision);
    it->sides[1].docs.plan = (allot_plan *)allot_decision_plan(cycle->other);
    int code = allot__sums_new(it->cli, it->sides, &it->sums);
    it->open = code == CLI_DONE;
    it->stretches += it->open;
    return code;
}

static void close_stretch(void *ud)
{
    replay *it = ud;
    allot__text *out = &it->cli->out;
    if (!it->open)
        return;
    allot__sums_sort(&it->sums);
    it->differing += it->sums.differ > 0;
    it->failed = it->failed || it->sums.failed;
    allot__text_puts(out, it->stretches > 1 ? ",\n{\"a\": " : "\n{\"a\": ");
    allot__diff_json_side(out, &it->sides[0]);
    allot__text_puts(out, ",\n \"b\": ");
    allot__diff_json_side(out, &it->sides[1]);
    allot__text_puts(out, ",\n \"summary\": ");
    allot__diff_json_sums(out, &it->sums, it->sides, !it->cli->options.json);
    allot__text_puts(out, "}");
    allot__sums_free(&it->sums);
    it->open = false;
}

static int add(replay *it, const allot_replayed *cycle)
{
    char name[64];
    allot_diff *diff;
    if (!it->open && open_stretch(it, cycle) != CLI_DONE)
        return ALLOT_ENOMEM;
    snprintf(name, sizeof name, "cycle %" PRId64, cycle->cycle);
    int status = allot_diff_new(cycle->decision, cycle->other, 0, &diff);
    if (status != ALLOT_OK)
        return status;
    allot__sums_add(&it->sums, diff, name);
    allot_diff_free(diff);
    return ALLOT_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int on_cycle(void *ud, const allot_replayed *cycle)
{
    replay *it = ud;
    if (cycle->differs) {
        it->diverged = true;
        close_stretch(it);
        allot__text_puts(&it->cli->out,
                         it->policy ? "],\n\"difference\": " : ",\n\"difference\": ");
        put_difference(it, cycle);
        return 0;
    }
    it->cycles++;
    if (cycle->recorded) {
        it->first = it->decisions == 0 ? cycle->seq : it->first;
        it->last = cycle->seq;
        it->decisions++;
    }
    return cycle->other ? add(it, cycle) : ALLOT_OK;
}

static void put_begin(replay *it)
{
    allot__text_puts(&it->cli->out, "{\"schema\": \"allot/replay/v1\",\n\"store\": ");
    allot__text_json(&it->cli->out, it->store);
    allot__text_puts(&it->cli->out, it->policy ? ",\n\"plans\": [" : "");
}

static void put_end(replay *it)
{
    allot__text *out = &it->cli->out;
    if (!it->diverged)
        allot__text_puts(out, it->policy ? "],\n\"difference\": null" : ",\n\"difference\": null");
    allot__text_printf(
        out, ",\n\"cycles\": %" PRId64 ", \"decisions\": %" PRId64 ", \"same\": %s,\n", it->cycles,
        it->decisions, it->diverged || it->differing > 0 ? "false" : "true");
    if (!it->cli->options.json)
        allot__text_printf(out, "\"first\": %" PRId64 ", \"last\": %" PRId64 ",\n", it->first,
                           it->last);
    allot__text_puts(out, "\"warnings\": ");
    allot__cli_warnings_json(it->cli->report, out);
    allot__text_puts(out, "}\n");
}

static int take_options(replay *it, allot_replay_config *config)
{
    const allot__options *options = &it->cli->options;
    allot_replay_config_init(config);
    allot__cli_trace(it->cli, &config->limits);
    config->store = it->store;
    config->plan = options->plan;
    config->to = options->last;
    if (options->policies.count > 1)
        return allot__cli_fail(
            it->cli, CLI_USAGE, "E-usage", NULL,
            "replay takes one --policy: it is compared with the one that decided");
    it->policy = options->policies.count > 0 ? options->policies.items[0] : NULL;
    if (options->from) {
        char *end;
        long long from = strtoll(options->from, &end, 10);
        if (*end != '\0' || end == options->from || from < 1)
            return allot__cli_fail(it->cli, CLI_USAGE, "E-usage", NULL,
                                   "--from is the number of a decision, not \"%.100s\"",
                                   options->from);
        config->from = from;
    }
    return CLI_DONE;
}

/* A policy's file is relative to the current directory, not to the plan. The loader takes only
 * absolute paths as they are. */
static int find_policy(replay *it, allot_replay_config *config, char **path)
{
    config->policy = it->policy;
    if (!it->policy || !allot__cli_ends_in(it->policy, ".lua"))
        return CLI_DONE;
    *path = realpath(it->policy, NULL);
    if (!*path)
        return allot__cli_fail(it->cli, CLI_IO, "E-io", NULL, "cannot read the policy %.300s",
                               it->policy);
    config->policy = *path;
    return CLI_DONE;
}

int allot__cli_replay(allot__cli *cli)
{
    replay it = {.cli = cli, .store = cli->operands[0]};
    allot_replay_config config;
    const allot_replay_visitor visitor = {&it, on_cycle, close_stretch};
    char *path = NULL;
    int code = take_options(&it, &config);
    if (code == CLI_DONE)
        code = find_policy(&it, &config, &path);
    if (code == CLI_DONE) {
        put_begin(&it);
        int status = allot_service_replay(cli->engine, &config, &visitor, cli->report);
        status = it.failed ? ALLOT_ENOMEM : status;
        code = status == ALLOT_ENOENT ? CLI_INVALID : allot__cli_status(cli, status);
    }
    free(path);
    if (code != CLI_DONE)
        return code;
    put_end(&it);
    return allot__cli_show(cli, it.diverged || it.differing > 0 ? CLI_NO : CLI_DONE, "text.replay");
}
