/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* cycle.c: events, cycles and snapshots: when the service decides, and what happens to a decision.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "service/life.h"
#include "service/lists/lists.h"
#include "service/reload/reload.h"
#include "service/wire/wire.h"

/* ---- Events ---------------------------------------------------------------------------------- */

/* Bytes of a row, and of that of a new client, beyond params and key. */
enum { PUT_MOST = 640 };

/* All steps that may fail, before the books are changed. */
static int prepare(allot_service *service, const allot__event *event, size_t len)
{
    size_t key = event->key ? strlen(event->key) : 0;
    if (allot__store_reserve(service->store, len + key + PUT_MOST) != ALLOT_OK)
        return ALLOT_ENOMEM;
    return key > 0 ? allot__event_keys_reserve(service->keys) : ALLOT_OK;
}

/* Whether the event's key is known; then *status is OK for the same event, or an error. */
static bool is_known(allot_service *service, const allot__event *event, uint64_t content,
                     int64_t *seq, int *status, allot__error *fault)
{
    uint64_t known;
    *seq = allot__event_keys_find(service->keys, event->key, allot__service_now(service), &known);
    *status = ALLOT_OK;
    if (*seq == 0)
        return false;
    if (known != content)
        *status = allot__error_set(fault, ALLOT_EEXIST, "E-key", "key",
                                   "give each event a key of its own",
                                   "key: event %lld came with \"%.100s\" and said something else",
                                   (long long)*seq, event->key);
    else
        service->tally.repeated++;
    return true;
}

static int enter_event(allot_service *service, allot__event *event, const allot__event_row *row,
                       allot__error *fault)
{
    if (!event->at_given)
        event->at = row->at;
    int status = allot__event_times(event, row->at, fault);
    if (status == ALLOT_OK)
        status = prepare(service, event, row->params_len);
    return status == ALLOT_OK ? allot__books_apply(service->books, event, fault) : status;
}

int allot__service_enter(allot_service *service, allot__event *event, const char *params,
                         size_t len, int64_t *seq, int64_t *batch, allot__error *fault)
{
    if (service->stopping || service->failed || !service->running)
        return allot__error_set(fault, ALLOT_EIO, "E-stopping", NULL, NULL,
                                "the service is about to stop");
    allot__event_row row = {.seq = service->event + 1,
                            .method = allot__event_name((int)event->kind),
                            .params = params ? params : "{}",
                            .params_len = params ? len : 2,
                            .key = event->key};
    uint64_t content =
        row.key != NULL ? allot__event_keys_content(row.method, row.params, row.params_len) : 0;
    int status;
    *batch = allot__store_pending(service->store);
    if (row.key && is_known(service, event, content, seq, &status, fault))
        return status;
    allot__cycle_settle(service);
    row.at = allot__service_now(service);
    row.who = allot__who_row(event->from, row.seq);
    status = enter_event(service, event, &row, fault);
    if (status != ALLOT_OK)
        return status;
    /* A key's hour begins when the event arrives, not at the event's own time. */
    if (row.key)
        allot__event_keys_put(service->keys, row.key, content, row.seq, row.at);
    allot__cycle_touch(service);
    allot__who_enter(service, event->from, row.who);
    *batch = allot__store_event(service->store, &row);
    *seq = service->event = row.seq;
    service->tally.events++;
    return ALLOT_OK;
}

/* ---- Snapshots ------------------------------------------------------------------------------- */

/* A snapshot that fails is tried again after the next cycle. */
static int next_lines(void *ud, allot__text *out, size_t most, bool *over)
{
    allot_service *service = ud;
    int status = allot__books_list(service->books, out, most, over);
    service->fresh = service->fresh || status != ALLOT_OK;
    return status;
}

/* Rows kept by age or size are deleted an eighth of that at a time; a large snapshot is not written
 * for few changes. */
static bool has_grown(const allot_service *service)
{
    const allot_service_config *config = &service->config;
    enum { PARTS = 8 };
    int64_t behind = allot__store_behind(service->store);
    int64_t size = allot__store_snapshot_size(service->store);
    bool aged =
        config->keep_age > 0 && service->now - service->snapshot_at > config->keep_age / PARTS;
    return aged ||
           (config->keep_size > 0 && behind > config->keep_size / PARTS && behind > 2 * size);
}

/* One at a time, except the last one. No two have the same event and cycle: their parts on disk
 * would mix. */
static bool is_due(const allot_service *service, bool now)
{
    int64_t behind =
        service->event - service->snapshot_event + service->cycle - service->snapshot_cycle;
    if (behind <= 0 || now)
        return behind > 0;
    return !allot__store_snapshots(service->store) &&
           (service->fresh || behind >= service->config.snapshot || has_grown(service));
}

void allot__service_snapshot(allot_service *service, bool now)
{
    if (!is_due(service, now))
        return;
    allot__snapshot_row row = {.event = service->event,
                               .cycle = service->cycle,
                               .seq = service->seq,
                               .at = service->now,
                               .plan = service->generation->sha256};
    allot__store_give_up(service->store);
    service->fresh = allot__books_list_begin(service->books) != ALLOT_OK;
    if (service->fresh)
        return;
    service->snapshot_event = service->event;
    service->snapshot_cycle = service->cycle;
    service->snapshot_at = service->now;
    allot__store_snapshot(service->store, &row, next_lines, service);
    service->keep_at = 0;
}

void allot__service_let_go(allot_service *service)
{
    enum { EVERY = 60000 };
    const allot_service_config *config = &service->config;
    uint64_t now = uv_now(service->loop);
    if (now < service->keep_at || service->stopping || allot__store_snapshots(service->store))
        return;
    service->keep_at = now + EVERY;
    if (is_due(service, false)) /* by age, where nothing happens: it is taken after a cycle */
        allot__cycle_touch(service);
    allot__store_bounds bounds = {
        .event = service->event > config->keep ? service->event - config->keep : -1,
        .at = config->keep_age > 0 ? service->now - config->keep_age : INT64_MIN,
        .size = config->keep_size > 0 ? config->keep_size : -1,
        .keys = service->now - ALLOT__KEYS_AGE};
    allot__store_compact(service->store, &bounds);
}

/* ---- Versions -------------------------------------------------------------------------------- */

/* Notes in the store that this generation decides from here on. */
static int name_generation(allot_service *service)
{
    const allot__generation *generation = service->generation;
    if (allot__plan_texts_is(&service->kept, generation))
        return ALLOT_OK;
    if (allot__store_put_version(service->store, service->cycle + 1, generation->sha256,
                                 generation->policies_sha256) < 0)
        return ALLOT_ENOMEM;
    memcpy(service->kept.plan, generation->sha256, sizeof service->kept.plan);
    memcpy(service->kept.policies, generation->policies_sha256, sizeof service->kept.policies);
    return ALLOT_OK;
}

int allot__service_keep(allot_service *service)
{
    if (allot__plan_texts_is(&service->kept, service->generation))
        return ALLOT_OK;
    int status = allot__plan_texts_keep(service->store, service->generation);
    return status == ALLOT_OK ? name_generation(service) : status;
}

int allot__service_swap(allot_service *service, allot__generation *generation,
                        const allot_plan_map *ids, allot_report *report, allot__generation **old)
{
    allot__books *books;
    allot__hold_settle(service);
    if (service->stopping || service->failed)
        return ALLOT_EUSAGE;
    bool same = strcmp(generation->sha256, service->generation->sha256) == 0;
    int32_t before, now;
    allot_report_newcomers(service->generation->texts->newcomers, &before);
    allot_report_newcomers(generation->texts->newcomers, &now);
    bool grown = same && now > before; /* it lacks no consumer */
    if (!allot__plan_texts_is(&service->kept, generation) &&
        allot__plan_texts_keep(service->store, generation) != ALLOT_OK)
        return ALLOT_ENOMEM;
    int status = allot__books_rebase(service->books, ids, report, &books);
    if (status != ALLOT_OK)
        return status;
    if (allot__store_snapshots(service->store)) { /* by the old plan's numbers */
        allot__store_give_up(service->store);
        service->fresh = true;
    }
    service->recorded.known = false;
    *old = service->generation;
    (*old)->last = allot__books_take_state(service->books);
    allot__books_end(service->books);
    service->books = books;
    service->generation = generation;
    if (name_generation(service) != ALLOT_OK)
        allot__service_fail(service, "no memory to record another version of the plan");
    /* Earlier rows may name consumers that the new plan lacks. */
    service->fresh = service->fresh || (!grown && (!same || !ids->same));
    for (const allot__component *component = service->up->components; component->name; component++)
        if (component->swapped)
            component->swapped(service);
    allot__cycle_touch(service);
    return ALLOT_OK;
}

/* EARLY: ms that a cycle may run before it is due: the pace of batches, a commit, and the timer's
 * ms. */
enum { LAG_PAUSE = 100, HOLD_PAUSE = 2 /* ms */, EARLY = ALLOT__STORE_PACE + 2, FAILURES = 3 };

/* ---- When to run ----------------------------------------------------------------------------- */

/* A failure is logged once, until a cycle succeeds. */
static void log_failure(allot_service *service, int status, const allot_report *report)
{
    allot__clockwork *clockwork = &service->clockwork;
    allot__log_field fields[] = {{"status", allot_status_name(status), 0}, {0}};
    if (status != ALLOT_OK && !clockwork->fails) {
        allot__log(service, ALLOT_LOG_ERROR, "cycles fail: nothing is decided", fields);
        allot__log_report(service, report);
    } else if (status == ALLOT_OK && clockwork->fails) {
        allot__log(service, ALLOT_LOG_WARNING, "cycles decide again", NULL);
    }
    clockwork->fails = status != ALLOT_OK;
}

static bool store_lags(const allot_service *service)
{
    return allot__store_error(service->store) != NULL || allot__store_full(service->store);
}

static void on_time(uv_timer_t *timer);

/* Runs the cycle, or waits until the books are free, or the store keeps up. */
static void run_touched(allot_service *service)
{
    uv_timer_t *timer = &service->clockwork.timer;
    allot_report *report = NULL;
    if (allot__hold_is(service)) {
        uv_timer_start(timer, on_time, HOLD_PAUSE, 0);
        return;
    }
    service->clockwork.touched = false;
    if (store_lags(service) || allot_report_new(service->engine, &report) != ALLOT_OK) {
        uv_timer_start(timer, on_time, LAG_PAUSE, 0);
        return;
    }
    log_failure(service, allot__cycle_run(service, report, NULL), report);
    allot_report_free(report);
}

static void on_time(uv_timer_t *timer)
{
    allot_service *service = timer->data;
    run_touched(service);
    allot__store_gather(service->store, false);
}

/* The next batch of events waits for the cycle, which runs when that batch would begin. */
static void on_soon(uv_timer_t *timer)
{
    allot_service *service = timer->data;
    allot__store_gather(service->store, true);
    uv_timer_start(timer, on_time, allot__store_soon(service->store), 0);
}

/* Sets the timer for the interval, or an earlier due time. */
static void wind(allot_service *service)
{
    allot__clockwork *clockwork = &service->clockwork;
    if (!service->running || service->stopping || clockwork->touched)
        return;
    int64_t now = service->now, wait = service->config.interval;
    int64_t due = allot__books_due(service->books, now);
    bool set = wait > 0 || due != INT64_MAX;
    if (due != INT64_MAX && (wait <= 0 || (due - now < wait / 1000 + 1)))
        wait = due - now < 86400 ? (due - now) * 1000 : 86400000;
    if (set)
        uv_timer_start(&clockwork->timer, on_time, (uint64_t)(wait > 0 ? wait : 1), 0);
    else
        uv_timer_stop(&clockwork->timer);
}

void allot__cycle_start(allot_service *service)
{
    allot__clockwork *clockwork = &service->clockwork;
    clockwork->text.engine = clockwork->effect.engine = service->engine;
    uv_timer_init(service->loop, &clockwork->timer);
    clockwork->timer.data = service;
    clockwork->open = true;
    allot__handle_open(service);
    allot__cycle_touch(service);
}

void allot__cycle_touch(allot_service *service)
{
    allot__clockwork *clockwork = &service->clockwork;
    if (!clockwork->open || clockwork->touched || service->stopping)
        return;
    clockwork->touched = true;
    uint64_t wait = (uint64_t)service->config.debounce;
    bool soon = wait <= EARLY;
    uv_timer_start(&clockwork->timer, soon ? on_time : on_soon, soon ? wait : wait - EARLY, 0);
    allot__store_gather(service->store, soon);
}

void allot__cycle_stop(allot_service *service)
{
    if (service->clockwork.open)
        allot__handle_close(&service->clockwork.timer);
    service->clockwork.open = false;
    allot__store_gather(service->store, false);
}

void allot__cycle_free(allot_service *service)
{
    allot__text_free(&service->clockwork.text);
    allot__text_free(&service->clockwork.effect);
}

/* ---- Running a cycle ------------------------------------------------------------------------- */

/* Adds an entered decision to the store. A failure here cannot be undone, so the service stops; a
 * restart restores the store's state, without the decision. */
static int record(allot_service *service, allot__cycle_done *done, bool decides)
{
    allot__clockwork *clockwork = &service->clockwork;
    const allot_policy *policy = allot_plan_group_policy(service->generation->plan, 0);
    allot__cycle_row row = {.cycle = done->cycle,
                            .seq = done->seq,
                            .at = done->now,
                            .event = done->event,
                            .plan = service->generation->sha256,
                            .policy = policy ? allot_policy_sha256(policy) : NULL,
                            .input = done->input,
                            .output = done->output,
                            .decision = decides ? clockwork->text.bytes : NULL,
                            .decision_len = clockwork->text.len,
                            .effect = clockwork->effect.len > 0 ? clockwork->effect.bytes : "",
                            .effect_len = clockwork->effect.len};
    int64_t batch =
        clockwork->effect.failed ? ALLOT_ENOMEM : allot__store_cycle(service->store, &row);
    if (batch > 0 && decides &&
        allot__feed_add(service->feed, done->seq, batch, clockwork->text.bytes,
                        clockwork->text.len) != ALLOT_OK)
        batch = ALLOT_ENOMEM;
    if (batch > 0)
        return ALLOT_OK;
    allot__service_fail(service, "no memory to record a decision");
    return ALLOT_ENOMEM;
}

static void tell_parts(allot_service *service, const allot__cycle_done *done)
{
    service->tally.cycles++;
    service->tally.decisions += done->text != NULL;
    service->tally.cycle_us += done->took;
    if (allot_decision_full(done->decision))
        service->tally.full_us = done->took;
    if (done->took > service->tally.cycle_us_most)
        service->tally.cycle_us_most = done->took;
    for (const allot__component *component = service->up->components; component->name; component++)
        if (component->cycle)
            component->cycle(service, done);
}

static int write_full(const allot_decision *decision, const allot_report *report, allot__text *full)
{
    if (!full)
        return ALLOT_OK;
    size_t from = full->len;
    int status = allot_decision_write(decision, report, allot__text_sink, full);
    allot__text_join(full, from);
    return full->failed ? ALLOT_ENOMEM : status;
}

/* Whether a decision changes nothing: it has no orders but standing grants. Quotas count; a plan
 * with queues has none. */
static bool is_still(allot_service *service, const allot__cycle_done *done, int64_t orders)
{
    if (orders > 0 && orders != allot__books_standing(service->books, done->decision))
        return false;
    bool queues = allot_plan_queues(service->generation->plan) > 0;
    bool still = service->recorded.known && service->recorded.event == done->event &&
                 (queues || service->recorded.output == done->output) &&
                 allot__books_still(service->books, done->decision);
    if (still && queues && !service->recorded.owed)
        service->recorded.owed = allot__books_use(service->books);
    return still && !service->settles;
}

static int enter_books(allot_service *service, allot__cycle_done *done, bool decides)
{
    allot__clockwork *clockwork = &service->clockwork;
    int status =
        allot__books_enter(service->books, done->decision, done->cycle, &clockwork->effect);
    if (status != ALLOT_OK)
        return status;
    service->cycle = done->cycle;
    service->seq = done->seq;
    service->recorded.known = true;
    service->recorded.owed = false;
    service->recorded.event = done->event;
    service->recorded.output = done->output;
    return record(service, done, decides);
}

static int enter(allot_service *service, const allot_decision *decision, allot_report *report,
                 uint64_t began, allot__text *full)
{
    allot__clockwork *clockwork = &service->clockwork;
    allot__cycle_done done = {.cycle = service->cycle + 1,
                              .seq = service->seq + 1,
                              .event = service->event,
                              .now = service->now,
                              .decision = decision};
    allot__text_clear(&clockwork->text, 1024 * 1024);
    allot__text_clear(&clockwork->effect, 1024 * 1024);
    int64_t orders = allot__compact(&clockwork->text, decision, service->books, done.seq,
                                    done.cycle, done.event, report);
    int status = orders < 0 ? (int)orders : write_full(decision, report, full);
    if (status != ALLOT_OK)
        return status;
    allot_decision_digest(decision, &done.input, &done.output);
    done.seq -= orders == 0;
    if (orders > 0) {
        done.text = clockwork->text.bytes;
        done.len = clockwork->text.len;
    }
    bool still = is_still(service, &done, orders);
    if (still) {
        done.cycle = service->cycle;
        done.seq = service->seq;
        done.text = NULL;
    }
    done.took = (int64_t)((uv_hrtime() - began) / 1000);
    tell_parts(service, &done);
    return still ? ALLOT_OK : enter_books(service, &done, orders > 0);
}

static int decide(allot_service *service, const allot_state *state, bool full, allot_report *report,
                  allot_decision **out)
{
    allot__generation *generation = service->generation;
    allot_stage last = full ? ALLOT_STAGE_MONITOR : ALLOT_STAGE_ORDERS;
    allot__generation_clock(generation, allot__service_timer, service);
    allot_script_time_begin(&generation->time, service->config.cycle_limit * 1000);
    int status = allot_cycle_until(generation->plan, state, last, report, out);
    allot_script_time_begin(&generation->time, 0);
    return status;
}

/* After enough failures the previous generation may take over. */
static void count_failure(allot_service *service, int status, const allot_report *report)
{
    allot__clockwork *clockwork = &service->clockwork;
    bool policies = status == ALLOT_ESCRIPT || status == ALLOT_EBUDGET;
    bool same = clockwork->generation == service->generation;
    clockwork->generation = service->generation;
    clockwork->failures = policies ? (same ? clockwork->failures : 0) + 1 : 0;
    if (clockwork->failures > 0 && clockwork->failures % FAILURES == 0)
        allot__reload_back(service, status, report);
}

int allot__cycle_run(allot_service *service, allot_report *report, allot__text *full)
{
    const allot_state *state;
    allot_decision *decision = NULL;
    uint64_t began = uv_hrtime();
    if (service->stopping)
        return ALLOT_EUSAGE;
    if (store_lags(service)) {
        allot_report_say(report, ALLOT_ERROR, "E-store",
                         "nothing is decided while the store does not keep up");
        wind(service);
        return ALLOT_EIO;
    }
    allot__clock_set(service);
    int64_t now = service->now;
    int status = allot__books_state(service->books, now, report, &state);
    if (status == ALLOT_OK)
        status = decide(service, state, full != NULL, report, &decision);
    if (status == ALLOT_OK)
        status = enter(service, decision, report, began, full);
    allot_decision_free(decision);
    service->tally.failures += status != ALLOT_OK;
    count_failure(service, status, report);
    allot__service_snapshot(service, false);
    allot__service_let_go(service);
    wind(service);
    return status;
}

void allot__cycle_settle(allot_service *service)
{
    if (!service->recorded.owed || service->settles)
        return;
    service->settles = true;
    allot__cycle_run(service, NULL, NULL);
    service->settles = false;
    service->recorded.owed = false;
}
