/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff.c: the verb `diff`: two plans, policies or times, and the states on which they differ. */
#include "cli/diff/diff.h"

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
        if (cli->options.json || single)
            allot__diff_json(&cli->out, diff, allot__cli_file_name(path), !cli->options.json);
        allot__sums_add(sums, diff);
    }
    allot_diff_free(diff);
    allot__cli_forget(&sides[0].docs);
    allot__cli_forget(&sides[1].docs);
    allot__text_free(&text);
    return code;
}

static void put_begin(allot__cli *cli, const allot__diff_side sides[2])
{
    allot__text_puts(&cli->out, "{\"schema\": \"allot/diff/v1\",\n\"a\": ");
    allot__diff_json_side(&cli->out, &sides[0]);
    allot__text_puts(&cli->out, ",\n\"b\": ");
    allot__diff_json_side(&cli->out, &sides[1]);
    allot__text_puts(&cli->out, ",\n\"states\": [");
}

static void put_end(allot__cli *cli, const allot__diff_side sides[2], const allot__paths *states,
                    allot__diff_sums *sums)
{
    allot__sums_sort(sums);
    allot__text_puts(&cli->out, "],\n\"summary\": ");
    allot__diff_json_sums(&cli->out, sums, states, sides, !cli->options.json);
    allot__text_printf(&cli->out,
                       ",\n\"same\": %s,\n\"warnings\": ", sums->differ > 0 ? "false" : "true");
    allot__cli_warnings_json(cli->report, &cli->out);
    allot__text_puts(&cli->out, "}\n");
}

static int compare_states(allot__cli *cli, allot__diff_side sides[2], const allot__paths *states,
                          bool single, allot__diff_sums *sums)
{
    int code = CLI_DONE;
    for (size_t i = 0; i < states->count && code == CLI_DONE; i++) {
        if (!sides[0].live && allot__is_trace(states->items[i]))
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                                   "a log cannot be compared together with states");
        allot__text_puts(&cli->out, cli->options.json && i > 0 ? ", " : "");
        code = compare(cli, sides, states->items[i], single, sums);
    }
    return code;
}

static int compare_all(allot__cli *cli, allot__diff_side sides[2], const allot__paths *states)
{
    allot__diff_sums sums;
    allot__paths met = {.engine = cli->engine};
    bool trace = states->count == 1 && !sides[0].live && allot__is_trace(states->items[0]);
    bool single = states->count == 1 && !states->folder && !trace;
    int code = allot__sums_new(cli, sides, &sums);
    if (code == CLI_DONE) {
        put_begin(cli, sides);
        code = trace ? allot__diff_trace(cli, sides, states->items[0], &sums, &met)
                     : compare_states(cli, sides, states, single, &sums);
    }
    if (code == CLI_DONE && sums.failed)
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    if (code == CLI_DONE)
        put_end(cli, sides, trace ? &met : states, &sums);
    bool differs = sums.differ > 0;
    allot__sums_free(&sums);
    allot__paths_free(&met);
    return code == CLI_DONE && differs ? CLI_NO : code;
}

/* `live`: the service's plan and state; NULL: files. */
static int compare_sides(allot__cli *cli, allot__remote *live)
{
    allot__diff_side sides[2];
    allot__paths states = {.engine = cli->engine};
    int code = allot__sides_open(cli, live, sides);
    if (code == CLI_DONE && live)
        code = allot__paths_push(&states, live->address) ? CLI_DONE
                                                         : allot__cli_status(cli, ALLOT_ENOMEM);
    else if (code == CLI_DONE)
        code = allot__paths_of(cli, cli->operands + 2, cli->operand_count - 2, &states);
    if (code == CLI_DONE)
        code = compare_all(cli, sides, &states);
    allot__paths_free(&states);
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
