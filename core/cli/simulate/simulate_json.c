/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate_json.c: what simulations came to, for programs: as JSON, and as rows of CSV. */
#include "cli/simulate/simulate.h"

#include <inttypes.h>
#include <string.h>

/* ---- Columns, the same in both ----------------------------------------------------------------
 */

typedef struct column {
    const char *name;
    size_t at; /* in allot_figures */
    bool real; /* a double; else int64_t */
} column;

#define COUNT(name)                                                                                \
    {                                                                                              \
#name, offsetof(allot_figures, name), false                                                \
    }
#define REAL(text, name)                                                                           \
    {                                                                                              \
        text, offsetof(allot_figures, name), true                                                  \
    }
#define SPREAD(name)                                                                               \
    REAL(#name "_mean", name.mean), REAL(#name "_p50", name.p50), REAL(#name "_p95", name.p95),    \
        REAL(#name "_p99", name.p99), REAL(#name "_most", name.most)

static const column columns[] = {
    COUNT(jobs),
    COUNT(ended),
    COUNT(killed),
    COUNT(refused),
    COUNT(unfinished),
    COUNT(busy),
    COUNT(useful),
    COUNT(lost),
    COUNT(open),
    COUNT(gathered),
    COUNT(offered),
    REAL("utilisation", utilisation),
    REAL("goodput", goodput),
    SPREAD(wait),
    SPREAD(slowdown),
    COUNT(preemptions),
    COUNT(preempted_jobs),
    COUNT(reclaims),
    COUNT(reclaimed),
    REAL("fairness", fairness),
};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_column(const column *column, const allot_figures *figures, allot__text *out)
{
    const char *at = (const char *)figures + column->at;
    if (column->real)
        allot__text_printf(out, "%.9g", *(const double *)(const void *)at);
    else
        allot__text_printf(out, "%" PRId64, *(const int64_t *)(const void *)at);
}

/* Calls `put` for the whole and each consumer that is shown. */
static int each(const allot__sim *sim, const allot__sim_run *run, allot__text *out,
                void (*put)(const allot__sim_run *run, int32_t consumer,
                            const allot_figures *figures, allot__text *out))
{
    int32_t consumer = ALLOT_ROOT;
    int status = ALLOT_OK;
    put(run, ALLOT_ROOT, &run->figures, out);
    while (status == ALLOT_OK && (consumer = allot_plan_next(run->plan, consumer)) >= 0) {
        allot_figures figures;
        if (!allot__sim_tells(sim, run->plan, consumer))
            continue;
        status = allot_simulation_figures(run->simulation, consumer, &figures);
        if (status == ALLOT_OK)
            put(run, consumer, &figures, out);
    }
    return status;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_members(const allot_figures *figures, allot__text *out)
{
    for (int i = 0; i < COLUMNS; i++) {
        allot__text_printf(out, "%s\"%s\": ", i > 0 ? ", " : "", columns[i].name);
        put_column(&columns[i], figures, out);
    }
}

static void put_object(const allot__sim_run *run, int32_t consumer, const allot_figures *figures,
                       allot__text *out)
{
    char path[300] = "";
    if (consumer == ALLOT_ROOT) {
        allot__text_puts(out, ",\n  \"figures\": {");
        put_members(figures, out);
        allot__text_puts(out, "},\n  \"consumers\": [");
        return;
    }
    bool first = out->len > 0 && out->bytes[out->len - 1] == '[';
    allot_plan_path(run->plan, consumer, path, sizeof path);
    allot__text_puts(out, first ? "\n    {\"path\": " : ",\n    {\"path\": ");
    allot__text_json(out, path);
    allot__text_puts(out, ", ");
    put_members(figures, out);
    allot__text_puts(out, "}");
}

static void put_counts(const allot_simulation_counts *it, allot__text *out)
{
    const struct {
        const char *name;
        int64_t value;
    } rows[] = {
        {"events", it->events},       {"arrivals", it->arrivals}, {"starts", it->starts},
        {"ends", it->ends},           {"kills", it->kills},       {"suspends", it->suspends},
        {"resumes", it->resumes},     {"reclaims", it->reclaims}, {"changes", it->changes},
        {"instants", it->instants},   {"cycles", it->cycles},     {"with_tasks", it->with_tasks},
        {"unsettled", it->unsettled}, {"left_out", it->left_out}, {"outside", it->outside},
        {"first", it->first},         {"last", it->last},
    };
    allot__text_puts(out, "\"counts\": {");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        allot__text_printf(out, "%s\"%s\": %" PRId64, i > 0 ? ", " : "", rows[i].name,
                           rows[i].value);
    allot__text_printf(out, ", \"stopped\": %s}", it->stopped ? "true" : "false");
}

static int put_run(const allot__sim *sim, const allot__sim_run *run, allot__text *out)
{
    const allot_policy *policy = allot_plan_group_policy(run->plan, 0);
    allot__text_puts(out, "{\n  \"name\": ");
    allot__text_json(out, run->name);
    allot__text_puts(out, ", \"plan\": ");
    allot__text_json(out, run->plan_file);
    allot__text_puts(out, ", \"policy\": {\"name\": ");
    allot__text_json(out, allot_policy_name(policy));
    allot__text_puts(out, ", \"sha256\": ");
    allot__text_json(out, allot_policy_sha256(policy));
    allot__text_puts(out, "},\n  ");
    put_counts(&run->counts, out);
    int status = each(sim, run, out, put_object);
    allot__text_puts(out, "]}");
    return status;
}

int allot__sim_json(const allot__sim *sim, allot__text *out)
{
    int status = ALLOT_OK;
    allot__text_puts(out, "{\"schema\": \"allot/simulation/v1\",\n\"trace\": {\"file\": ");
    allot__text_json(out, allot_trace_file(sim->trace));
    allot__text_printf(out, ", \"records\": %" PRId32 ", \"others\": %" PRId32 "},\n\"runs\": [",
                       allot_trace_records(sim->trace), allot_trace_others(sim->trace));
    for (int32_t i = 0; i < sim->played && status == ALLOT_OK; i++) {
        allot__text_puts(out, i > 0 ? ", " : "");
        status = put_run(sim, &sim->runs[i], out);
    }
    allot__text_puts(out, "],\n\"warnings\": ");
    allot__cli_warnings_json(sim->cli->report, out);
    allot__text_puts(out, "}\n");
    return status;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Quoted where it has to be. */
static void put_field(const char *text, allot__text *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        allot__text_puts(out, text);
        return;
    }
    allot__text_puts(out, "\"");
    for (; *text != '\0'; text++)
        allot__text_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    allot__text_puts(out, "\"");
}

static void put_row(const allot__sim_run *run, int32_t consumer, const allot_figures *figures,
                    allot__text *out)
{
    char path[300] = "/";
    if (consumer != ALLOT_ROOT)
        allot_plan_path(run->plan, consumer, path, sizeof path);
    put_field(run->name, out);
    allot__text_puts(out, ",");
    put_field(path, out);
    for (int i = 0; i < COLUMNS; i++) {
        allot__text_puts(out, ",");
        put_column(&columns[i], figures, out);
    }
    allot__text_puts(out, "\n");
}

int allot__sim_csv(const allot__sim *sim, allot__text *out)
{
    int status = ALLOT_OK;
    allot__text_puts(out, "run,consumer");
    for (int i = 0; i < COLUMNS; i++)
        allot__text_printf(out, ",%s", columns[i].name);
    allot__text_puts(out, "\n");
    for (int32_t i = 0; i < sim->played && status == ALLOT_OK; i++)
        status = each(sim, &sim->runs[i], out, put_row);
    return status;
}
