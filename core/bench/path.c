/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* path.c: the way a user's documents go: text in, cycle, text out. */
#include "bench/bench.h"

#include <inttypes.h>

enum { CONSUMERS, PLAN_BYTES, STATE_BYTES, DECISION_BYTES, PLAN, STATE, CYCLE, WRITE };
const bench_column allot__bench_path_columns[] = {
    [CONSUMERS] = {"consumers", "consumers", 1, 0, BENCH_NUMBER},
    [PLAN_BYTES] = {"plan_bytes", "plan, MB", 1e-6, 1, BENCH_NUMBER},
    [STATE_BYTES] = {"state_bytes", "state, MB", 1e-6, 1, BENCH_NUMBER},
    [DECISION_BYTES] = {"decision_bytes", "decision, MB", 1e-6, 1, BENCH_NUMBER},
    [PLAN] = {"plan_s", "plan", 1e3, 1, BENCH_TIME},
    [STATE] = {"state_s", "state", 1e3, 1, BENCH_TIME},
    [CYCLE] = {"cycle_s", "cycle", 1e3, 1, BENCH_TIME},
    [WRITE] = {"write_s", "decision", 1e3, 1, BENCH_TIME},
    [WRITE + 1] = {NULL, NULL, 0, 0, BENCH_NUMBER},
};

static void put_plan_value(const allot_plan *plan, int32_t consumer, allot_column column,
                           allot__text *out)
{
    int32_t value = allot_plan_get(plan, 0, consumer, column);
    if (value != (column == ALLOT_LIMIT ? ALLOT_NONE : column == ALLOT_SHARE ? 1 : 0))
        allot__text_printf(out, ", \"%s\": %" PRId32, allot_column_name(column), value);
}

static void put_family(const allot_plan *plan, int32_t parent, allot__text *out)
{
    allot__text_puts(out, "[");
    for (int32_t i = 0; i < allot_plan_children(plan, parent); i++) {
        int32_t child = allot_plan_child(plan, parent, i);
        allot__text_printf(out, "%s{\"name\": \"%s\"", i == 0 ? "\n" : ",\n",
                           allot_plan_name(plan, child));
        for (int column = ALLOT_OWNED; column <= ALLOT_SHARE; column++)
            put_plan_value(plan, child, (allot_column)column, out);
        if (allot_plan_children(plan, child) > 0) {
            allot__text_puts(out, ", \"children\": ");
            put_family(plan, child, out);
        }
        allot__text_puts(out, "}");
    }
    allot__text_puts(out, "]");
}

static void put_state(const bench_tree *tree, allot__text *out)
{
    char path[64];
    const char *between = "\n";
    allot__text_printf(out, "{\"now\": 0, \"slots\": %" PRId64 ", \"consumers\": {",
                       allot_state_slots_get(tree->state, 0));
    for (int32_t i = 0; i < tree->consumers; i++) {
        if (allot_plan_children(tree->plan, i) > 0)
            continue;
        allot_plan_path(tree->plan, i, path, sizeof path);
        allot__text_printf(out, "%s\"%s\": {\"demand\": %" PRId64 ", \"allocated\": %" PRId64 "}",
                           between, path, allot_state_demand_get(tree->state, 0, i),
                           allot_state_allocated_get(tree->state, 0, i));
        between = ",\n";
    }
    allot__text_puts(out, "}}\n");
}

static int put_documents(const bench_tree *tree, allot__text *plan, allot__text *state)
{
    allot__text_puts(plan, "{\"version\": 1, \"policy\": \"hybrid\", \"consumers\": ");
    put_family(tree->plan, ALLOT_ROOT, plan);
    allot__text_puts(plan, "}\n");
    put_state(tree, state);
    return plan->failed || state->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* The samples of one way: plan, state, cycle, write. */
typedef struct way {
    double *plan, *state, *cycle, *write;
} way;

static int go(allot__cli *cli, const allot__text *plan, const allot__text *state, const way *times,
              int i, size_t *written)
{
    allot__documents docs = {0};
    allot__text out = {.engine = cli->engine};
    int status = allot_script_loader_new(cli->engine, NULL, &docs.loader);
    double start = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_plan_read(cli->engine, plan->bytes, plan->len, "bench", &docs.loader,
                                 cli->report, &docs.plan);
    double planned = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_state_read(docs.plan, state->bytes, state->len, "bench", cli->report,
                                  &docs.state);
    double stated = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_cycle(docs.plan, docs.state, cli->report, &docs.decision);
    double decided = allot__bench_clock();
    if (status == ALLOT_OK)
        status = allot_decision_write(docs.decision, NULL, allot__text_sink, &out);
    times->write[i] = allot__bench_clock() - decided;
    times->cycle[i] = decided - stated;
    times->state[i] = stated - planned;
    times->plan[i] = planned - start;
    *written = out.len;
    allot__text_free(&out);
    allot__cli_close(cli, &docs);
    return status;
}

static int measure(allot__cli *cli, const allot__text *plan, const allot__text *state, int repeat,
                   bench_time *row)
{
    size_t written = 0;
    size_t size = 4 * (size_t)repeat * sizeof(double);
    double *block = allot_engine_alloc(cli->engine, NULL, 0, size);
    if (!block)
        return ALLOT_ENOMEM;
    way times = {block, block + repeat, block + 2 * repeat, block + 3 * repeat};
    int status = ALLOT_OK;
    for (int i = 0; i < repeat && status == ALLOT_OK; i++)
        status = go(cli, plan, state, &times, i, &written);
    if (status == ALLOT_OK) {
        row[DECISION_BYTES] = allot__bench_number((double)written);
        row[PLAN] = allot__bench_summary(times.plan, repeat);
        row[STATE] = allot__bench_summary(times.state, repeat);
        row[CYCLE] = allot__bench_summary(times.cycle, repeat);
        row[WRITE] = allot__bench_summary(times.write, repeat);
    }
    allot_engine_alloc(cli->engine, block, size, 0);
    return status;
}

/* The tree of a shape as documents. */
static int write_documents(allot__cli *cli, const bench_shape *shape, allot__text *plan,
                           allot__text *state, int32_t *consumers)
{
    size_t len;
    const char *hybrid = allot_ready_policy_text("hybrid", &len);
    if (!hybrid)
        return ALLOT_EINTERNAL;
    bench_tree tree;
    int status = allot__bench_grow(&tree, shape, hybrid, len, "hybrid", cli->report);
    if (status == ALLOT_OK)
        status = put_documents(&tree, plan, state);
    *consumers = tree.consumers;
    allot__bench_fell(&tree);
    return status;
}

int allot__bench_path(allot__cli *cli, const bench_shape *shape, int repeat, bench_list *list)
{
    allot__text plan = {.engine = cli->engine}, state = {.engine = cli->engine};
    bench_time *row = allot__bench_row(list, NULL);
    int32_t consumers = 0;
    int status = write_documents(cli, shape, &plan, &state, &consumers);
    row[CONSUMERS] = allot__bench_number(consumers);
    row[PLAN_BYTES] = allot__bench_number((double)plan.len);
    row[STATE_BYTES] = allot__bench_number((double)state.len);
    if (status == ALLOT_OK)
        status = measure(cli, &plan, &state, repeat, row);
    allot__text_free(&plan);
    allot__text_free(&state);
    return status;
}
