/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reload_tell.c: the least that a reload takes, and the measurements, printed. */
#include <inttypes.h>

#include "bench/reload.h"

/* ---- The least that it takes ----------------------------------------------------------------- */

int allot__reload_bare(reload *it)
{
    allot__cli *cli = it->cli;
    allot__text text = {.engine = cli->engine};
    allot_policy_loader loader = {0};
    allot_plan *plan = NULL;
    allot_state *state = NULL;
    allot_decision *decision = NULL;
    allot__serve_plan(&text, "fair.lua", 0);
    double began = allot__bench_clock();
    int status = text.failed ? ALLOT_ENOMEM : allot_script_loader_new(cli->engine, NULL, &loader);
    if (status == ALLOT_OK)
        status = allot_plan_read(cli->engine, text.bytes, text.len, it->child.plan, &loader,
                                 cli->report, &plan);
    it->read = allot__bench_clock() - began;
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    for (int32_t i = 0; status == ALLOT_OK && i < allot_plan_consumers(plan); i++)
        if (allot_plan_children(plan, i) == 0)
            status = allot_state_demand(state, 0, i, 1 + i % (2 * SERVE_OWNED));
    if (status == ALLOT_OK)
        status = allot_state_seal(state, cli->report);
    began = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_cycle(plan, state, cli->report, &decision);
    it->cycle = allot__bench_clock() - began;
    allot_decision_free(decision);
    allot_state_free(state);
    allot_plan_free(plan);
    if (loader.load)
        allot_script_loader_free(cli->engine, &loader);
    allot__text_free(&text);
    return allot__cli_status(cli, status);
}

/* ---- The result ------------------------------------------------------------------------------ */

static void put_away(allot__text *out, const reload_edits *of)
{
    allot__text_printf(out, "the loop is away for at most %.1f ms, and computes %.1f", of->away,
                       of->busy);
}

static void put_edits(allot__text *out, const char *what, const reload_edits *of)
{
    allot__text_printf(out, "%-16s decides after %.0f ms, at most %.0f; ", what,
                       of->decides[of->count / 2], of->decides[of->count - 1]);
    put_away(out, of);
    allot__text_printf(out, ", %.1f to swap\n", of->swap);
}

static void put_text(const reload *it, allot__text *out)
{
    allot__text_printf(out,
                       "%d consumers, %" PRId64 " tasks, %" PRId64
                       " reclaims in flight, %d events a second; each edited %" PRId64 " times\n\n",
                       RELOAD_LEAVES, it->tasks, it->flights, RELOAD_RATE, it->wanted);
    allot__text_printf(out, "%-16s ", "nothing edited");
    put_away(out, &it->calm);
    allot__text_puts(out, "\n");
    put_edits(out, "policy edited", &it->policy);
    put_edits(out, "plan edited", &it->plan);
    allot__text_printf(
        out,
        "%-16s reading plan and policy %.1f ms, a cycle %.1f ms; files are to be quiet "
        "for 150 ms\n",
        "bare limits", it->read * 1e3, it->cycle * 1e3);
}

static void put_edits_json(allot__text *out, const char *name, const reload_edits *of)
{
    allot__text_printf(out, ",\n\"%s\": {\"count\": %d, ", name, of->count);
    if (of->count > 0)
        allot__text_printf(out,
                           "\"decides_ms\": {\"p50\": %.3f, \"max\": %.3f}, \"swap_ms\": %.3f, ",
                           of->decides[of->count / 2], of->decides[of->count - 1], of->swap);
    allot__text_printf(out, "\"away_ms\": %.3f, \"busy_ms\": %.3f}", of->away, of->busy);
}

static void put_json(const reload *it, allot__text *out)
{
    allot__text_printf(
        out,
        "{\"schema\": \"allot/bench-reload/v1\", \"version\": \"%s\", \"consumers\": "
        "%d, \"tasks\": %" PRId64 ", \"reclaims\": %" PRId64 ", \"rate\": %d",
        allot_version(), RELOAD_LEAVES, it->tasks, it->flights, RELOAD_RATE);
    put_edits_json(out, "none", &it->calm);
    put_edits_json(out, "policy", &it->policy);
    put_edits_json(out, "plan", &it->plan);
    allot__text_printf(
        out, ",\n\"limits\": {\"read_ms\": %.3f, \"cycle_ms\": %.3f, \"quiet_ms\": 150}}\n",
        it->read * 1e3, it->cycle * 1e3);
}

void allot__reload_tell(const reload *it, allot__text *out)
{
    if (it->cli->options.json)
        put_json(it, out);
    else
        put_text(it, out);
}
