/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate_text.c: what simulations came to, for people: figures side by side, then consumers. */
#include "cli/simulate/simulate.h"
#include "cli/term/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL 24

/* ---- Figures side by side -------------------------------------------------------------------- */

typedef struct figure {
    const char *label;
    const char *unit;
    int decimals;
    bool always; /* also if all of it is 0 */
    double (*of)(const allot_figures *figures);
} figure;

#define FIGURE(name, value)                                                                        \
    static double name(const allot_figures *it)                                                    \
    {                                                                                              \
        return (double)(value);                                                                    \
    }

FIGURE(ended, it->ended)
FIGURE(killed, it->killed)
FIGURE(refused, it->refused)
FIGURE(unfinished, it->unfinished)
FIGURE(utilisation, it->utilisation * 100)
FIGURE(goodput, it->goodput * 100)
FIGURE(wait_mean, it->wait.mean)
FIGURE(wait_p50, it->wait.p50)
FIGURE(wait_p95, it->wait.p95)
FIGURE(wait_p99, it->wait.p99)
FIGURE(slowdown_mean, it->slowdown.mean)
FIGURE(slowdown_p50, it->slowdown.p50)
FIGURE(slowdown_p95, it->slowdown.p95)
FIGURE(slowdown_p99, it->slowdown.p99)
FIGURE(preemptions, it->preemptions)
FIGURE(preempted_jobs, it->preempted_jobs)
FIGURE(lost, it->lost)
FIGURE(gathered, it->gathered)
FIGURE(fairness, it->fairness)

static const figure figures[] = {
    {"jobs that ended", "", 0, true, ended},
    {"jobs killed", "", 0, false, killed},
    {"jobs refused", "", 0, false, refused},
    {"jobs unfinished", "", 0, false, unfinished},
    {"utilisation", "%", 1, true, utilisation},
    {"goodput", "%", 1, true, goodput},
    {"wait, mean", "s", 0, true, wait_mean},
    {"wait, p50", "s", 0, true, wait_p50},
    {"wait, p95", "s", 0, true, wait_p95},
    {"wait, p99", "s", 0, true, wait_p99},
    {"slowdown, mean", "", 2, true, slowdown_mean},
    {"slowdown, p50", "", 2, true, slowdown_p50},
    {"slowdown, p95", "", 2, true, slowdown_p95},
    {"slowdown, p99", "", 2, true, slowdown_p99},
    {"slots preempted", "", 0, true, preemptions},
    {"jobs preempted", "", 0, true, preempted_jobs},
    {"slot-seconds lost", "", 0, true, lost},
    {"slot-seconds gathered", "", 0, false, gathered},
    {"fairness (Jain)", "", 3, true, fairness},
    {NULL, NULL, 0, false, NULL},
};

/* "46.6 %", and behind it the difference from the first: "(+0.3)". */
static void put_value(const figure *figure, double value, double first, bool compares, char *buf)
{
    char number[CELL], more[CELL] = "";
    double step = pow(10, -figure->decimals) / 2, change = value - first;
    snprintf(number, sizeof number, "%.*f%s%s", figure->decimals, value,
             *figure->unit != '\0' ? " " : "", figure->unit);
    if (compares && fabs(change) >= step)
        snprintf(more, sizeof more, "(%+.*f)", figure->decimals, change);
    snprintf(buf, (size_t)2 * CELL, "%s%s%s", number, compares ? " " : "", more);
}

static bool says_something(const allot__sim *sim, const figure *figure)
{
    bool any = figure->always;
    for (int32_t i = 0; i < sim->played; i++)
        any = any || figure->of(&sim->runs[i].figures) != 0;
    return any;
}

static void cell_of(const allot__sim *sim, const figure *figure, int32_t run, char *buf)
{
    double value = figure->of(&sim->runs[run].figures), first = figure->of(&sim->runs[0].figures);
    put_value(figure, value, first, run > 0, buf);
}

/* Of as many simulations as have room, from `first` on; the others stand below. */
static void put_figures(const allot__sim *sim, int32_t first, allot__text *out)
{
    char buf[2 * CELL];
    int32_t end = sim->played - first < GRID_COLUMNS ? sim->played : first + GRID_COLUMNS - 1;
    allot__grid_column columns[GRID_COLUMNS] = {{"                     ", true, false, NULL}};
    allot__grid grid;
    for (int32_t i = first; i < end; i++)
        columns[i - first + 1].title = sim->runs[i].name;
    allot__grid_begin(&grid, out->engine, columns, end - first + 1);
    for (const figure *figure = figures; figure->label; figure++) {
        if (!says_something(sim, figure))
            continue;
        allot__grid_add(&grid, "%s", figure->label);
        for (int32_t i = first; i < end; i++) {
            cell_of(sim, figure, i, buf);
            allot__grid_add(&grid, "%s", buf);
        }
    }
    allot__grid_measure(&grid);
    allot__grid_put(&grid, out, false);
}

/* ---- Consumers ------------------------------------------------------------------------------- */

bool allot__sim_tells(const allot__sim *sim, const allot_plan *plan, int32_t consumer)
{
    return sim->cli->options.all || allot_plan_depth(plan, consumer) == 0;
}

static int path_width(const allot__sim *sim, const allot_plan *plan)
{
    int width = (int)strlen("consumer");
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i >= 0; i = allot_plan_next(plan, i)) {
        int len = allot__sim_tells(sim, plan, i) ? (int)allot_plan_path(plan, i, NULL, 0) : 0;
        width = len > width ? len : width;
    }
    return width < 60 ? width : 60;
}

static void put_consumer(const allot__sim_run *run, int32_t consumer, const allot_figures *it,
                         int width, allot__text *out)
{
    char path[300];
    allot_plan_path(run->plan, consumer, path, sizeof path);
    allot__text_printf(
        out, "%-*s %8" PRId64 " %6.1f %9.0f %9.0f %9.2f %9.2f %9" PRId64 " %12" PRId64 " %8.3f\n",
        width, path, it->jobs, it->utilisation * 100, it->wait.mean, it->wait.p95,
        it->slowdown.mean, it->slowdown.p95, it->preemptions, it->lost, it->fairness);
}

static int put_consumers(const allot__sim *sim, const allot__sim_run *run, allot__text *out)
{
    const allot_plan *plan = run->plan;
    int width = path_width(sim, plan);
    allot__text_printf(out, "\n%s\n%-*s %8s %6s %9s %9s %9s %9s %9s %12s %8s\n", run->name, width,
                       "consumer", "jobs", "busy %", "wait s", "p95", "slowdown", "p95",
                       "preempted", "lost", "fairness");
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i >= 0; i = allot_plan_next(plan, i)) {
        allot_figures of;
        if (!allot__sim_tells(sim, plan, i))
            continue;
        int status = allot_simulation_figures(run->simulation, i, &of);
        if (status != ALLOT_OK)
            return status;
        if (of.jobs > 0 || of.busy > 0)
            put_consumer(run, i, &of, width, out);
    }
    return ALLOT_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void put_head(const allot__sim *sim, allot__text *out)
{
    const allot_simulation_counts *counts = &sim->runs[0].counts;
    char from[40], to[40];
    const char *file = allot_trace_file(sim->trace);
    allot_time_text(counts->first, from, sizeof from);
    allot_time_text(counts->last, to, sizeof to);
    allot__text_puts_safe(out, file, strlen(file));
    allot__text_printf(out, ": %" PRId64 " jobs", counts->arrivals);
    if (counts->outside > 0)
        allot__text_printf(out, ", %" PRId64 " at other times", counts->outside);
    if (counts->left_out > 0)
        allot__text_printf(out, ", %" PRId64 " left out", counts->left_out);
    int64_t seconds = counts->last - counts->first, offered = sim->runs[0].figures.offered;
    allot__text_printf(out, "\n%s to %s, ", from, to);
    allot__text_printf(out, offered < INT64_MAX ? "" : "more than ");
    allot__text_printf(out, "%" PRId64 " slots on average\n\n",
                       seconds > 0 ? offered / seconds : 0);
}

int allot__sim_text(const allot__sim *sim, allot__text *out)
{
    int status = ALLOT_OK;
    put_head(sim, out);
    for (int32_t i = 0; i < sim->played; i += GRID_COLUMNS - 1)
        put_figures(sim, i, out);
    for (int32_t i = 0; i < sim->played && status == ALLOT_OK; i++)
        status = put_consumers(sim, &sim->runs[i], out);
    return status;
}
