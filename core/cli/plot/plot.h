/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plot.h: simulations as a picture, and as series for others to draw.
 *
 * --plot FILE draws: slots held by consumer, stacked; the slots there are and the slots wanted as
 * lines; below them what is reclaimed; simulations under each other on the same axes. gnuplot draws
 * (package gnuplot-nox), and is only needed then. --samples FILE writes every change as it comes.
 * Both files appear when they are whole, or not at all.
 */
#ifndef ALLOT_CLI_PLOT_PLOT_H
#define ALLOT_CLI_PLOT_PLOT_H

#include <allot/simulate.h>

#include "cli/term/cli.h"

typedef struct allot__plot allot__plot;

/* Begins what the line asks for, of so many simulations, titled `title`; *out NULL: it asks for
 * nothing, and all else may be called with NULL. CLI_USAGE: a file of another kind than can be
 * drawn, or too many simulations; CLI_IO: no gnuplot, or the samples cannot be written;
 * CLI_INTERNAL. */
int allot__plot_begin(allot__cli *cli, const char *title, int32_t count, allot__plot **out);
/* The next simulation, of a plan that must live until it ends, by its name. CLI_INTERNAL. */
int allot__plot_panel(allot__plot *plot, const allot_plan *plan, const char *name);
/* As a watcher's. */
void allot__plot_size(allot__plot *plot, int64_t at, int32_t group, int64_t slots);
void allot__plot_sample(allot__plot *plot, const allot_sample *sample);
/* The simulation is over. CLI_INTERNAL. */
int allot__plot_panel_end(allot__plot *plot, int64_t at);
/* Makes the files. CLI_IO, CLI_INTERNAL. */
int allot__plot_write(allot__plot *plot);
/* Also if it was not written: no file is left then. */
void allot__plot_free(allot__plot *plot);

/* ---- Drawing (plot_draw.c) ------------------------------------------------------------------- */

/* Runs gnuplot over a script and takes its standard output. CLI_IO (E-plot: there is no gnuplot, or
 * it failed). */
int allot__plot_draw(allot__cli *cli, const allot__text *script, allot__text *out);

/* ---- Samples (samples.c) --------------------------------------------------------------------- */

typedef struct allot__samples allot__samples;
/* Begins a file of lines "policy,at,group,consumer,demand,allocated,busy,reclaimed,killed". */
int allot__samples_begin(allot__cli *cli, const char *path, allot__samples **out);
void allot__samples_panel(allot__samples *samples, const allot_plan *plan, const char *name);
void allot__samples_add(allot__samples *samples, const allot_sample *sample);
/* Puts the file in its place. CLI_IO. */
int allot__samples_end(allot__samples *samples);
void allot__samples_free(allot__samples *samples);

#endif
