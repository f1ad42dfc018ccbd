/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * simulate_json.c: results of simulations as a document, with exact numbers.
 * lua/allot/text/simulate.lua makes text and CSV of it.
 */
#include "cli/simulate/simulate.h"

#include <inttypes.h>
#include <string.h>

/* ---- Columns --------------------------------------------------------------------------------- */

typedef struct column {
    const char *name;
    size_t at; /* in allot_figures */
    bool real; /* a double; else int64_t */
} column;

#define COUNT(name)                                                                                \
    {                                                                                              \
#name, offsetof(allot_figures, name), false                                                \
    }
#define REAL(text, name)                                                                           \
    {                                                                                              \
        text, offsetof(allot_figures, name), true                                                  \
    }
#define SPREAD(name)                                                                               \
    REAL(#name "_mean", name.mean), REAL(#name "_p50", name.p50), REAL(#name "_p95", name.p95),    \
        REAL(#name "_p99", name.p99), REAL(#name "_most", name.most)

static const column columns[] = {
    COUNT(jobs),
    COUNT(ended),
    COUNT(killed),
    COUNT(refused),
    COUNT(unfinished),
    COUNT(busy),
    COUNT(useful),
    COUNT(lost),
    COUNT(open),
    COUNT(gathered),
    COUNT(offered),
    REAL("utilisation", utilisation),
    REAL("goodput", goodput),
    SPREAD(wait),
    SPREAD(slowdown),
    COUNT(preemptions),
    COUNT(preempted_jobs),
    COUNT(reclaims),
    COUNT(reclaimed),
    REAL("fairness", fairness),
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_members(const allot__sim *sim, const allot_figures *figures, allot__text *out)
{
    for (int i = 0; i < COLUMNS; i++) {
        const char *at = (const char *)figures + columns[i].at;
        allot__text_printf(out, "%s\"%s\": ", i > 0 ? ", " : "", columns[i].name);
        if (columns[i].real)
            allot__text_printf(out, sim->cli->options.json ? "%.9g" : "%.17g",
                               *(const double *)(const void *)at);
        else
            allot__text_printf(out, "%" PRId64, *(const int64_t *)(const void *)at);
    }
}

/* What use is compared with (C-14), in plans that count it and have one group. */
static void put_planned(const allot_plan *plan, int32_t consumer, allot__text *out)
{
    allot_decay decay;
    if (allot_plan_decay_get(plan, &decay) == ALLOT_OK && allot_plan_groups(plan) == 1)
        ALLOT__MEMBERS(out, "owned share",
                       allot_policy_owns(allot_plan_group_policy(plan, 0))
                           ? allot_plan_get(plan, 0, consumer, ALLOT_OWNED)
                           : 0,
                       allot_plan_get(plan, 0, consumer, ALLOT_SHARE));
}

/* The consumers that are shown: those of the first level, with --all all. */
static int put_consumers(const allot__sim *sim, const allot__sim_run *run, allot__text *out)
{
    const char *between = "\n    {\"path\": ";
    int status = ALLOT_OK;
    for (int32_t i = allot_plan_next(run->docs.plan, ALLOT_ROOT); status == ALLOT_OK && i >= 0;
         i = allot_plan_next(run->docs.plan, i)) {
        allot_figures figures;
        if (!sim->cli->options.all && allot_plan_depth(run->docs.plan, i) > 0)
            continue;
        status = allot_simulation_figures(run->simulation, i, &figures);
        allot__text_puts(out, between);
        allot__text_json_path(out, run->docs.plan, i);
        allot__text_puts(out, ", ");
        if (status == ALLOT_OK)
            put_members(sim, &figures, out);
        put_planned(run->docs.plan, i, out);
        allot__text_puts(out, "}");
        between = ",\n    {\"path\": ";
    }
    return status;
}

static void put_counts(const allot_simulation_counts *it, allot__text *out)
{
    allot__text_puts(out, "\"counts\": {");
    ALLOT__MEMBERS(out, "events arrivals starts ends kills suspends resumes reclaims changes",
                   it->events, it->arrivals, it->starts, it->ends, it->kills, it->suspends,
                   it->resumes, it->reclaims, it->changes);
    ALLOT__MEMBERS(out, "instants cycles with_tasks unsettled left_out outside first last",
                   it->instants, it->cycles, it->with_tasks, it->unsettled, it->left_out,
                   it->outside, it->first, it->last);
    allot__text_bool(out, "stopped", it->stopped);
    allot__text_puts(out, "}");
}

int allot__sim_result(const allot__sim *sim, allot__sim_run *run)
{
    allot__text *out = &run->result;
    const allot_policy *policy = allot_plan_group_policy(run->docs.plan, 0);
    allot__text_puts(out, "{\n  \"name\": ");
    allot__text_json(out, run->name.bytes);
    allot__text_puts(out, ", \"plan\": ");
    allot__text_json(out, run->plan_file);
    allot__text_puts(out, ", \"policy\": {\"name\": ");
    allot__text_json(out, allot_policy_name(policy));
    allot__text_puts(out, ", \"sha256\": ");
    allot__text_json(out, allot_policy_sha256(policy));
    allot__text_puts(out, "},\n  ");
    put_counts(&run->counts, out);
    allot__text_puts(out, ",\n  \"figures\": {");
    put_members(sim, &run->figures, out);
    allot__text_puts(out, "},\n  \"consumers\": [");
    int status = put_consumers(sim, run, out);
    allot__text_puts(out, "]}");
    return out->failed ? ALLOT_ENOMEM : status;
}

void allot__sim_json(const allot__sim *sim)
{
    allot__text *out = &sim->cli->out;
    allot__text_puts(out, "{\"schema\": \"allot/simulation/v1\",\n\"trace\": {\"file\": ");
    allot__text_json(out, allot_trace_file(sim->trace));
    allot__text_printf(out, ", \"records\": %" PRId32 ", \"others\": %" PRId32 "},\n\"runs\": [",
                       allot_trace_records(sim->trace), allot_trace_others(sim->trace));
    for (int32_t i = 0; i < sim->played; i++) {
        allot__text_puts(out, i > 0 ? ", " : "");
        allot__text_add(out, sim->runs[i].result.bytes, sim->runs[i].result.len);
    }
    allot__text_puts(out, "],\n\"warnings\": ");
    allot__cli_warnings_json(sim->cli->report, out);
    allot__text_puts(out, "}\n");
}
