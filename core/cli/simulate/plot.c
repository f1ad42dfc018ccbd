/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plot.c: records simulations as they run: for a picture (--plot), and as a file of samples
 * (--samples). Both files appear complete, or not at all.
 *
 * For a picture it writes events into a nameless file, line by line; lua/allot/plot turns them into
 * what gnuplot draws: slots held by consumers, stacked; actual and demanded slots as lines; below
 * them reclaimed slots; simulations under each other on the same axes.
 */
#include "cli/simulate/simulate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <spawn.h>
#include <sys/wait.h>

#define PANELS   12
#define SWITCHES 64    /* lines of more switches are not drawn */
#define BINS     "400" /* of about two pixels each */

struct allot__plot {
    allot__cli *cli;
    FILE *series;      /* as lua/allot/plot/init.lua reads it; NULL: no picture */
    allot__text words; /* the tool's arguments, each ended by a NUL */
    FILE *samples;     /* lines of CSV; NULL: none */
    allot__text part;  /* the name of that file until it is complete */
    int error;         /* errno of the first line that could not be written */
    /* Of the running simulation. */
    const allot_plan *plan;
    allot__text name, field; /* as in CSV; space for a consumer's path */
    int64_t first;           /* the first instant with a sample */
    bool begun;
};

/* ---- gnuplot --------------------------------------------------------------------------------- */

/* gnuplot reads the script from a nameless file and writes the picture into another: no name of
 * ours is ever a word of a shell or of gnuplot, and no file is left after a failure. */

extern char **environ;

enum { SCRIPT, PICTURE, COMPLAINTS, FILES }; /* its standard streams */

/* Runs it; 0, and its status of wait(), or errno. */
static int run(FILE *const files[FILES], char *const argv[], int *code)
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    for (int i = 0; i < FILES && error == 0; i++)
        error = posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
    if (error == 0)
        error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (error == 0 && waitpid(pid, code, 0) < 0)
        error = errno == EINTR ? 0 : errno;
    return error;
}

static int open_files(FILE *files[FILES], const allot__text *script)
{
    for (int i = 0; i < FILES; i++)
        if (!(files[i] = tmpfile()))
            return errno;
    if (script && fwrite(script->bytes, 1, script->len, files[SCRIPT]) != script->len)
        return errno;
    return fflush(files[SCRIPT]) != 0 || fseek(files[SCRIPT], 0, SEEK_SET) != 0 ? errno : 0;
}

static void read_file(FILE *file, allot__text *out)
{
    char piece[65536];
    rewind(file);
    for (size_t len; (len = fread(piece, 1, sizeof piece, file)) > 0;)
        allot__text_add(out, piece, len);
}

/* gnuplot's message after a failure, on one line. */
static void read_complaints(FILE *file, char *buf, size_t size)
{
    rewind(file);
    size_t len = fread(buf, 1, size - 1, file), kept = 0;
    for (size_t i = 0; i < len; i++) {
        bool blank = buf[i] == '\n' || buf[i] == ' ' || buf[i] == '\t';
        if (!blank)
            buf[kept++] = buf[i];
        else if (kept > 0 && buf[kept - 1] != ' ')
            buf[kept++] = ' ';
    }
    buf[kept] = '\0';
}

static int judge(allot__cli *cli, FILE *const files[FILES], int code, const allot__text *out)
{
    char complaints[400];
    if (out->failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0 && out->len > 0)
        return CLI_DONE;
    read_complaints(files[COMPLAINTS], complaints, sizeof complaints);
    return allot__cli_fail(cli, CLI_IO, "E-plot", "--plot FILE.gp writes the script that it got",
                           "gnuplot failed: %s", complaints[0] != '\0' ? complaints : "no output");
}

static int no_gnuplot(allot__cli *cli, int error)
{
    char words[CLI_WHY];
    return allot__cli_fail(cli, CLI_IO, "E-plot",
                           "apt-get install gnuplot-nox; --plot FILE.gp and --samples FILE "
                           "need none",
                           "--plot needs gnuplot, which cannot be run: %s",
                           allot__cli_words(error, words));
}

/* Runs gnuplot over a script and takes its standard output; NULL: only checks that gnuplot runs.
 * CLI_IO (E-plot: there is no gnuplot, or it failed). */
static int run_gnuplot(allot__cli *cli, const allot__text *script, allot__text *out)
{
    static char name[] = "gnuplot", plain[] = "-d", input[] = "-", version[] = "--version";
    char *const draw[] = {name, plain, input, NULL}, *const ask[] = {name, version, NULL};
    allot__text answer = {.engine = cli->engine}, *to = out ? out : &answer;
    FILE *files[FILES] = {NULL};
    int code = 0, error = open_files(files, script);
    if (error == 0)
        error = run(files, script ? draw : ask, &code);
    if (error == 0)
        read_file(files[PICTURE], to);
    int result = error != 0 ? no_gnuplot(cli, error) : judge(cli, files, code, to);
    for (int i = 0; i < FILES; i++)
        if (files[i])
            fclose(files[i]);
    allot__text_free(&answer);
    return result;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static int check_path(allot__cli *cli, const char *path, int32_t count)
{
    if (!allot__cli_ends_in(path, ".svg") && !allot__cli_ends_in(path, ".png") &&
        !allot__cli_ends_in(path, ".gp"))
        return allot__cli_fail(
            cli, CLI_USAGE, "E-usage", ".svg and .png are pictures, .gp is the script for gnuplot",
            "--plot takes a file that ends in .svg, .png or .gp, not \"%.200s\"", path);
    if (count > PANELS)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "--plot draws at most %d simulations", PANELS);
    /* Fails before minutes of work, not after. */
    return allot__cli_ends_in(path, ".gp") ? CLI_DONE : run_gnuplot(cli, NULL, NULL);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "log.swf.gz under plan.json"; with several plans the panels name theirs. */
static void add_title(const allot__sim *sim, allot__text *out)
{
    bool same = true;
    for (int32_t i = 1; i < sim->count; i++)
        same = same && strcmp(sim->runs[i].plan_file, sim->runs[0].plan_file) == 0;
    allot__text_puts(out, last_part(allot__cli_file_name(sim->trace_file)));
    if (same)
        allot__text_printf(out, " under %s",
                           last_part(allot__cli_file_name(sim->runs[0].plan_file)));
    allot__text_add(out, "", 1);
}

static void add_word(allot__plot *plot, const char *word)
{
    allot__text_add(&plot->words, word, strlen(word) + 1);
}

static int begin_picture(const allot__sim *sim, allot__plot *plot)
{
    char bins[24] = BINS;
    const char *path = plot->cli->options.plot;
    if (plot->cli->options.bins > 0)
        snprintf(bins, sizeof bins, "%" PRId64, plot->cli->options.bins);
    add_title(sim, &plot->words);
    add_word(plot, allot__cli_ends_in(path, ".png") ? "png" : "svg");
    add_word(plot, bins);
    add_word(plot, plot->cli->options.all ? "all" : "first");
    plot->series = tmpfile();
    return plot->series ? CLI_DONE : allot__cli_unwritten(plot->cli, path, errno);
}

static int begin_samples(allot__plot *plot)
{
    const char *path = plot->cli->options.samples;
    allot__text_printf(&plot->part, "%s.%ld.part", path, (long)getpid());
    if (plot->part.failed)
        return allot__cli_status(plot->cli, ALLOT_ENOMEM);
    plot->samples = fopen(plot->part.bytes, "wxe");
    if (!plot->samples)
        return allot__cli_unwritten(plot->cli, path, errno);
    fputs("policy,at,group,consumer,demand,allocated,busy,reclaimed,killed\n", plot->samples);
    return CLI_DONE;
}

int allot__sim_plot_begin(allot__sim *sim)
{
    allot__cli *cli = sim->cli;
    const char *path = cli->options.plot, *samples = cli->options.samples;
    int code = path ? check_path(cli, path, sim->count) : CLI_DONE;
    if (code != CLI_DONE || (!path && !samples))
        return code;
    allot__plot *plot = allot_engine_alloc(cli->engine, NULL, 0, sizeof *plot);
    if (!plot)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    const allot__text none = {.engine = cli->engine};
    *plot = (allot__plot){.cli = cli, .words = none, .part = none, .name = none, .field = none};
    sim->plot = plot;
    code = path ? begin_picture(sim, plot) : CLI_DONE;
    return code == CLI_DONE && samples ? begin_samples(plot) : code;
}

/* ---- A simulation ---------------------------------------------------------------------------- */

/* A field of CSV, quoted if necessary (RFC 4180). */
static void put_field(allot__text *out, const char *text)
{
    out->len = 0;
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        allot__text_puts(out, text);
        return;
    }
    allot__text_puts(out, "\"");
    for (; *text != '\0'; text++)
        allot__text_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    allot__text_puts(out, "\"");
}

static void begin_at(allot__plot *plot, int64_t at)
{
    if (!plot->begun)
        plot->first = at;
    plot->begun = true;
}

static void take_size(void *ud, int64_t at, int32_t group, int64_t slots)
{
    allot__plot *plot = ((const allot__sim_progress *)ud)->sim->plot;
    if (!plot->series)
        return;
    begin_at(plot, at);
    fprintf(plot->series, "1 %" PRId64 " %" PRId32 " %" PRId64 "\n", at, group, slots);
}

/* Names of consumers and groups need no quotes. */
static void put_sample(allot__plot *plot, const allot_sample *it)
{
    plot->field.len = 0;
    allot__text_path(&plot->field, plot->plan, it->consumer);
    if (plot->field.failed || plot->name.failed)
        plot->error = plot->error ? plot->error : ENOMEM;
    else if (fprintf(plot->samples,
                     "%s,%" PRId64 ",%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                     "\n",
                     plot->name.bytes, it->at, allot_plan_group_name(plot->plan, it->group),
                     plot->field.bytes, it->demand, it->allocated, it->busy, it->reclaimed,
                     it->killed) < 0)
        plot->error = plot->error ? plot->error : errno;
}

static void take_sample(void *ud, const allot_sample *it)
{
    allot__plot *plot = ((const allot__sim_progress *)ud)->sim->plot;
    if (plot->samples)
        put_sample(plot, it);
    if (!plot->series)
        return;
    begin_at(plot, it->at);
    fprintf(plot->series,
            "2 %" PRId64 " %" PRId32 " %" PRId32 " %" PRId64 " %" PRId64 " %" PRId64 "\n", it->at,
            it->group, it->consumer, it->demand, it->allocated, it->reclaimed);
}

/* Connects a watcher, whose ud is an allot__sim_progress. */
int allot__sim_plot_watch(const allot__sim *sim, const allot__sim_run *run, allot_watcher *watcher)
{
    allot__plot *plot = sim->plot;
    if (!plot)
        return CLI_DONE;
    watcher->sample = take_sample;
    watcher->size = take_size;
    plot->plan = run->docs.plan;
    plot->begun = false;
    put_field(&plot->name, run->name.bytes);
    if (!plot->series)
        return CLI_DONE;
    add_word(plot, run->name.bytes);
    fprintf(plot->series, "0 %" PRId32 "\n", allot_plan_consumers(plot->plan));
    for (int32_t i = 0; i < allot_plan_consumers(plot->plan); i++) {
        plot->field.len = 0;
        allot__text_path(&plot->field, plot->plan, i);
        if (plot->field.failed)
            return allot__cli_status(plot->cli, ALLOT_ENOMEM);
        fprintf(plot->series, "5 %" PRId32 " %s\n", i, plot->field.bytes);
    }
    return CLI_DONE;
}

int allot__sim_plot_end(allot__plot *plot, int64_t at)
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
    return ferror(plot->series) ? allot__cli_unwritten(plot->cli, plot->cli->options.plot, errno)
                                : CLI_DONE;
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
    const char *words[4 + PANELS];
    int32_t count = 0;
    int answer;
    if (plot->words.failed)
        return allot__cli_status(cli, ALLOT_ENOMEM);
    for (size_t at = 0; at < plot->words.len; at += strlen(plot->words.bytes + at) + 1)
        words[count++] = plot->words.bytes + at;
    if (fseek(plot->series, 0, SEEK_SET) != 0)
        return allot__cli_unwritten(cli, cli->options.plot, errno);
    int status =
        allot_tool_run(cli->engine, &host, "plot", "draw", words, count, &answer, cli->report);
    *script = it.script;
    return allot__cli_status(cli, script->failed ? ALLOT_ENOMEM : status);
}

static int write_picture(allot__plot *plot)
{
    allot__cli *cli = plot->cli;
    const char *path = cli->options.plot;
    allot__text script = {.engine = cli->engine}, drawn = {.engine = cli->engine};
    bool bare = allot__cli_ends_in(path, ".gp");
    int code = write_script(plot, &script);
    if (code == CLI_DONE && !bare)
        code = run_gnuplot(cli, &script, &drawn);
    const allot__text *result = bare ? &script : &drawn;
    if (code == CLI_DONE)
        code = allot__cli_put_file(cli, path, result->bytes, result->len);
    allot__text_free(&script);
    allot__text_free(&drawn);
    return code;
}

static int write_samples(allot__plot *plot)
{
    const char *path = plot->cli->options.samples;
    int closed = fclose(plot->samples), error = plot->error;
    plot->samples = NULL;
    if (error == 0 && (closed != 0 || rename(plot->part.bytes, path) != 0))
        error = errno;
    if (error == 0)
        return CLI_DONE;
    unlink(plot->part.bytes);
    return error == ENOMEM ? allot__cli_status(plot->cli, ALLOT_ENOMEM)
                           : allot__cli_unwritten(plot->cli, path, error);
}

int allot__sim_plot_write(allot__plot *plot)
{
    int code = plot && plot->series ? write_picture(plot) : CLI_DONE;
    return code == CLI_DONE && plot && plot->samples ? write_samples(plot) : code;
}

void allot__sim_plot_free(allot__plot *plot)
{
    if (!plot)
        return;
    if (plot->series)
        fclose(plot->series);
    if (plot->samples) {
        fclose(plot->samples);
        unlink(plot->part.bytes);
    }
    allot__text_free(&plot->words);
    allot__text_free(&plot->part);
    allot__text_free(&plot->name);
    allot__text_free(&plot->field);
    allot_engine_alloc(plot->cli->engine, plot, sizeof *plot, 0);
}
