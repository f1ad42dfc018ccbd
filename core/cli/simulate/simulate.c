/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate.c: the verb `simulate`: a trace played through plans and policies side by side. */
#include "cli/simulate/simulate.h"
#include "cli/term/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- The trace ------------------------------------------------------------------------------- */

typedef struct input {
    allot__cli *cli;
    const char *path;
    int fd;
} input;

static int64_t pull(void *ud, char *buf, size_t size)
{
    const input *it = ud;
    for (;;) {
        ssize_t len = read(it->fd, buf, size);
        if (len >= 0)
            return len;
        if (errno != EINTR) {
            allot__cli_unread(it->cli, it->path, errno);
            return -1;
        }
    }
}

/* Does the file begin as what Slurm's sacct prints? */
static bool is_sacct(int fd)
{
    static const char begin[] = "JobIDRaw|";
    char head[sizeof begin - 1];
    return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
           memcmp(head, begin, sizeof head) == 0;
}

typedef struct piece {
    const char *at;
    size_t left;
} piece;

static int64_t pull_piece(void *ud, char *buf, size_t size)
{
    piece *it = ud;
    size_t len = it->left < size ? it->left : size;
    memcpy(buf, it->at, len);
    it->at += len;
    it->left -= len;
    return (int64_t)len;
}

/* What the tool makes of it, an event log, stands behind the result for a moment. */
static int read_sacct(allot__cli *cli, const char *path, allot_trace **out)
{
    const char *const args[] = {path, cli->operands[0]};
    size_t before = cli->out.len;
    int code = allot__cli_tool_about(cli, NULL, "slurm.sacct", args, 2);
    piece it = {cli->out.bytes + before, cli->out.len - before};
    if (code == CLI_DONE)
        code = allot__cli_status(
            cli, allot_trace_read(cli->engine, pull_piece, &it, path, cli->report, out));
    cli->out.len = before;
    return code;
}

int allot__sim_read_trace(allot__cli *cli, const char *path, allot_trace **out)
{
    bool standard = strcmp(path, "-") == 0;
    input it = {cli, path, STDIN_FILENO};
    if (!standard)
        it.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (it.fd < 0)
        return allot__cli_unread(cli, path, errno);
    bool sacct = !standard && is_sacct(it.fd);
    int status = sacct ? ALLOT_OK
                       : allot_trace_read(cli->engine, pull, &it, allot__cli_file_name(path),
                                          cli->report, out);
    if (!standard)
        close(it.fd);
    return sacct ? read_sacct(cli, path, out) : allot__cli_status(cli, status);
}

/* ---- Options --------------------------------------------------------------------------------- */

static int take_time(allot__cli *cli, const char *name, const char *value, int64_t *out)
{
    if (!value || allot_time_read(value, out) == ALLOT_OK)
        return CLI_DONE;
    return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                           "--%s is Unix seconds or a time like 2026-01-31T08:00:00Z, not "
                           "\"%.100s\"",
                           name, value);
}

static int take_options(allot__sim *sim)
{
    allot__cli *cli = sim->cli;
    allot_simulation_options *options = &sim->options;
    options->interval = cli->options.interval;
    options->rigid = cli->options.rigid;
    int code = take_time(cli, "from", cli->options.from, &options->from);
    if (code == CLI_DONE)
        code = take_time(cli, "before", cli->options.before, &options->to);
    if (code == CLI_DONE)
        code = take_time(cli, "until", cli->options.until, &options->until);
    return code;
}

/* Each --policy in the first plan, or the first plan as it is; then the other plans. */
static int make_runs(allot__sim *sim)
{
    allot__cli *cli = sim->cli;
    int plans = cli->operand_count - 1, policies = cli->options.policies.count;
    int first = policies > 0 ? policies : 1;
    sim->count = first + plans - 1;
    size_t size = (size_t)sim->count * sizeof *sim->runs;
    sim->runs = allot_engine_alloc(cli->engine, NULL, 0, size);
    if (!sim->runs)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    memset(sim->runs, 0, size);
    for (int i = 0; i < first; i++) {
        sim->runs[i].plan_file = cli->operands[0];
        sim->runs[i].policy = policies > 0 ? cli->options.policies.items[i] : NULL;
    }
    for (int i = first; i < sim->count; i++)
        sim->runs[i].plan_file = cli->operands[i - first + 1];
    return CLI_DONE;
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* The first word is a log, not a plan: the words may be in the wrong order. */
static int check_order(allot__cli *cli)
{
    for (int i = 0; i < cli->operand_count - 1; i++)
        if (allot__cli_is_log(cli->operands[i]))
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", "allot simulate PLAN... TRACE",
                                   "%.200s is a log, where a plan is expected", cli->operands[i]);
    return CLI_DONE;
}

static int prepare(allot__sim *sim)
{
    int code = check_order(sim->cli);
    if (code == CLI_DONE)
        code = take_options(sim);
    if (code == CLI_DONE && sim->cli->operand_count - 1 > 1 &&
        strcmp(sim->cli->operands[0], "-") == 0 && sim->cli->options.policies.count > 1)
        code = allot__cli_fail(sim->cli, CLI_USAGE, "E-usage", NULL,
                               "a plan on standard input can be read only once");
    if (code == CLI_DONE)
        code = make_runs(sim);
    for (int32_t i = 0; i < sim->count && code == CLI_DONE; i++)
        code = allot__sim_open(sim, &sim->runs[i]);
    if (code == CLI_DONE)
        code = allot__cli_map(sim->cli, &sim->map);
    return code == CLI_DONE ? allot__sim_read_trace(sim->cli, sim->trace_file, &sim->trace) : code;
}

/* Frees everything. */
static void end(allot__sim *sim)
{
    allot_engine *engine = sim->cli->engine;
    allot__sim_plot_free(sim->plot);
    for (int32_t i = 0; sim->runs && i < sim->count; i++)
        allot__sim_close(&sim->runs[i]);
    if (sim->runs)
        allot_engine_alloc(engine, sim->runs, (size_t)sim->count * sizeof *sim->runs, 0);
    allot_script_map_free(sim->map);
    allot_trace_free(sim->trace);
}

int allot__cli_simulate(allot__cli *cli)
{
    allot__sim sim = {.cli = cli, .trace_file = cli->operands[cli->operand_count - 1]};
    int code = prepare(&sim);
    if (code == CLI_DONE)
        code = allot__sim_plot_begin(&sim);
    if (code == CLI_DONE)
        code = allot__sim_play_all(&sim);
    if (code == CLI_DONE) {
        allot__sim_json(&sim);
        code = allot__cli_show(cli, CLI_DONE, "text.simulate");
    }
    if (code == CLI_DONE)
        code = allot__sim_plot_write(sim.plot);
    end(&sim);
    return code == CLI_DONE && sim.interrupted ? CLI_NO : code;
}
