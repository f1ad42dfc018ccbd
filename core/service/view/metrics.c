/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * metrics.c: /metrics, in Prometheus' text format 0.0.4.
 *
 * Each metric has its HELP and TYPE; times are in seconds. Consumers have labels on the first level
 * alone, and no more than CONSUMERS of them: who has more reads the documents.
 */
#include <string.h>

#include "base/path.h"
#include "service/view/view.h"
#include "service/wire/feed.h"
#include "service/wire/token.h"
#include "service/wire/wire.h"

#define CONSUMERS 100

/* ---- Lines ----------------------------------------------------------------------------------- */

static void head(allot__text *out, const char *name, const char *type, const char *help)
{
    allot__text_printf(out, "# HELP allot_%s %s\n# TYPE allot_%s %s\n", name, help, name, type);
}

static void one(allot__text *out, const char *name, const char *type, const char *help,
                int64_t value)
{
    head(out, name, type, help);
    allot__text_printf(out, "allot_%s %lld\n", name, (long long)value);
}

/* Microseconds as seconds. */
static void put_seconds(allot__text *out, int64_t us)
{
    allot__text_printf(out, "%lld.%06d", (long long)(us / 1000000), (int)(us % 1000000));
}

static void seconds(allot__text *out, const char *name, const char *type, const char *help,
                    int64_t us)
{
    head(out, name, type, help);
    allot__text_printf(out, "allot_%s ", name);
    put_seconds(out, us);
    allot__text_puts(out, "\n");
}

/* A label's value with its quotes: names have nothing to escape but what policies are called. */
static void put_label(allot__text *out, const char *text)
{
    allot__text_puts(out, "\"");
    for (; *text != '\0'; text++)
        if (*text == '\n')
            allot__text_puts(out, "\\n");
        else if (*text == '"' || *text == '\\')
            allot__text_printf(out, "\\%c", *text);
        else
            allot__text_add(out, text, 1);
    allot__text_puts(out, "\"");
}

/* ---- What the service did -------------------------------------------------------------------- */

static void put_cycles(const allot_service *service, const allot__view *view, allot__text *out)
{
    int64_t count = 0;
    head(out, "cycle_seconds", "histogram", "How long cycles took.");
    for (int i = 0; i < ALLOT__VIEW_BOUNDS; i++) {
        count += view->took[i];
        allot__text_puts(out, "allot_cycle_seconds_bucket{le=\"");
        put_seconds(out, allot__view_bounds[i]);
        allot__text_printf(out, "\"} %lld\n", (long long)count);
    }
    count += view->took[ALLOT__VIEW_BOUNDS];
    allot__text_printf(out,
                       "allot_cycle_seconds_bucket{le=\"+Inf\"} %lld\nallot_cycle_seconds_sum ",
                       (long long)count);
    put_seconds(out, service->tally.cycle_us);
    allot__text_printf(out, "\nallot_cycle_seconds_count %lld\n", (long long)count);
    seconds(out, "cycle_seconds_longest", "gauge", "The longest cycle.",
            service->tally.cycle_us_most);
}

static void put_orders(const allot__view_orders *sum, allot__text *out)
{
    const struct {
        const char *order;
        int64_t count;
    } orders[] = {
        {"grant", sum->grants}, {"reclaim", sum->reclaims}, {"kill", sum->kills},
        {"start", sum->starts}, {"suspend", sum->suspends}, {"resume", sum->resumes},
    };
    head(out, "orders_total", "counter", "Orders of decisions, by what they order.");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        allot__text_printf(out, "allot_orders_total{order=\"%s\"} %lld\n", orders[i].order,
                           (long long)orders[i].count);
    one(out, "granted_slots_total", "counter", "Slots granted.", sum->granted);
    one(out, "reclaimed_slots_total", "counter", "Slots reclaimed.", sum->reclaimed);
}

static void put_tally(const allot_service *service, allot__text *out)
{
    const allot__tally *tally = &service->tally;
    one(out, "events_total", "counter", "Events entered.", tally->events);
    one(out, "events_refused_total", "counter", "Events that were wrong.", tally->refused);
    one(out, "events_repeated_total", "counter", "Events whose key was known.", tally->repeated);
    head(out, "cycles_total", "counter", "Cycles, by how they ended.");
    allot__text_printf(out, "allot_cycles_total{outcome=\"done\"} %lld\n",
                       (long long)(tally->cycles - tally->failures));
    allot__text_printf(out, "allot_cycles_total{outcome=\"failed\"} %lld\n",
                       (long long)tally->failures);
    one(out, "decisions_total", "counter", "Decisions that ordered something.", tally->decisions);
    one(out, "connections_total", "counter", "Clients that connected.", tally->connections);
    one(out, "turned_away_total", "counter", "Clients that were turned away.", tally->turned_away);
    one(out, "wrong_tokens_total", "counter", "Words that were said for the token and are not.",
        allot__token_wrong(service));
    one(out, "connections", "gauge", "Clients that are connected.", allot__wire_peers(service));
    one(out, "subscribers", "gauge", "Clients that decisions are told to.",
        allot__feed_subscribers(service->feed));
    one(out, "decisions_missed_total", "counter", "Decisions that subscribers were too slow for.",
        allot__feed_missed(service->feed));
    one(out, "event_number", "gauge", "The last event's number.", service->event);
    one(out, "decision_number", "gauge", "The last decision's number.", service->seq);
    seconds(out, "uptime_seconds", "gauge", "Since the service was made.",
            (int64_t)((uv_hrtime() - service->started) / 1000));
}

static void put_store(const allot_service *service, allot__text *out)
{
    char why[8];
    allot__store_figures figures = allot__store_count(service->store);
    one(out, "healthy", "gauge", "1: /healthz says ok.",
        !allot__health_ails(service, why, sizeof why));
    one(out, "store_ok", "gauge", "1: what is written gets to the disk.",
        !allot__store_error(service->store));
    one(out, "store_batches_total", "counter", "Commits.", figures.batches);
    one(out, "store_rows_total", "counter", "Rows written.", figures.rows);
    one(out, "store_waiting_bytes", "gauge", "Bytes that wait for the disk.", figures.waiting);
    seconds(out, "store_commit_seconds_longest", "gauge", "The slowest commit since it was asked.",
            figures.slowest);
}

static void put_waits(allot_service *service, allot__text *out)
{
    allot__books_waits waits = allot__books_longest(service->books, allot__service_now(service));
    const struct {
        const char *of;
        int64_t seconds;
    } rows[] = {{"demand", waits.demand}, {"reclaim", waits.reclaim}, {"job", waits.job}};
    head(out, "oldest_wait_seconds", "gauge",
         "How long the one that waited longest has: a leaf for what it demands (since the service "
         "began at most), a reclaim in flight for its slots, a pending job.");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        allot__text_printf(out, "allot_oldest_wait_seconds{of=\"%s\"} %lld\n", rows[i].of,
                           (long long)rows[i].seconds);
    one(out, "reclaims_overdue", "gauge", "Reclaims in flight behind their deadline.",
        waits.overdue);
}

static void put_books(const allot_service *service, allot__text *out)
{
    allot__books_count count = allot__books_size(service->books);
    one(out, "tasks", "gauge", "Tasks that run.", count.tasks - count.pending);
    one(out, "tasks_pending", "gauge", "Tasks that wait.", count.pending);
    one(out, "sessions", "gauge", "Sessions.", count.sessions);
    one(out, "jobs", "gauge", "Jobs of queues.", count.jobs);
    one(out, "reclaims_in_flight", "gauge", "Reclaims whose slots are on their way.",
        count.flights);
}

/* ---- Plan and policies ----------------------------------------------------------------------- */

static void put_policies(const allot_service *service, allot__text *out)
{
    const allot__generation *generation = service->generation;
    head(out, "build_info", "gauge", "The version, as a label.");
    allot__text_printf(out, "allot_build_info{version=\"%s\"} 1\n", allot_version());
    head(out, "plan_info", "gauge", "The plan that decides, as a label.");
    allot__text_printf(out, "allot_plan_info{sha256=\"%s\"} 1\n", generation->sha256);
    head(out, "policy_info", "gauge", "The policy of each group, as labels.");
    for (int32_t i = 0; i < allot_plan_groups(generation->plan) && i < ALLOT__VIEW_GROUPS; i++) {
        const allot_policy *policy = allot_plan_group_policy(generation->plan, i);
        if (!policy)
            continue;
        allot__text_puts(out, "allot_policy_info{group=");
        put_label(out, allot_plan_group_name(generation->plan, i));
        allot__text_puts(out, ",policy=");
        put_label(out, allot_policy_name(policy));
        const char *sha256 = allot_policy_sha256(policy);
        allot__text_printf(out, ",sha256=\"%s\"} 1\n", sha256 ? sha256 : "");
    }
    one(out, "policy_instructions", "gauge", "Lua instructions that 1000 rows took at most.",
        generation->meter.instructions);
    one(out, "policy_memory_bytes", "gauge", "Memory that policies took at once at most.",
        generation->meter.memory);
    one(out, "consumers", "gauge", "Consumers of the plan.",
        allot_plan_consumers(generation->plan));
}

static const struct {
    const char *name, *help;
} group_metrics[] = {
    {"slots", "Slots of the group."},
    {"idle_slots", "Idle slots."},
    {"demand_slots", "Slots that are wanted."},
    {"allocated_slots", "Slots that are held."},
    {"lent_slots", "Own slots that others use."},
    {"borrowed_slots", "Slots of others that are used."},
    {"shared_slots", "Slots of pools that are used."},
    {"reserved_slots", "Slots that are never lent."},
};

static int64_t of_group(const allot_totals *totals, size_t metric)
{
    const int64_t values[] = {totals->slots, totals->idle,     totals->demand, totals->allocated,
                              totals->lent,  totals->borrowed, totals->shared, totals->reserve};
    return values[metric];
}

static void put_groups(const allot_service *service, const allot__view *view, allot__text *out)
{
    const allot_plan *plan = service->generation->plan;
    for (size_t i = 0; i < sizeof group_metrics / sizeof *group_metrics; i++) {
        head(out, group_metrics[i].name, "gauge", group_metrics[i].help);
        for (int32_t group = 0; group < view->groups && group < ALLOT__VIEW_GROUPS; group++) {
            allot__text_printf(out, "allot_%s{group=", group_metrics[i].name);
            put_label(out, allot_plan_group_name(plan, group));
            allot__text_printf(out, "} %lld\n", (long long)of_group(&view->totals[group], i));
        }
    }
}

static void put_consumers(const allot_service *service, const allot__view *view, allot__text *out)
{
    static const int kinds[] = {ALLOT__VIEW_OWNED, ALLOT__VIEW_DEMAND, ALLOT__VIEW_QUOTA,
                                ALLOT__VIEW_ALLOCATED, ALLOT__VIEW_IN_FLIGHT};
    const allot_plan *plan = service->generation->plan;
    int32_t children = allot_plan_children(plan, ALLOT_ROOT);
    head(out, "consumer_slots", "gauge",
         "Slots of consumers of the first level, by what they are.");
    for (int32_t group = 0; group < view->groups && group < ALLOT__VIEW_GROUPS; group++)
        for (int32_t i = 0; i < children && i < CONSUMERS; i++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
                int32_t consumer = allot_plan_child(plan, ALLOT_ROOT, i);
                int64_t value = allot__view_row(view, group, consumer)[kinds[k]];
                allot__text_puts(out, "allot_consumer_slots{group=");
                put_label(out, allot_plan_group_name(plan, group));
                allot__text_puts(out, ",consumer=");
                allot__text_json_path(out, plan, consumer);
                allot__text_printf(
                    out, ",kind=\"%s\"} %lld\n", allot__view_name(kinds[k]),
                    (long long)(kinds[k] == ALLOT__VIEW_OWNED ? value / 100 : value));
            }
    one(out, "consumers_left_out", "gauge",
        "First-level consumers beyond those with metrics of their own.",
        children > CONSUMERS ? children - CONSUMERS : 0);
}

static int want_consumers(allot_service *service)
{
    const allot_plan *plan = service->generation->plan;
    int32_t groups = allot_plan_groups(plan), children = allot_plan_children(plan, ALLOT_ROOT);
    int status = ALLOT_OK;
    for (int32_t group = 0; group < groups && group < ALLOT__VIEW_GROUPS; group++)
        for (int32_t i = 0; status == ALLOT_OK && i < children && i < CONSUMERS; i++)
            status = allot__view_want(service, group, allot_plan_child(plan, ALLOT_ROOT, i));
    return status;
}

void allot__metrics_write(allot_service *service, allot__text *out)
{
    const allot__view *view = service->components.view;
    allot_report *report;
    put_tally(service, out);
    put_store(service, out);
    put_books(service, out);
    put_waits(service, out);
    put_policies(service, out);
    if (allot_report_new(service->engine, &report) == ALLOT_OK) {
        put_cycles(service, view, out);
        put_orders(&view->sum, out);
        if (want_consumers(service) == ALLOT_OK &&
            allot__view_refresh(service, report) == ALLOT_OK) {
            put_groups(service, view, out);
            put_consumers(service, view, out);
        }
        allot_report_free(report);
    }
    for (const allot__component *component = service->up->components; component->name; component++)
        if (component->metrics)
            component->metrics(service, out);
}
