/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate_run.c: one run of a simulation: reads its plan, perhaps with another policy, and plays
 * it with a display of progress. */
#include "base/report.h"
#include "cli/simulate/simulate.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Opening --------------------------------------------------------------------------------- */

/* The policy as named, its file's folder left out. */
static const char *policy_word(const char *policy)
{
    size_t start = strcspn(policy, ":");
    while (start > 0 && policy[start - 1] != '/')
        start--;
    return policy + start;
}

/* The policy; else the plan's file, if there are several plans, or its policy. */
static void name_run(const allot__sim *sim, allot__sim_run *run)
{
    const char *file = strrchr(run->plan_file, '/');
    file = file ? file + 1 : run->plan_file;
    bool json = allot__cli_ends_in(file, ".json");
    run->name.engine = run->result.engine = sim->cli->engine;
    if (run->policy)
        allot__text_puts(&run->name, policy_word(run->policy));
    else if (sim->count == 1)
        allot__text_puts(&run->name, allot_policy_name(allot_plan_group_policy(run->docs.plan, 0)));
    else
        allot__text_add(&run->name, file, strlen(file) - (json ? strlen(".json") : 0));
}

static int refuse_plan(const allot__sim *sim, const allot__sim_run *run)
{
    if (allot_plan_leases(run->docs.plan) > 0)
        return allot__cli_fail(sim->cli, CLI_INVALID, "E-simulate",
                               "take the contracts out of the plan",
                               "%.200s has lease contracts with another cluster, of which a log "
                               "says nothing",
                               run->plan_file);
    return allot__cli_fail(sim->cli, CLI_INVALID, "E-simulate", NULL,
                           "%.200s has no consumer or queue that could get slots", run->plan_file);
}

/* The policy's options stand behind a colon. */
static int open_plan(allot__cli *cli, allot__sim_run *run)
{
    allot__source source = {.file = run->plan_file};
    run->use.engine = cli->engine;
    if (run->policy) {
        size_t len = strcspn(run->policy, ":");
        allot__text_add(&run->use, run->policy, len);
        source.policy = run->use.bytes;
        source.options = run->policy[len] == ':' ? run->policy + len + 1 : NULL;
    }
    if (run->use.failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    int code = run->policy ? allot__cli_check_policy(cli, source.policy) : CLI_DONE;
    return code == CLI_DONE ? allot__cli_open_plan(cli, &source, &run->docs) : code;
}

int allot__sim_open(allot__sim *sim, allot__sim_run *run)
{
    allot__cli *cli = sim->cli;
    int code = open_plan(cli, run);
    if (code != CLI_DONE)
        return code;
    name_run(sim, run);
    int status = run->name.failed
                     ? ALLOT_ENOMEM
                     : allot_simulation_new(run->docs.plan, &sim->options, &run->simulation);
    if (status == ALLOT_EUSAGE)
        return refuse_plan(sim, run);
    return allot__cli_status(cli, status);
}

void allot__sim_close(allot__sim_run *run)
{
    allot_simulation_free(run->simulation);
    if (run->docs.cli)
        allot__cli_close(run->docs.cli, &run->docs);
    allot__text_free(&run->use);
    allot__text_free(&run->name);
    allot__text_free(&run->result);
}

/* ---- How far it is, on a terminal; and Ctrl-C --------------------------------------------------
 */

#define BAR 24
/* s between two looks */
#define PAUSE 0.1

static volatile sig_atomic_t caught;

static void note(int signal)
{
    (void)signal;
    caught = 1;
}

const volatile sig_atomic_t *allot__sim_catch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    return &caught;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void begin_progress(allot__sim_progress *progress, const allot__sim *sim,
                           const allot__sim_run *run)
{
    *progress = (allot__sim_progress){
        .sim = sim, .run = run, .shows = !sim->quiet && isatty(STDERR_FILENO), .began = seconds()};
    progress->shown = progress->began;
}

static void show(allot__sim_progress *progress, int32_t played, int32_t records, double now)
{
    char bar[BAR + 1], line[200];
    double part = records > 0 ? (double)played / records : 1, spent = now - progress->began;
    int full = (int)(part * BAR);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(full < BAR ? full : BAR));
    bar[BAR] = '\0';
    long left = part > 0 ? (long)(spent / part - spent + 0.5) : 0;
    int len = snprintf(line, sizeof line,
                       "%s [%s] %3.0f %%  %" PRId32 " of %" PRId32
                       " records, %.0f a second, %ld:%02ld left",
                       progress->run->name.bytes, bar, part * 100, played, records,
                       spent > 0 ? played / spent : 0, left / 60, left % 60);
    int blank = progress->width > len ? progress->width - len : 0;
    fprintf(stderr, "\r%s%*s", line, blank, "");
    fflush(stderr);
    progress->width = len;
}

/* As allot_watcher's. */
static int step(void *ud, int32_t played, int32_t records, int32_t ended, int64_t now)
{
    allot__sim_progress *progress = ud;
    (void)ended;
    (void)now;
    if (progress->shows) {
        double at = seconds();
        if (at - progress->shown >= PAUSE) {
            show(progress, played, records, at);
            progress->shown = at;
        }
    }
    return caught;
}

static void end_progress(allot__sim_progress *progress)
{
    if (progress->width > 0)
        fprintf(stderr, "\r%*s\r", progress->width, "");
}

/* ---- Playing --------------------------------------------------------------------------------- */

/* Warns of the first job of that fate, and of how many there are. */
static void warn_fate(const allot__sim *sim, const allot__sim_run *run, allot_job_fate fate,
                      const char *code, const char *what)
{
    int64_t count = 0;
    allot_job_result job, first = {.record = -1};
    for (int32_t i = 0; i < allot_simulation_jobs(run->simulation); i++) {
        allot_simulation_job(run->simulation, i, &job);
        allot_record record;
        allot_trace_record(sim->trace, job.record, &record);
        if (job.fate != fate || record.kind != ALLOT_RECORD_SUBMIT)
            continue;
        first = count++ == 0 ? job : first;
    }
    if (count == 0)
        return;
    char message[400], path[256];
    allot_record record;
    allot_trace_record(sim->trace, first.record, &record);
    allot_plan_path(run->docs.plan, first.consumer, path, sizeof path);
    snprintf(message, sizeof message,
             "under %.80s %" PRId64 " job%s %s; this is the first, of %.100s, %" PRId64
             " slots: %.150s",
             run->name.bytes, count, count == 1 ? "" : "s", what, path, first.slots,
             first.why != NULL ? first.why : "");
    allot_diagnostic finding = allot__error(code, message);
    finding.severity = ALLOT_WARNING;
    finding.file = allot_trace_file(sim->trace);
    finding.line = record.line;
    allot_report_add(sim->cli->report, &finding);
}

static void warn(const allot__sim *sim, const allot__sim_run *run)
{
    const allot_simulation_counts *counts = &run->counts;
    if (run->figures.refused > 0)
        warn_fate(sim, run, ALLOT_FATE_REFUSED, "W-refused", "could never run");
    if (run->figures.unfinished > 0 && !counts->stopped)
        warn_fate(sim, run, ALLOT_FATE_UNFINISHED, "W-unfinished", "did not end");
    if (counts->unsettled > 0)
        allot_report_say(sim->cli->report, ALLOT_WARNING, "W-unsettled",
                         "under %.80s, %" PRId64
                         " instants did not settle within 100 cycles: the policy moves slots "
                         "back and forth",
                         run->name.bytes, counts->unsettled);
    if (sim->interrupted)
        allot_report_say(sim->cli->report, ALLOT_WARNING, "W-interrupted",
                         "interrupted: the results of %.80s end there", run->name.bytes);
}

/* Loads the trace; again, if consumers come that the plan does not name. */
static int load(allot__sim *sim, allot__sim_run *run)
{
    allot__cli *cli = sim->cli;
    const allot_record_map map = sim->map ? allot_script_map_record : NULL;
    int status = allot_simulation_load(run->simulation, sim->trace, map, sim->map, cli->report);
    if (status == ALLOT_ENOENT) {
        allot_simulation_free(run->simulation);
        run->simulation = NULL;
        int code = allot__cli_grow(&run->docs);
        if (code != CLI_DONE)
            return code;
        status = allot_simulation_new(run->docs.plan, &sim->options, &run->simulation);
        if (status == ALLOT_OK)
            status = allot_simulation_load(run->simulation, sim->trace, map, sim->map, cli->report);
    }
    return allot__cli_status(cli, status);
}

int allot__sim_play(allot__sim *sim, allot__sim_run *run)
{
    allot__cli *cli = sim->cli;
    allot__sim_progress progress;
    int code = load(sim, run);
    if (code != CLI_DONE)
        return code;
    begin_progress(&progress, sim, run);
    allot_watcher watcher = {.ud = &progress, .progress = step};
    code = allot__sim_plot_watch(sim, run, &watcher);
    allot_simulation_watch(run->simulation, &watcher);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_simulation_run(run->simulation, cli->report));
    end_progress(&progress);
    allot_simulation_counted(run->simulation, &run->counts);
    if (code == CLI_DONE)
        code = allot__sim_plot_end(sim->plot, run->counts.last);
    sim->interrupted = caught != 0;
    if (code == CLI_DONE)
        code = allot__cli_status(
            cli, allot_simulation_figures(run->simulation, ALLOT_ROOT, &run->figures));
    if (code == CLI_DONE && run->counts.arrivals == 0 && run->counts.changes == 0)
        return allot__cli_fail(
            cli, CLI_INVALID, "E-nothing",
            allot_trace_records(sim->trace) == 0 ? "the log has no jobs"
                                                 : "--from, --before and --map leave jobs out",
            "nothing was simulated: no job of %.200s takes part", allot_trace_file(sim->trace));
    if (code == CLI_DONE)
        warn(sim, run);
    return code == CLI_DONE ? allot__cli_status(cli, allot__sim_result(sim, run)) : code;
}
