/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * diff_trace.c: a log in place of states: A plays it, and B decides about A's states.
 */
#include <string.h>

#include "cli/diff/diff.h"
#include "cli/simulate/simulate.h"

typedef struct watching {
    allot__cli *cli;
    allot__diff_side *other; /* B */
    const char *file;
    allot__diff_sums *sums;
    int64_t next; /* the time from which a state is compared */
} watching;

/* Has B decide about the state of A's decision. */
static int decide(const watching *it, const allot_state *met, allot_report *report)
{
    allot__documents *docs = &it->other->docs;
    int status = allot_state_copy(met, docs->plan, report, &docs->state);
    if (status == ALLOT_OK)
        status = allot_state_seal(docs->state, report);
    if (status == ALLOT_OK)
        status = allot_cycle(docs->plan, docs->state, report, &docs->decision);
    return status;
}

static int add(const watching *it, const allot_decision *a, int64_t now)
{
    allot_diff *diff = NULL;
    char when[40]; /* is the state's name */
    allot_time_text(now, when, sizeof when);
    int status = allot_diff_new(a, it->other->docs.decision, 0, &diff);
    if (status == ALLOT_OK)
        allot__sums_add(it->sums, diff, when);
    allot_diff_free(diff);
    return status;
}

/* An allot_watcher's `decided`. A state that is invalid for B ends the run with its faults. */
static int decided(void *ud, const allot_decision *decision, allot_report *report)
{
    watching *it = ud;
    int64_t now = allot_decision_now(decision);
    if (now < it->next)
        return ALLOT_OK;
    it->next = now + it->cli->options.interval;
    int status = decide(it, allot_decision_state(decision), report);
    if (status == ALLOT_OK)
        status = add(it, decision, now);
    allot__cli_forget(&it->other->docs);
    return status == ALLOT_ENOENT ? ALLOT_EINVALID : status;
}

static int play(watching *it, allot_simulation *simulation, const allot_trace *trace,
                allot_script_map *map)
{
    allot__cli *cli = it->cli;
    allot_watcher watcher = {.ud = it, .decided = decided};
    int status = allot_simulation_load(simulation, trace, map ? allot_script_map_record : NULL, map,
                                       cli->report);
    allot_simulation_watch(simulation, &watcher);
    if (status == ALLOT_OK)
        status = allot_simulation_run(simulation, cli->report);
    if (status == ALLOT_OK && it->sums->states == 0)
        return allot__cli_fail(cli, CLI_INVALID, "E-nothing", NULL,
                               "no job of %.200s takes part: nothing was compared", it->file);
    return allot__cli_status(cli, status);
}

int allot__diff_trace(allot__cli *cli, allot__diff_side sides[2], const char *path,
                      allot__diff_sums *sums)
{
    const allot_simulation_options options = {.rigid = cli->options.rigid, .always_tasks = 1};
    watching it = {cli, &sides[1], allot__cli_file_name(path), sums, INT64_MIN};
    allot_trace *trace = NULL;
    allot_script_map *map = NULL;
    allot_simulation *simulation = NULL;
    if (sides[0].at || sides[1].at)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "@TIME is only for states: a log has its own times");
    int code = allot__sim_read_trace(cli, path, &trace);
    if (code == CLI_DONE)
        code = allot__sim_read_map(cli, &map);
    if (code == CLI_DONE) {
        int status = allot_simulation_new(sides[0].docs.plan, &options, &simulation);
        code = status == ALLOT_EUSAGE
                   ? allot__cli_fail(cli, CLI_INVALID, "E-simulate", NULL,
                                     "%.200s cannot be simulated: it has lease contracts, or no "
                                     "consumer or queue that could get slots",
                                     sides[0].plan)
                   : allot__cli_status(cli, status);
    }
    if (code == CLI_DONE)
        code = play(&it, simulation, trace, map);
    allot_simulation_free(simulation);
    allot_script_map_free(map);
    allot_trace_free(trace);
    return code;
}
