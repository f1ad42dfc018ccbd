/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate.h: shared by the files of the verb `simulate`. */
#ifndef ALLOT_CLI_SIMULATE_SIMULATE_H
#define ALLOT_CLI_SIMULATE_SIMULATE_H

#include <signal.h>

#include <allot/simulate.h>

#include "cli/term/cli.h"

typedef struct allot__plot allot__plot;

/* A trace under one plan and policy. */
typedef struct allot__sim_run {
    const char *plan_file;
    const char *policy; /* as on the command line: "NAME:option=value,..."; NULL: the plan's own */
    allot__text use;    /* ... without the options; a string */
    allot__text name;   /* over its column; a string */
    allot__documents docs;
    allot_simulation *simulation;
    allot_simulation_counts counts;
    allot_figures figures; /* of the whole simulation */
    allot__text result;    /* its part of the document */
} allot__sim_run;

typedef struct allot__sim {
    allot__cli *cli;
    allot_trace *trace;
    const char *trace_file;
    allot_script_map *map;
    allot_simulation_options options;
    allot__sim_run *runs;
    int32_t count, played;   /* runs; those that have results */
    bool interrupted, quiet; /* quiet: no progress is shown */
    allot__plot *plot;       /* NULL: no plot or samples */
} allot__sim;

/* ---- simulate.c ------------------------------------------------------------------------------ */

/* Reads a log. */
int allot__sim_read_trace(allot__cli *cli, const char *path, allot_trace **out);

/* ---- simulate_run.c -------------------------------------------------------------------------- */

/* Reads the run's plan, with its policy in place of the plan's. */
int allot__sim_open(allot__sim *sim, allot__sim_run *run);
/* Plays the trace, and writes the run's result. */
int allot__sim_play(allot__sim *sim, allot__sim_run *run);
void allot__sim_close(allot__sim_run *run);

/* Shows a run's progress on a terminal, and stops the run at an interrupt. */
typedef struct allot__sim_progress {
    const allot__sim *sim;
    const allot__sim_run *run;
    bool shows; /* standard error is a terminal; of workers the first one's */
    double began, shown;
    int width; /* of the text shown */
} allot__sim_progress;

/* Until the end of the command Ctrl-C is noted: set then. */
const volatile sig_atomic_t *allot__sim_catch(void);

/* ---- side.c ---------------------------------------------------------------------------------- */

/* Plays all runs, side by side if there are processors for it (--jobs), until one fails or Ctrl-C
 * comes; `played` are then those with results. A simulation by itself goes from instant to instant:
 * only several are played side by side, without a plot, samples and --trace, which are written as
 * the runs go. */
int allot__sim_play_all(allot__sim *sim);

/* ---- plot.c ---------------------------------------------------------------------------------- */

/* Begins the files of --plot and --samples; without these options there is no effect. CLI_USAGE: an
 * unknown kind of picture, or too many simulations; CLI_IO: no gnuplot, or the samples cannot be
 * written; CLI_INTERNAL. */
int allot__sim_plot_begin(allot__sim *sim);
/* The next simulation: connects a watcher, whose ud is an allot__sim_progress. CLI_INTERNAL. */
int allot__sim_plot_watch(const allot__sim *sim, const allot__sim_run *run, allot_watcher *watcher);
/* The simulation is over. CLI_IO. */
int allot__sim_plot_end(allot__plot *plot, int64_t at);
/* Makes the files. CLI_IO, CLI_INTERNAL. */
int allot__sim_plot_write(allot__plot *plot);
/* Also after a failure, which leaves no files. */
void allot__sim_plot_free(allot__plot *plot);
/* ---- simulate_json.c ------------------------------------------------------------------------- */

/* Writes a run's result, which has been played. */
int allot__sim_result(const allot__sim *sim, allot__sim_run *run);
/* Puts the document into the command's result. */
void allot__sim_json(const allot__sim *sim);

#endif
