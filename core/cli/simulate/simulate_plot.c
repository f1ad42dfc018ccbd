/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate_plot.c: simulations into pictures and samples. */
#include "cli/simulate/simulate.h"

#include <string.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "log.swf.gz under plan.json"; with several plans the panels name theirs. */
int allot__sim_plot_begin(allot__sim *sim)
{
    allot__text title = {.engine = sim->cli->engine};
    bool same = true;
    for (int32_t i = 1; i < sim->count; i++)
        same = same && strcmp(sim->runs[i].plan_file, sim->runs[0].plan_file) == 0;
    allot__text_puts(&title, last_part(allot__cli_file_name(sim->trace_file)));
    if (same)
        allot__text_printf(&title, " under %s",
                           last_part(allot__cli_file_name(sim->runs[0].plan_file)));
    allot__text_add(&title, "", 1);
    int code = title.failed ? allot__cli_status(sim->cli, ALLOT_ENOMEM)
                            : allot__plot_begin(sim->cli, title.bytes, sim->count, &sim->plot);
    allot__text_free(&title);
    return code;
}

static void take_sample(void *ud, const allot_sample *sample)
{
    allot__plot_sample(((allot__sim_progress *)ud)->sim->plot, sample);
}

static void take_size(void *ud, int64_t at, int32_t group, int64_t slots)
{
    allot__plot_size(((allot__sim_progress *)ud)->sim->plot, at, group, slots);
}

int allot__sim_plot_watch(const allot__sim *sim, const allot__sim_run *run, allot_watcher *watcher)
{
    if (!sim->plot)
        return CLI_DONE;
    watcher->sample = take_sample;
    watcher->size = take_size;
    return allot__plot_panel(sim->plot, run->docs.plan, run->name.bytes);
}
