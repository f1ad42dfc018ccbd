/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plot.c: takes simulations as they run, for a picture and for a file of samples. */
#include "cli/plot/plot.h"

#include <string.h>

#include "cli/plot/plot_picture.h"

/* What a leaf or queue has in a group. */
typedef struct held {
    int64_t demand, allocated;
} held;

struct allot__plot {
    allot__cli *cli;
    allot__picture picture;
    const char *path; /* NULL: no picture */
    char *title;
    allot__samples *samples; /* NULL: none */
    /* Of the simulation that runs. */
    const allot_plan *plan;
    allot__panel *panel;
    held *held;        /* by group and consumer */
    int64_t *sizes;    /* by group */
    int64_t *together; /* by consumer: slots held in all groups */
    int64_t wanted, size;
    size_t cells, groups;
};

static void *get(allot_engine *engine, size_t size)
{
    void *block = allot_engine_alloc(engine, NULL, 0, size > 0 ? size : 1);
    if (block)
        memset(block, 0, size);
    return block;
}

static void give(allot_engine *engine, void *block, size_t size)
{
    if (block)
        allot_engine_alloc(engine, block, size > 0 ? size : 1, 0);
}

static char *copy(allot_engine *engine, const char *text)
{
    char *made = get(engine, strlen(text) + 1);
    if (made)
        memcpy(made, text, strlen(text) + 1);
    return made;
}

static void give_text(allot_engine *engine, char *text)
{
    if (text)
        give(engine, text, strlen(text) + 1);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), tail = strlen(suffix);
    return len > tail && strcmp(path + len - tail, suffix) == 0;
}

static int kind_of(allot__cli *cli, const char *path, allot__picture_kind *kind)
{
    if (ends_in(path, ".svg"))
        *kind = PICTURE_SVG;
    else if (ends_in(path, ".png"))
        *kind = PICTURE_PNG;
    else if (ends_in(path, ".gp"))
        *kind = PICTURE_SCRIPT;
    else
        return allot__cli_fail(cli, CLI_USAGE, "E-usage",
                               "its end says what is written: .svg, .png, or .gp, which is what "
                               "gnuplot would be told",
                               "--plot takes a file that ends in .svg, .png or .gp, not \"%.200s\"",
                               path);
    return CLI_DONE;
}

int allot__plot_begin(allot__cli *cli, const char *title, int32_t count, allot__plot **out)
{
    allot__picture_kind kind = PICTURE_SVG;
    const char *path = cli->options.plot, *samples = cli->options.samples;
    *out = NULL;
    int code = path ? kind_of(cli, path, &kind) : CLI_DONE;
    if (code != CLI_DONE || (!path && !samples))
        return code;
    if (path && count > PICTURE_PANELS)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "--plot draws at most %d simulations", PICTURE_PANELS);
    /* Before minutes of work, not behind them. */
    if (path && kind != PICTURE_SCRIPT)
        code = allot__plot_draw(cli, NULL, NULL);
    if (code != CLI_DONE)
        return code;
    allot__plot *plot = get(cli->engine, sizeof *plot);
    if (!plot)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    *plot = (allot__plot){.cli = cli, .path = path, .title = copy(cli->engine, title)};
    plot->picture.kind = kind;
    plot->picture.title = plot->title;
    if (!plot->title)
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    if (code == CLI_DONE && samples)
        code = allot__samples_begin(cli, samples, &plot->samples);
    if (code == CLI_DONE)
        *out = plot;
    else
        allot__plot_free(plot);
    return code;
}

/* ---- A simulation ---------------------------------------------------------------------------- */

static int no_memory(allot__plot *plot)
{
    return allot__cli_status(plot->cli, ALLOT_ENOMEM);
}

static void drop_running(allot__plot *plot)
{
    allot_engine *engine = plot->cli->engine;
    give(engine, plot->held, plot->cells * sizeof *plot->held);
    give(engine, plot->sizes, plot->groups * sizeof *plot->sizes);
    if (plot->panel)
        give(engine, plot->together, (size_t)plot->panel->consumers * sizeof *plot->together);
    plot->held = NULL;
    plot->sizes = plot->together = NULL;
    plot->plan = NULL;
    plot->panel = NULL;
    plot->wanted = plot->size = 0;
}

static void free_panel(allot_engine *engine, allot__panel *panel, int band_count)
{
    for (int32_t i = 0; panel->names && i < panel->consumers; i++)
        give_text(engine, panel->names[i]);
    give(engine, panel->names, (size_t)panel->consumers * sizeof *panel->names);
    if (panel->bands)
        give(engine, panel->bands,
             (size_t)band_count * (size_t)panel->bins.used * sizeof *panel->bands);
    if (panel->bins.engine)
        allot__bins_free(&panel->bins);
    give_text(engine, panel->title);
    give(engine, panel, sizeof *panel);
}

static int make_panel(allot__plot *plot, const char *name, int32_t consumers, int32_t groups)
{
    allot_engine *engine = plot->cli->engine;
    allot__panel *panel = get(engine, sizeof *panel);
    if (!panel)
        return no_memory(plot);
    plot->picture.panels[plot->picture.panel_count++] = plot->panel = panel;
    panel->consumers = consumers;
    panel->title = copy(engine, name);
    panel->names = get(engine, (size_t)consumers * sizeof *panel->names);
    plot->groups = (size_t)groups;
    plot->cells = (size_t)groups * (size_t)consumers;
    plot->held = get(engine, plot->cells * sizeof *plot->held);
    plot->sizes = get(engine, plot->groups * sizeof *plot->sizes);
    plot->together = get(engine, (size_t)consumers * sizeof *plot->together);
    int64_t most = plot->cli->options.bins > 0 ? plot->cli->options.bins : PLOT_BINS_USUAL;
    if (allot__bins_make(engine, consumers + PANEL_ROWS, (int32_t)most, &panel->bins) != ALLOT_OK ||
        !panel->title || !panel->names || !plot->held || !plot->sizes || !plot->together)
        return no_memory(plot);
    return CLI_DONE;
}

int allot__plot_panel(allot__plot *plot, const allot_plan *plan, const char *name)
{
    if (!plot)
        return CLI_DONE;
    drop_running(plot);
    if (plot->samples)
        allot__samples_panel(plot->samples, plan, name);
    plot->plan = plan;
    if (!plot->path)
        return CLI_DONE;
    return make_panel(plot, name, allot_plan_consumers(plan), allot_plan_groups(plan));
}

void allot__plot_size(allot__plot *plot, int64_t at, int32_t group, int64_t slots)
{
    if (!plot || !plot->panel)
        return;
    plot->size += slots - plot->sizes[group];
    plot->sizes[group] = slots;
    allot__panel *panel = plot->panel;
    allot__bins_level(&panel->bins, panel->consumers + PANEL_SIZE, at, plot->size);
}

void allot__plot_sample(allot__plot *plot, const allot_sample *sample)
{
    if (!plot)
        return;
    if (plot->samples)
        allot__samples_add(plot->samples, sample);
    allot__panel *panel = plot->panel;
    if (!panel)
        return;
    int32_t consumer = sample->consumer, behind = panel->consumers;
    held *had = &plot->held[(size_t)sample->group * (size_t)behind + (size_t)consumer];
    plot->wanted += sample->demand - had->demand;
    plot->together[consumer] += sample->allocated - had->allocated;
    *had = (held){sample->demand, sample->allocated};
    allot__bins_level(&panel->bins, consumer, sample->at, plot->together[consumer]);
    allot__bins_level(&panel->bins, behind + PANEL_WANTED, sample->at, plot->wanted);
    allot__bins_add(&panel->bins, behind + PANEL_RECLAIMED, sample->at, sample->reclaimed);
}

/* ---- The end --------------------------------------------------------------------------------- */

static int name_consumers(allot__plot *plot)
{
    allot__panel *panel = plot->panel;
    allot__text path = {.engine = plot->cli->engine};
    for (int32_t i = 0; i < panel->consumers && !path.failed; i++) {
        if (allot__bins_sum(&panel->bins, i) == 0)
            continue;
        path.len = 0;
        allot__cli_puts_path(&path, plot->plan, i);
        allot__cli_add(&path, "", 1);
        if (!path.failed)
            panel->names[i] = copy(plot->cli->engine, path.bytes);
        path.failed = !panel->names[i];
    }
    bool failed = path.failed;
    allot__cli_text_free(&path);
    return failed ? no_memory(plot) : CLI_DONE;
}

/* Says so where there are too many to draw. */
static void find_switches(allot__cli *cli, const allot_plan *plan, allot__panel *panel)
{
    int64_t at = panel->bins.first;
    while (panel->switch_count <= PICTURE_SWITCHES && allot_plan_windows(plan) > 0 &&
           allot_plan_switch(plan, at, &at) == ALLOT_OK && at < panel->bins.last) {
        if (panel->switch_count < PICTURE_SWITCHES)
            panel->switches[panel->switch_count] = at;
        panel->switch_count++;
    }
    if (panel->switch_count > PICTURE_SWITCHES)
        allot_report_say(cli->report, ALLOT_WARNING, "W-switches",
                         "windows switch more than %d times: the first %d are drawn; --from and "
                         "--before draw a part of the log",
                         PICTURE_SWITCHES, PICTURE_SWITCHES);
}

int allot__plot_panel_end(allot__plot *plot, int64_t at)
{
    if (!plot || !plot->panel)
        return CLI_DONE;
    allot__bins_end(&plot->panel->bins, at);
    if (plot->panel->bins.failed)
        return no_memory(plot);
    if (plot->path)
        find_switches(plot->cli, plot->plan, plot->panel);
    int code = name_consumers(plot);
    drop_running(plot);
    return code;
}

/* ---- The files ------------------------------------------------------------------------------- */

int allot__plot_write(allot__plot *plot)
{
    if (!plot)
        return CLI_DONE;
    allot__text script = {.engine = plot->cli->engine}, drawn = {.engine = plot->cli->engine};
    int code = CLI_DONE;
    if (plot->path) {
        if (allot__picture_pick(plot->cli->engine, &plot->picture) != ALLOT_OK)
            code = no_memory(plot);
        if (code == CLI_DONE)
            allot__picture_script(&plot->picture, &script);
        if (code == CLI_DONE && script.failed)
            code = no_memory(plot);
        bool bare = plot->picture.kind == PICTURE_SCRIPT;
        if (code == CLI_DONE && !bare)
            code = allot__plot_draw(plot->cli, &script, &drawn);
        const allot__text *result = bare ? &script : &drawn;
        if (code == CLI_DONE)
            code = allot__cli_put_file(plot->cli, plot->path, result->bytes, result->len);
    }
    allot__cli_text_free(&script);
    allot__cli_text_free(&drawn);
    if (code == CLI_DONE && plot->samples)
        code = allot__samples_end(plot->samples);
    return code;
}

void allot__plot_free(allot__plot *plot)
{
    if (!plot)
        return;
    allot_engine *engine = plot->cli->engine;
    drop_running(plot);
    for (int i = 0; i < plot->picture.panel_count; i++)
        free_panel(engine, plot->picture.panels[i], plot->picture.band_count);
    if (plot->samples)
        allot__samples_free(plot->samples);
    give_text(engine, plot->title);
    give(engine, plot, sizeof *plot);
}
