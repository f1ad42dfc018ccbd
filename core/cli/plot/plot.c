/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plot.c: takes simulations as they run, for a picture and for a file of samples.
 *
 * For a picture it notes what happens in a file without a name, line by line; lua/allot/plot makes
 * of it what gnuplot draws.
 */
#include "cli/plot/plot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PANELS   12
#define SWITCHES 64    /* lines of more are not drawn */
#define BINS     "400" /* of about two pixels each */

struct allot__plot {
    allot__cli *cli;
    const char *path;        /* NULL: no picture */
    FILE *series;            /* as lua/allot/plot/init.lua reads it; NULL: no picture */
    bool bare;               /* the script for gnuplot, for an SVG */
    allot__text words;       /* the tool's arguments, each ended by a NUL */
    allot__samples *samples; /* NULL: none */
    /* Of the simulation that runs. */
    const allot_plan *plan;
    int64_t first; /* the first instant with a sample */
    bool begun;
};

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), tail = strlen(suffix);
    return len > tail && strcmp(path + len - tail, suffix) == 0;
}

static int check_path(allot__cli *cli, const char *path, int32_t count)
{
    if (!ends_in(path, ".svg") && !ends_in(path, ".png") && !ends_in(path, ".gp"))
        return allot__cli_fail(
            cli, CLI_USAGE, "E-usage", ".svg and .png are pictures, .gp is the script for gnuplot",
            "--plot takes a file that ends in .svg, .png or .gp, not \"%.200s\"", path);
    if (count > PANELS)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "--plot draws at most %d simulations", PANELS);
    /* Before minutes of work, not behind them. */
    return ends_in(path, ".gp") ? CLI_DONE : allot__plot_draw(cli, NULL, NULL);
}

static void add_word(allot__plot *plot, const char *word)
{
    allot__text_add(&plot->words, word, strlen(word) + 1);
}

static int unwritten(allot__plot *plot)
{
    return allot__cli_unwritten(plot->cli, plot->path, errno);
}

static int begin_picture(allot__plot *plot, const char *title)
{
    char bins[24] = BINS;
    if (plot->cli->options.bins > 0)
        snprintf(bins, sizeof bins, "%" PRId64, plot->cli->options.bins);
    plot->bare = ends_in(plot->path, ".gp");
    add_word(plot, title);
    add_word(plot, ends_in(plot->path, ".png") ? "png" : "svg");
    add_word(plot, bins);
    plot->series = tmpfile();
    return plot->series ? CLI_DONE : unwritten(plot);
}

int allot__plot_begin(allot__cli *cli, const char *title, int32_t count, allot__plot **out)
{
    const char *path = cli->options.plot, *samples = cli->options.samples;
    *out = NULL;
    int code = path ? check_path(cli, path, count) : CLI_DONE;
    if (code != CLI_DONE || (!path && !samples))
        return code;
    allot__plot *plot = allot_engine_alloc(cli->engine, NULL, 0, sizeof *plot);
    if (!plot)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    *plot = (allot__plot){.cli = cli, .path = path, .words = {.engine = cli->engine}};
    if (path)
        code = begin_picture(plot, title);
    if (code == CLI_DONE && samples)
        code = allot__samples_begin(cli, samples, &plot->samples);
    if (code == CLI_DONE)
        *out = plot;
    else
        allot__plot_free(plot);
    return code;
}

/* ---- A simulation ---------------------------------------------------------------------------- */

static int name_consumers(allot__plot *plot)
{
    allot__text path = {.engine = plot->cli->engine};
    for (int32_t i = 0; i < allot_plan_consumers(plot->plan) && !path.failed; i++) {
        path.len = 0;
        allot__text_path(&path, plot->plan, i);
        fprintf(plot->series, "5 %" PRId32 " %.*s\n", i, (int)path.len, path.bytes);
    }
    bool failed = path.failed;
    allot__text_free(&path);
    return failed ? allot__cli_status(plot->cli, ALLOT_ENOMEM) : CLI_DONE;
}

int allot__plot_panel(allot__plot *plot, const allot_plan *plan, const char *name)
{
    if (!plot)
        return CLI_DONE;
    if (plot->samples)
        allot__samples_panel(plot->samples, plan, name);
    plot->plan = plan;
    plot->begun = false;
    if (!plot->series)
        return CLI_DONE;
    add_word(plot, name);
    fprintf(plot->series, "0 %" PRId32 "\n", allot_plan_consumers(plan));
    return name_consumers(plot);
}

static void begin_at(allot__plot *plot, int64_t at)
{
    if (!plot->begun)
        plot->first = at;
    plot->begun = true;
}

void allot__plot_size(allot__plot *plot, int64_t at, int32_t group, int64_t slots)
{
    if (!plot || !plot->series)
        return;
    begin_at(plot, at);
    fprintf(plot->series, "1 %" PRId64 " %" PRId32 " %" PRId64 "\n", at, group, slots);
}

void allot__plot_sample(allot__plot *plot, const allot_sample *sample)
{
    if (!plot)
        return;
    if (plot->samples)
        allot__samples_add(plot->samples, sample);
    if (!plot->series)
        return;
    begin_at(plot, sample->at);
    fprintf(plot->series,
            "2 %" PRId64 " %" PRId32 " %" PRId32 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
            sample->at, sample->group, sample->consumer, sample->demand, sample->allocated,
            sample->reclaimed);
}

int allot__plot_panel_end(allot__plot *plot, int64_t at)
{
    int count = 0;
    if (!plot || !plot->series)
        return CLI_DONE;
    int64_t when = plot->begun ? plot->first : at;
    while (count <= SWITCHES && allot_plan_windows(plot->plan) > 0 &&
           allot_plan_switch(plot->plan, when, &when) == ALLOT_OK && when < at && ++count)
        fprintf(plot->series, "3 %" PRId64 "\n", when);
    if (count > SWITCHES)
        allot_report_say(plot->cli->report, ALLOT_WARNING, "W-switches",
                         "windows switch more than %d times: the first %d are drawn; --from and "
                         "--before draw a part of the log",
                         SWITCHES, SWITCHES);
    fprintf(plot->series, "4 %" PRId64 "\n", at);
    return ferror(plot->series) ? unwritten(plot) : CLI_DONE;
}

/* ---- The files ------------------------------------------------------------------------------- */

/* The tool's host: `series` piece by piece, and the script. */
typedef struct drawing {
    FILE *series;
    allot__text script;
} drawing;

static int read_series(void *ud, const char *path, allot_sink sink, void *sink_ud,
                       char why[ALLOT_TOOL_WHY_MAX])
{
    char piece[65536];
    FILE *series = ((drawing *)ud)->series;
    (void)path;
    size_t len = fread(piece, 1, sizeof piece, series);
    if (ferror(series)) {
        snprintf(why, ALLOT_TOOL_WHY_MAX, "what was noted cannot be read");
        return ALLOT_EIO;
    }
    return sink(sink_ud, piece, len) == 0 ? ALLOT_OK : ALLOT_ENOMEM;
}

static void take_script(void *ud, const char *text, size_t len)
{
    allot__text_add(&((drawing *)ud)->script, text, len);
}

static int write_script(allot__plot *plot, allot__text *script)
{
    allot__cli *cli = plot->cli;
    drawing it = {.series = plot->series, .script = {.engine = cli->engine}};
    const allot_tool_host host = {.ud = &it, .read = read_series, .out = take_script};
    const char *words[3 + PANELS];
    int32_t count = 0;
    int answer;
    if (plot->words.failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    for (size_t at = 0; at < plot->words.len; at += strlen(plot->words.bytes + at) + 1)
        words[count++] = plot->words.bytes + at;
    if (fseek(plot->series, 0, SEEK_SET) != 0)
        return unwritten(plot);
    int status =
        allot_tool_run(cli->engine, &host, "plot", "draw", words, count, &answer, cli->report);
    *script = it.script;
    return allot__cli_status(cli, script->failed ? ALLOT_ENOMEM : status);
}

int allot__plot_write(allot__plot *plot)
{
    if (!plot)
        return CLI_DONE;
    allot__text script = {.engine = plot->cli->engine}, drawn = {.engine = plot->cli->engine};
    int code = CLI_DONE;
    if (plot->path) {
        code = write_script(plot, &script);
        if (code == CLI_DONE && !plot->bare)
            code = allot__plot_draw(plot->cli, &script, &drawn);
        const allot__text *result = plot->bare ? &script : &drawn;
        if (code == CLI_DONE)
            code = allot__cli_put_file(plot->cli, plot->path, result->bytes, result->len);
    }
    allot__text_free(&script);
    allot__text_free(&drawn);
    if (code == CLI_DONE && plot->samples)
        code = allot__samples_end(plot->samples);
    return code;
}

void allot__plot_free(allot__plot *plot)
{
    if (!plot)
        return;
    if (plot->series)
        fclose(plot->series);
    if (plot->samples)
        allot__samples_free(plot->samples);
    allot__text_free(&plot->words);
    allot_engine_alloc(plot->cli->engine, plot, sizeof *plot, 0);
}
