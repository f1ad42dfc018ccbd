/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate_run.c: one run of a simulation: its plan, with a policy that stands in, and the play. */
#include "cli/simulate/simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 32

static bool ends_in(const char *word, const char *end)
{
    size_t len = strlen(word), size = strlen(end);
    return len > size && strcmp(word + len - size, end) == 0;
}

/* ---- Options behind a policy's name ---------------------------------------------------------- */

typedef struct given {
    allot_use_option options[OPTIONS_MOST];
    int32_t count;
    char *text; /* that they point into */
    size_t size;
} given;

static void read_value(allot_use_option *option, const char *value)
{
    char *end;
    long long number = value ? strtoll(value, &end, 10) : 0;
    option->mine = 1;
    if (!value || strcmp(value, "true") == 0 || strcmp(value, "false") == 0) {
        option->type = ALLOT_JSON_BOOLEAN;
        option->integer = !value || *value == 't';
    } else if (*value != '\0' && *end == '\0') {
        option->type = ALLOT_JSON_INTEGER;
        option->integer = number;
    } else {
        option->type = ALLOT_JSON_STRING;
        option->string = value;
    }
}

/* The last value of an option replaces earlier ones. */
static void forget(given *it)
{
    const allot_use_option last = it->options[it->count - 1];
    int32_t kept = 0;
    for (int32_t i = 0; i < it->count - 1; i++)
        if (strcmp(it->options[i].name, last.name) != 0)
            it->options[kept++] = it->options[i];
    it->options[kept++] = last;
    it->count = kept;
}

/* "a=1,b,c=word", which is written to. */
static void split_options(given *it)
{
    char *save = NULL;
    for (char *word = strtok_r(it->text, ",", &save); word && it->count < OPTIONS_MOST;
         word = strtok_r(NULL, ",", &save)) {
        char *value = strchr(word, '=');
        allot_use_option *option = &it->options[it->count++];
        if (value)
            *value++ = '\0';
        option->name = word;
        read_value(option, value);
        forget(it);
    }
}

static int take_options(const allot__sim_run *run, const allot_use_option *options, int32_t count,
                        given *out)
{
    const char *behind = run->policy + strlen(run->use);
    for (int32_t i = 0; i < count && out->count < OPTIONS_MOST / 2; i++)
        out->options[out->count++] = options[i];
    if (*behind != ':')
        return ALLOT_OK;
    out->size = strlen(behind);
    out->text = allot_engine_alloc(run->cli->engine, NULL, 0, out->size);
    if (!out->text)
        return ALLOT_ENOMEM;
    memcpy(out->text, behind + 1, out->size);
    split_options(out);
    return ALLOT_OK;
}

/* ---- The policy that stands in --------------------------------------------------------------- */

/* A file of the command line is relative to where the command runs, not to the plan. */
static int load_file(const allot__sim_run *run, allot_engine *engine, const char *use,
                     const given *given, allot_policy **out, allot_report *report)
{
    allot__text text = {0};
    allot_script_limits limits;
    allot__cli_trace(run->cli, &limits);
    int status = ALLOT_EIO;
    if (allot__cli_read(run->cli, use, &text) == CLI_DONE)
        status = allot_script_load(engine, text.bytes, text.len, use, given->options, given->count,
                                   &limits, report, out);
    allot__text_free(&text);
    return status;
}

static int load(void *ud, allot_engine *engine, const char *use, const char *plan_file,
                const allot_use_option *options, int32_t count, allot_policy **out,
                allot_report *report)
{
    allot__sim_run *run = ud;
    given given = {.count = 0};
    if (use != run->use)
        return run->files.load(run->files.ud, engine, use, plan_file, options, count, out, report);
    int status = take_options(run, options, count, &given);
    if (status == ALLOT_OK && ends_in(use, ".lua"))
        status = load_file(run, engine, use, &given, out, report);
    else if (status == ALLOT_OK)
        status = run->files.load(run->files.ud, engine, use, plan_file, given.options, given.count,
                                 out, report);
    if (given.text)
        allot_engine_alloc(engine, given.text, given.size, 0);
    return status;
}

static int zone(void *ud, allot_engine *engine, const char *name, void **data, size_t *len,
                allot_report *report)
{
    const allot__sim_run *run = ud;
    return run->files.zone(run->files.ud, engine, name, data, len, report);
}

/* ---- Opening --------------------------------------------------------------------------------- */

static char *copy(allot__cli *cli, const char *text, size_t len, size_t *size)
{
    char *made = allot_engine_alloc(cli->engine, NULL, 0, len + 1);
    if (!made)
        return NULL;
    memcpy(made, text, len);
    made[len] = '\0';
    *size = len + 1;
    return made;
}

static int read_plan(allot__cli *cli, allot__sim_run *run)
{
    allot_policy_loader loader = {.ud = run, .load = load, .zone = zone, .instead = run->use};
    allot__text document = {0};
    int code = allot__cli_read(cli, run->plan_file, &document);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_plan_read(cli->engine, document.bytes, document.len,
                                                      allot__cli_file_name(run->plan_file), &loader,
                                                      cli->report, &run->plan));
    allot__text_free(&document);
    return code;
}

/* A policy as it was named; else the plan's file, where there are several, or its policy. */
static int name_run(const allot__sim *sim, allot__sim_run *run)
{
    const char *file = strrchr(run->plan_file, '/');
    file = file ? file + 1 : run->plan_file;
    run->name = run->policy;
    if (run->policy)
        return CLI_DONE;
    run->name = allot_policy_name(allot_plan_group_policy(run->plan, 0));
    if (sim->count == 1)
        return CLI_DONE;
    size_t len = strlen(file) - (ends_in(file, ".json") ? strlen(".json") : 0);
    run->name = run->owned_name = copy(sim->cli, file, len, &run->name_size);
    return run->name ? CLI_DONE : allot__cli_status(sim->cli, ALLOT_ENOMEM);
}

static int refuse_plan(const allot__sim *sim, const allot__sim_run *run)
{
    if (allot_plan_leases(run->plan) > 0)
        return allot__cli_fail(sim->cli, CLI_INVALID, "E-simulate",
                               "take the contracts out of the plan",
                               "%.200s has lease contracts with another cluster, of which a log "
                               "says nothing",
                               run->plan_file);
    return allot__cli_fail(sim->cli, CLI_INVALID, "E-simulate", NULL,
                           "%.200s has no consumer or queue that could get slots", run->plan_file);
}

/* A name that stands for nothing is said so of the command line, not of the plan. */
static int check_name(allot__sim_run *run)
{
    allot_policy *none = NULL;
    if (!run->use || ends_in(run->use, ".lua") || allot_ready_policy_text(run->use, NULL))
        return CLI_DONE;
    run->files.load(run->files.ud, run->cli->engine, run->use, NULL, NULL, 0, &none,
                    run->cli->report);
    return CLI_INVALID;
}

int allot__sim_open(allot__sim *sim, allot__sim_run *run)
{
    allot__cli *cli = sim->cli;
    allot_script_limits limits;
    allot__cli_trace(cli, &limits);
    run->cli = cli;
    int status = allot_script_loader_new(cli->engine, &limits, &run->files);
    if (status == ALLOT_OK && run->policy) {
        run->use = copy(cli, run->policy, strcspn(run->policy, ":"), &run->use_size);
        status = run->use ? ALLOT_OK : ALLOT_ENOMEM;
    }
    int code = allot__cli_status(cli, status);
    if (code == CLI_DONE)
        code = check_name(run);
    if (code == CLI_DONE)
        code = read_plan(cli, run);
    if (code == CLI_DONE)
        code = name_run(sim, run);
    if (code != CLI_DONE)
        return code;
    status = allot_simulation_new(run->plan, &sim->options, &run->simulation);
    if (status == ALLOT_EUSAGE)
        return refuse_plan(sim, run);
    return allot__cli_status(cli, status);
}

void allot__sim_close(allot__sim_run *run)
{
    allot_engine *engine = run->cli ? run->cli->engine : NULL;
    if (!engine)
        return;
    allot_simulation_free(run->simulation);
    allot_plan_free(run->plan);
    allot_script_loader_free(engine, &run->files);
    if (run->use)
        allot_engine_alloc(engine, run->use, run->use_size, 0);
    if (run->owned_name)
        allot_engine_alloc(engine, run->owned_name, run->name_size, 0);
}

/* ---- Playing --------------------------------------------------------------------------------- */

/* Of jobs of that fate and reason the first, and how many: -1 for none. */
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
    allot_plan_path(run->plan, first.consumer, path, sizeof path);
    snprintf(message, sizeof message,
             "under %.80s %" PRId64 " job%s %s; this is the first, of %.100s, %" PRId64
             " slots: %.150s",
             run->name, count, count == 1 ? "" : "s", what, path, first.slots,
             first.why != NULL ? first.why : "");
    allot_report_add(sim->cli->report, &(allot_diagnostic){.severity = ALLOT_WARNING,
                                                           .code = code,
                                                           .file = allot_trace_file(sim->trace),
                                                           .line = record.line,
                                                           .message = message,
                                                           .consumer = -1,
                                                           .group = -1,
                                                           .field = -1});
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
                         run->name, counts->unsettled);
    if (sim->interrupted)
        allot_report_say(sim->cli->report, ALLOT_WARNING, "W-interrupted",
                         "interrupted: the results of %.80s end there", run->name);
}

int allot__sim_play(allot__sim *sim, allot__sim_run *run)
{
    allot__cli *cli = sim->cli;
    allot__sim_progress progress;
    int code = allot__cli_status(
        cli, allot_simulation_load(run->simulation, sim->trace,
                                   sim->map != NULL ? allot_script_map_record : NULL, sim->map,
                                   cli->report));
    if (code != CLI_DONE)
        return code;
    allot__sim_progress_begin(&progress, sim, run);
    allot_watcher watcher = {.ud = &progress, .progress = allot__sim_progress_step};
    code = allot__sim_plot_watch(sim, run, &watcher);
    allot_simulation_watch(run->simulation, &watcher);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_simulation_run(run->simulation, cli->report));
    allot__sim_progress_end(&progress);
    allot_simulation_counted(run->simulation, &run->counts);
    if (code == CLI_DONE)
        code = allot__plot_panel_end(sim->plot, run->counts.last);
    sim->interrupted = allot__sim_caught();
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
    return code;
}
