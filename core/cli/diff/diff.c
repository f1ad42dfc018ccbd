/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff.c: the verb `diff`: two plans, policies or times, and the states on which they differ. */
#include "cli/diff/diff.h"
#include "cli/simulate/simulate.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int compare(allot__cli *cli, allot__diff_side sides[2], const char *path, bool single,
                   allot__diff_sums *sums)
{
    allot__text text = {0};
    allot_diff *diff = NULL;
    const allot__remote *live = sides[0].live;
    int code = live ? CLI_DONE : allot__cli_read(cli, path, &text);
    if (code == CLI_DONE)
        code = allot__sides_decide(cli, sides, live ? &live->state : &text, path);
    if (code == CLI_DONE)
        code = allot__cli_status(cli, allot_diff_new(sides[0].docs.decision, sides[1].docs.decision,
                                                     cli->options.all && single, &diff));
    if (code == CLI_DONE) {
        allot__text_puts(&cli->out, cli->options.json && sums->states > 0 ? ", " : "");
        if (cli->options.json || single)
            allot__diff_json(&cli->out, diff, allot__cli_file_name(path), !cli->options.json);
        allot__sums_add(sums, diff, allot__cli_file_name(path));
    }
    allot_diff_free(diff);
    allot__cli_forget(&sides[0].docs);
    allot__cli_forget(&sides[1].docs);
    allot__text_free(&text);
    return code;
}

/* ---- A log in place of states: A plays it, and B decides about its states -------------------- */

typedef struct watching {
    allot__cli *cli;
    allot__diff_side *other; /* B */
    const char *file;
    allot__diff_sums *sums;
    int64_t next; /* the time from which a state is compared */
} watching;

/* Has B decide about the state of A's decision. */
static int decide(const watching *it, const allot_state *met, allot_report *report)
{
    allot__documents *docs = &it->other->docs;
    int status = allot_state_copy(met, docs->plan, report, &docs->state);
    if (status == ALLOT_OK)
        status = allot_state_seal(docs->state, report);
    if (status == ALLOT_OK)
        status = allot_cycle(docs->plan, docs->state, report, &docs->decision);
    return status;
}

static int add(const watching *it, const allot_decision *a, int64_t now)
{
    allot_diff *diff = NULL;
    char when[40]; /* is the state's name */
    allot_time_text(now, when, sizeof when);
    int status = allot_diff_new(a, it->other->docs.decision, 0, &diff);
    if (status == ALLOT_OK)
        allot__sums_add(it->sums, diff, when);
    allot_diff_free(diff);
    return status;
}

/* An allot_watcher's `decided`. A state that is invalid for B ends the run with its faults. */
static int decided(void *ud, const allot_decision *decision, allot_report *report)
{
    watching *it = ud;
    int64_t now = allot_decision_now(decision);
    if (now < it->next)
        return ALLOT_OK;
    it->next = now + it->cli->options.interval;
    int status = decide(it, allot_decision_state(decision), report);
    if (status == ALLOT_OK)
        status = add(it, decision, now);
    allot__cli_forget(&it->other->docs);
    return status == ALLOT_ENOENT ? ALLOT_EINVALID : status;
}

/* Makes A's simulation of the trace; again, if consumers come that the plans do not name. */
static int load(allot__cli *cli, allot__diff_side sides[2], const allot_trace *trace,
                allot_script_map *map, allot_simulation **out)
{
    const allot_simulation_options options = {.rigid = cli->options.rigid, .always_tasks = 1};
    int code = CLI_DONE, status = ALLOT_ENOENT;
    for (int pass = 0; pass < 2 && status == ALLOT_ENOENT && code == CLI_DONE; pass++) {
        allot_simulation_free(*out);
        *out = NULL;
        for (int i = 0; pass > 0 && i < 2 && code == CLI_DONE; i++)
            code = allot__cli_grow(&sides[i].docs);
        status =
            code == CLI_DONE ? allot_simulation_new(sides[0].docs.plan, &options, out) : ALLOT_OK;
        if (status == ALLOT_EUSAGE)
            return allot__cli_fail(cli, CLI_INVALID, "E-simulate", NULL,
                                   "%.200s cannot be simulated: it has lease contracts, or no "
                                   "consumer or queue that could get slots",
                                   sides[0].plan);
        if (*out)
            status = allot_simulation_load(*out, trace, map ? allot_script_map_record : NULL, map,
                                           cli->report);
    }
    return code == CLI_DONE ? allot__cli_status(cli, status) : code;
}

static int play(watching *it, allot_simulation *simulation)
{
    allot__cli *cli = it->cli;
    allot_watcher watcher = {.ud = it, .decided = decided};
    allot_simulation_watch(simulation, &watcher);
    int status = allot_simulation_run(simulation, cli->report);
    if (status == ALLOT_OK && it->sums->states == 0)
        return allot__cli_fail(cli, CLI_INVALID, "E-nothing", NULL,
                               "no job of %.200s takes part: nothing was compared", it->file);
    return allot__cli_status(cli, status);
}

static int compare_trace(allot__cli *cli, allot__diff_side sides[2], const char *path,
                         allot__diff_sums *sums)
{
    watching it = {cli, &sides[1], allot__cli_file_name(path), sums, INT64_MIN};
    allot_trace *trace = NULL;
    allot_script_map *map = NULL;
    allot_simulation *simulation = NULL;
    if (sides[0].at || sides[1].at)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "@TIME is only for states: a log has its own times");
    int code = allot__sim_read_trace(cli, path, &trace);
    if (code == CLI_DONE)
        code = allot__cli_map(cli, &map);
    if (code == CLI_DONE)
        code = load(cli, sides, trace, map, &simulation);
    if (code == CLI_DONE)
        code = play(&it, simulation);
    allot_simulation_free(simulation);
    allot_script_map_free(map);
    allot_trace_free(trace);
    return code;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static void put_begin(allot__cli *cli, const allot__diff_side sides[2])
{
    allot__text_puts(&cli->out, "{\"schema\": \"allot/diff/v1\",\n\"a\": ");
    allot__diff_json_side(&cli->out, &sides[0]);
    allot__text_puts(&cli->out, ",\n\"b\": ");
    allot__diff_json_side(&cli->out, &sides[1]);
    allot__text_puts(&cli->out, ",\n\"states\": [");
}

static void put_end(allot__cli *cli, const allot__diff_side sides[2], allot__diff_sums *sums)
{
    allot__sums_sort(sums);
    allot__text_puts(&cli->out, "],\n\"summary\": ");
    allot__diff_json_sums(&cli->out, sums, sides, !cli->options.json);
    allot__text_printf(&cli->out,
                       ",\n\"same\": %s,\n\"warnings\": ", sums->differ > 0 ? "false" : "true");
    allot__cli_warnings_json(cli->report, &cli->out);
    allot__text_puts(&cli->out, "}\n");
}

static int is_state(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && allot__cli_ends_in(entry->d_name, ".json");
}

static int compare_folder(allot__cli *cli, allot__diff_side sides[2], const char *folder,
                          struct dirent **entries, int count, allot__diff_sums *sums)
{
    int code = CLI_DONE;
    size_t len = strlen(folder);
    allot__text path = {.engine = cli->engine};
    for (int i = 0; i < count && code == CLI_DONE; i++) {
        path.len = 0;
        allot__text_printf(&path, "%s%s%s", folder, len == 0 || folder[len - 1] == '/' ? "" : "/",
                           entries[i]->d_name);
        code = path.failed ? allot__cli_status(cli, ALLOT_ENOMEM)
                           : compare(cli, sides, path.bytes, false, sums);
    }
    allot__text_free(&path);
    if (count == 0)
        code =
            allot__cli_fail(cli, CLI_INVALID, "E-nothing", NULL,
                            "%.200s has no file that ends in .json: nothing was compared", folder);
    return code;
}

/* A state, or a folder of states, taken by name. An operand that cannot be opened as a folder is
 * read as a file, which then reports the error. */
static int compare_operand(allot__cli *cli, allot__diff_side sides[2], const char *path,
                           bool single, allot__diff_sums *sums)
{
    struct dirent **entries;
    if (allot__cli_is_log(path))
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                               "a log cannot be compared together with states");
    int count = strcmp(path, "-") != 0 ? scandir(path, &entries, is_state, alphasort) : -1;
    if (count < 0)
        return compare(cli, sides, path, single, sums);
    int code = compare_folder(cli, sides, path, entries, count, sums);
    while (count > 0)
        free(entries[--count]);
    free(entries);
    return code;
}

static int compare_all(allot__cli *cli, allot__diff_side sides[2], allot__diff_sums *sums)
{
    char **operands = cli->operands + 2;
    int code = CLI_DONE, count = cli->operand_count - 2;
    put_begin(cli, sides);
    if (sides[0].live)
        code = compare(cli, sides, sides[0].live->address, true, sums);
    else if (count == 1 && allot__cli_is_log(operands[0]))
        code = compare_trace(cli, sides, operands[0], sums);
    else
        for (int i = 0; i < count && code == CLI_DONE; i++)
            code = compare_operand(cli, sides, operands[i], count == 1, sums);
    if (code == CLI_DONE && sums->failed)
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    if (code == CLI_DONE)
        put_end(cli, sides, sums);
    return code == CLI_DONE && sums->differ > 0 ? CLI_NO : code;
}

/* `live`: the service's plan and state; NULL: files. */
static int compare_sides(allot__cli *cli, allot__remote *live)
{
    allot__diff_side sides[2];
    allot__diff_sums sums;
    int code = allot__sides_open(cli, live, sides);
    if (code == CLI_DONE) {
        code = allot__sums_new(cli, sides, &sums);
        if (code == CLI_DONE)
            code = compare_all(cli, sides, &sums);
        allot__sums_free(&sums);
    }
    allot__diff_side_close(cli, &sides[0]);
    allot__diff_side_close(cli, &sides[1]);
    return code;
}

int allot__cli_diff(allot__cli *cli)
{
    allot__remote live;
    bool remote = allot__cli_is_live(cli);
    int code = remote ? allot__remote_open(cli, &live) : CLI_DONE;
    if (code == CLI_DONE)
        code = compare_sides(cli, remote ? &live : NULL);
    if (remote)
        allot__remote_close(&live);
    return allot__cli_show(cli, code, "text.diff");
}
