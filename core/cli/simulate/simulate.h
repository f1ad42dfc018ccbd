/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate.h: what the files of the verb `simulate` share. */
#ifndef ALLOT_CLI_SIMULATE_SIMULATE_H
#define ALLOT_CLI_SIMULATE_SIMULATE_H

#include "cli/plot/plot.h"

/* A trace under one plan and policy. */
typedef struct allot__sim_run {
    const char *plan_file;
    const char *policy; /* as on the command line: "NAME:option=value,..."; NULL: the plan's own */
    allot__text use;    /* ... without the options; a string */
    allot__text name;   /* over its column; a string */
    allot__documents docs;
    allot_simulation *simulation;
    allot_simulation_counts counts;
    allot_figures figures; /* of the whole */
} allot__sim_run;

typedef struct allot__sim {
    allot__cli *cli;
    allot_trace *trace;
    const char *trace_file;
    allot_script_map *map;
    allot_simulation_options options;
    allot__sim_run *runs;
    int32_t count, played; /* runs; those that have results */
    bool interrupted;
    allot__plot *plot; /* NULL: none is asked for */
} allot__sim;

/* ---- simulate.c ------------------------------------------------------------------------------ */

/* Reads a log; and the function of --map, if there is one. */
int allot__sim_read_trace(allot__cli *cli, const char *path, allot_trace **out);
int allot__sim_read_map(allot__cli *cli, allot_script_map **out);

/* ---- simulate_run.c -------------------------------------------------------------------------- */

/* Reads the run's plan, with its policy in place of the plan's. */
int allot__sim_open(allot__sim *sim, allot__sim_run *run);
/* Plays the trace. */
int allot__sim_play(allot__sim *sim, allot__sim_run *run);
void allot__sim_close(allot__sim_run *run);

/* ---- simulate_progress.c --------------------------------------------------------------------- */

/* Shows a run's progress on a terminal, and stops the run at an interrupt. */
typedef struct allot__sim_progress {
    const allot__sim *sim;
    const allot__sim_run *run;
    bool shows; /* standard error is a terminal */
    double began, shown;
    int width; /* of what was shown */
} allot__sim_progress;

void allot__sim_progress_begin(allot__sim_progress *progress, const allot__sim *sim,
                               const allot__sim_run *run);
/* As allot_watcher's. */
int allot__sim_progress_step(void *progress, int32_t played, int32_t records, int32_t ended,
                             int64_t now);
void allot__sim_progress_end(allot__sim_progress *progress);
/* Until the end of the command Ctrl-C is noted. */
void allot__sim_catch(void);
bool allot__sim_caught(void);

/* ---- simulate_plot.c ------------------------------------------------------------------------- */

/* Begins what --plot and --samples ask for. Statuses of plot/plot.h. */
int allot__sim_plot_begin(allot__sim *sim);
/* Connects a watcher, whose ud is an allot__sim_progress, to progress, plot and samples. */
int allot__sim_plot_watch(const allot__sim *sim, const allot__sim_run *run, allot_watcher *watcher);

/* ---- simulate_json.c ------------------------------------------------------------------------- */

/* Puts the document into the command's result. */
int allot__sim_json(const allot__sim *sim);

#endif
