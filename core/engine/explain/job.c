/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: why a job waits, runs or goes: what it is, and the chapters that this asks for. */
#include "engine/explain/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/rows/order.h"

/* ---- What it is ------------------------------------------------------------------------------ */

/* " on h1 (2), h2 (1)"; of one host its name alone. */
static allot__sentence places_of(const allot_place *places, int32_t count)
{
    allot__sentence words = {.len = 0};
    if (count > 0)
        allot__sentence_add(&words, count == 1 ? " on %.60s" : " on ", places[0].name);
    for (int32_t i = 0; i < count && count > 1 && i < ALLOT__EXPLAIN_NAMED; i++) {
        allot__sentence_next(&words);
        allot__sentence_add(&words, "%.30s (%" PRId64 ")", places[i].name, places[i].slots);
    }
    if (count > ALLOT__EXPLAIN_NAMED)
        allot__sentence_add(&words, " and %" PRId32 " more", count - ALLOT__EXPLAIN_NAMED);
    return words;
}

/* Where it is, as the state has it. */
static allot__sentence here(const allot__job_explanation *it)
{
    allot_place places[ALLOT__EXPLAIN_NAMED];
    const allot__job_place *from = allot__job_places(it->jobs, it->job);
    if (it->job->place_count == 0 || from[0].site < 0)
        return (allot__sentence){.len = 0};
    for (int32_t i = 0; i < it->job->place_count && i < ALLOT__EXPLAIN_NAMED; i++) {
        const allot__site *site = &it->about.work->state->tasks.sites[from[i].site];
        places[i] = (allot_place){.name = site->name, .slots = from[i].slots};
    }
    return places_of(places, it->job->place_count);
}

static void explain_what(const allot__job_explanation *it)
{
    static const char *const words[ALLOT_JOB_STATE_COUNT] = {
        [ALLOT_PENDING] = "asks for",
        [ALLOT_RUNNING] = "runs on",
        [ALLOT_SUSPENDED] = "is suspended; it had",
        [ALLOT_STOPPED] = "was suspended by its user, and is not resumed by itself; it had",
    };
    const char *user = allot__job_user(it->about.work->state, it->job->user);
    char since[80] = "";
    int64_t from = it->job->state == ALLOT_PENDING ? it->job->submitted : it->job->started;
    bool waits = it->job->state == ALLOT_PENDING;
    if (from != INT64_MIN && (waits || it->job->state == ALLOT_RUNNING)) {
        snprintf(since, sizeof since, ", %s %" PRId64 " s ago", waits ? "submitted" : "started",
                 allot__ran(it->about.work->state->now, from));
    }
    allot__explain(&it->about, "Job %.100s of queue /%s (PRIORITY %" PRId32 ")%s%.80s %s %s%s%s.",
                   it->job->id, it->queue->name, it->queue->priority, user ? ", user " : "",
                   user != NULL ? user : "", words[it->job->state],
                   allot__phrase_slots(it->job->slots).text, here(it).text, since);
    if (it->job->flags & ALLOT_JOB_EXCLUSIVE)
        allot__explain(&it->about, "It is exclusive: it has its hosts alone (P-40).");
    allot__explain_resources(it);
}

/* ---- What it gets ---------------------------------------------------------------------------- */

/* In whose place it comes. */
static void explain_victims(const allot__job_explanation *it)
{
    const allot_job_order *orders = it->out->orders.items;
    for (size_t i = 0; i < it->out->orders.count; i++) {
        const allot__job *other = allot__explain_job(it, orders[i].job);
        bool goes = orders[i].kind == ALLOT_ORDER_SUSPEND || orders[i].kind == ALLOT_ORDER_KILL;
        if (goes && orders[i].preemptor == it->number && !orders[i].held) {
            allot__explain(&it->about,
                           "  %.100s of /%s (PRIORITY %" PRId32 ") %s%s: %s (P-7, P-13%s).",
                           other->id, allot__explain_queue_of(it, other->queue)->name,
                           allot__explain_queue_of(it, other->queue)->priority,
                           allot__phrase_done(orders[i].action),
                           places_of(orders[i].places, orders[i].place_count).text,
                           allot__phrase_slots(orders[i].slots).text,
                           orders[i].action == ALLOT_SUSPEND ? "" : ", P-41");
        }
    }
}

static void explain_gets(const allot__job_explanation *it, const allot_job_order *order)
{
    static const char *const verbs[ALLOT_ORDER_COUNT] = {"It starts", "It is resumed", "It grows"};
    const char *why = "these were free (A-11)";
    bool preempts = strcmp(order->reason, "preempted") == 0;
    if (preempts)
        why = "others make room for it";
    else if (strcmp(order->reason, "leftover") == 0)
        why = "left over in its pool, when all its queues had their slices (Q-31)";
    else if (strcmp(order->reason, "priority") == 0)
        why = "left over in its pool, where they go by job priority (A-30)";
    else if (order->kind == ALLOT_ORDER_RESUME)
        why = "its own slots are free again (P-26, A-12)";
    else if (order->kind == ALLOT_ORDER_RESIZE)
        why = "free ones, of those that it wants more; growing preempts no job (P-50)";
    allot__explain(&it->about, "%s in this cycle%s%s%s: %s.", verbs[order->kind],
                   order->kind == ALLOT_ORDER_RESIZE ? " by " : ", on ",
                   allot__phrase_slots(order->slots).text,
                   places_of(order->places, order->place_count).text, why);
    if (preempts)
        explain_victims(it);
}

/* ---- Why it waits ---------------------------------------------------------------------------- */

static void explain_delay(const allot__job_explanation *it)
{
    int64_t delay =
        allot__protection_of(it->queues, it->job->application, it->job->queue).preempt_delay;
    int64_t waited = allot__ran(it->about.work->state->now, it->job->submitted);
    allot__explain(&it->about,
                   "It may not preempt yet: PREEMPT_DELAY is %" PRId64
                   " s, and it has waited %" PRId64 " s. In %" PRId64
                   " s it may (P-35, reason 6701).",
                   delay, waited, delay - waited);
}

static void explain_held(const allot__job_explanation *it)
{
    const allot_job_order *orders = it->out->orders.items;
    for (size_t i = 0; i < it->out->orders.count; i++) {
        if (orders[i].held && orders[i].preemptor == it->number) {
            const allot__job *other = allot__explain_job(it, orders[i].job);
            allot__explain(
                &it->about,
                "It is to preempt %.100s of /%s, which is being notified of new slots right "
                "now: once that is over it goes, and this one starts. Its slots are kept "
                "until then (A-15).",
                other->id, allot__explain_queue_of(it, other->queue)->name);
        }
    }
}

static void explain_never(const allot__job_explanation *it)
{
    allot__explain(&it->about,
                   "Open hosts of its queue have %s in all, fewer than it asks for: as things are, "
                   "it never starts.",
                   allot__phrase_slots(it->out->view.most[it->set]).text);
}

static void explain_reason(const allot__job_explanation *it)
{
    switch ((allot_pending)it->verdict.why) {
    case ALLOT_PEND_NEVER:
        explain_never(it);
        return;
    case ALLOT_PEND_LIMIT:
        allot__explain_limit(it);
        return;
    case ALLOT_PEND_RESOURCE:
    case ALLOT_PEND_RESOURCE_WAIT:
        allot__explain_resource(it);
        return;
    case ALLOT_PEND_SLICE:
    case ALLOT_PEND_POOL:
        allot__explain_slice(it);
        return;
    case ALLOT_PEND_HELD:
        explain_held(it);
        return;
    case ALLOT_PEND_DELAY:
        explain_delay(it);
        break;
    default:
        allot__explain_slice(it);
        break;
    }
    allot__explain_candidates(it);
}

static void explain_waiting(const allot__job_explanation *it)
{
    bool pending = it->job->state == ALLOT_PENDING;
    allot__explain(&it->about, "%s: %s.", pending ? "It waits" : "It stays suspended",
                   allot_pending_text(it->verdict.why));
    if (it->verdict.why == ALLOT_PEND_BEGIN) {
        allot__explain(&it->about, "It may start in %" PRId64 " s.",
                       it->job->begin - it->about.work->state->now);
        return;
    }
    allot__explain_ahead(it);
    if (pending && it->verdict.why != ALLOT_PEND_NEVER)
        allot__explain_view(it);
    else if (!pending)
        allot__explain_own_hosts(it);
    explain_reason(it);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int explain_job(allot__job_explanation *it)
{
    const allot_job_order *order = allot__explain_order(it);
    explain_what(it);
    if (order && order->kind <= ALLOT_ORDER_RESIZE) {
        explain_gets(it, order);
        return ALLOT_OK;
    }
    if (order)
        return allot__explain_gone(it);
    if (it->job->state == ALLOT_RUNNING)
        allot__explain_protection(it);
    else if (it->job->state != ALLOT_STOPPED)
        explain_waiting(it);
    return ALLOT_OK;
}

static int look(allot__job_explanation *it)
{
    size_t queues = (size_t)allot__queue_count(it->about.work->plan);
    it->job = allot__job_at(it->jobs, it->number);
    it->queue = allot__queue_at(it->queues, it->job->queue);
    it->verdict = it->out->jobs[it->number];
    it->set = it->queues->set_of[it->job->queue];
    it->tally = allot__arena_take(&it->arena, 4 * queues, sizeof *it->tally);
    if (!it->tally)
        return ALLOT_ENOMEM;
    memset(it->tally, 0, 4 * queues * sizeof *it->tally);
    return allot__explain_view_count(it);
}

int allot_explain_job(const allot_decision *decision, const char *id,
                      void (*line)(void *ud, const char *text), void *ud)
{
    if (!decision || !id || !line)
        return ALLOT_EUSAGE;
    int32_t number = allot_state_job_find(decision->state, id);
    if (number < 0 || !decision->dispatched)
        return ALLOT_ENOENT;
    const allot__decided *decided = &decision->groups[0];
    allot__job_explanation it = {.about = {.decision = decision,
                                           .decided = decided,
                                           .work = &decided->work,
                                           .rules = &decided->work.rules[0],
                                           .line = line,
                                           .ud = ud},
                                 .out = decision->dispatched,
                                 .queues = allot__queues_of(decision->plan),
                                 .jobs = decision->state->jobs,
                                 .number = number};
    allot__arena_init(&it.arena, decision->plan->engine);
    int status = look(&it);
    if (status == ALLOT_OK)
        status = explain_job(&it);
    allot__arena_free(&it.arena);
    return status;
}
