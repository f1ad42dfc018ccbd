/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: why a job waits, runs or is preempted: what it is, and the chapters that apply. */
#include "engine/explain/job.h"

#include <string.h>

#include "engine/rows/order.h"

/* ---- Its turn -------------------------------------------------------------------------------- */

/* Jobs, their slots, those that got what they wanted, and the slots of these. */
enum { JOBS, SLOTS, SERVED, GOT, NUMBERS };

static int64_t *tally_of(const allot__job_explanation *it, int32_t queue)
{
    return it->tally + (size_t)NUMBERS * (size_t)queue;
}

static bool served(const allot__job_explanation *it, int32_t job)
{
    return it->out->jobs[job].now == ALLOT_RUNNING;
}

static void count_job(const allot__job_explanation *it, int32_t number, int64_t *tally)
{
    int32_t slots = allot__explain_job(it, number)->slots;
    tally[JOBS]++;
    tally[SLOTS] += slots;
    tally[SERVED] += served(it, number);
    tally[GOT] += served(it, number) ? slots : 0;
}

static void explain_tally(const allot__job_explanation *it, int32_t queue)
{
    const int64_t *tally = tally_of(it, queue);
    allot__phrase got = PHRASE("{?which runs|which all run} now", tally[JOBS]);
    if (tally[SERVED] == 0)
        got = PHRASE("which {?waits|wait} too", tally[JOBS]);
    else if (tally[SERVED] < tally[JOBS])
        got = PHRASE("of which {} run{s|} now, on {}", tally[SERVED], tally[GOT]);
    SAY(&it->about, "  /{}{?, its own queue|} (PRIORITY {}): {} job{|s} ({} slot{|s}), {}.",
        allot__explain_queue_of(it, queue)->name, queue == it->job->queue,
        allot__explain_queue_of(it, queue)->priority, tally[JOBS], tally[SLOTS], got.text);
}

static void explain_queues(const allot__job_explanation *it)
{
    int32_t count = allot__queue_count(it->about.work->plan);
    int32_t shown = 0;
    int32_t others = 0;
    int64_t jobs = 0;
    int64_t slots = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t queue = it->out->sequence[i];
        const int64_t *tally = tally_of(it, queue);
        if (tally[JOBS] == 0)
            continue;
        if (shown < ALLOT__EXPLAIN_NAMED || queue == it->job->queue) {
            shown++;
            explain_tally(it, queue);
        } else {
            others++;
            jobs += tally[JOBS];
            slots += tally[SLOTS];
        }
    }
    if (others > 0)
        SAY(&it->about, "  {} more queues: {} job{|s} ({} slot{|s}).", others, jobs, slots);
}

/* Jobs of its queue that came behind it and fit although it does not. */
static void explain_behind(const allot__job_explanation *it, int32_t from)
{
    int64_t behind[NUMBERS] = {0};
    for (int32_t i = from; i < it->out->tried_count; i++) {
        int32_t number = it->out->tried[i];
        if (allot__explain_job(it, number)->queue == it->job->queue && served(it, number))
            count_job(it, number, behind);
    }
    if (behind[SERVED] > 0)
        SAY(&it->about,
            "Behind it in its queue {} job{|s} ({} slot{|s}) run{?s|} now all the same: they fit "
            "where it does not.",
            behind[SERVED], behind[GOT], behind[SERVED]);
}

static void explain_ahead(const allot__job_explanation *it)
{
    int32_t at = 0;
    for (; at < it->out->tried_count && it->out->tried[at] != it->number; at++) {
        int32_t number = it->out->tried[at];
        count_job(it, number, tally_of(it, allot__explain_job(it, number)->queue));
    }
    if (at == 0) {
        SAY(&it->about, "Its turn is the first of all (P-60).");
    } else {
        SAY(&it->about,
            "Its turn is number {} of {}, by queue and then by job (P-60). Before it:", at + 1,
            it->out->tried_count);
        explain_queues(it);
    }
    explain_behind(it, at + 1);
}

/* ---- What it is ------------------------------------------------------------------------------ */

/* " on h1 (2), h2 (1)"; for a single host only its name. */
static allot__sentence places_of(const allot_place *places, int32_t count)
{
    allot__sentence words = {.len = 0};
    if (count > 0)
        ADD(&words, " on {.60}", count == 1 ? places[0].name : "");
    for (int32_t i = 0; i < count && count > 1 && i < ALLOT__EXPLAIN_NAMED; i++)
        LIST(&words, "{.30} ({})", places[i].name, places[i].slots);
    if (count > ALLOT__EXPLAIN_NAMED)
        ADD(&words, " and {} more", count - ALLOT__EXPLAIN_NAMED);
    return words;
}

/* Where the job is in the state. */
static allot__sentence here(const allot__job_explanation *it)
{
    allot_place places[ALLOT__EXPLAIN_NAMED];
    const allot__job_place *from = allot__job_places(it->job);
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
    bool waits = it->job->state == ALLOT_PENDING;
    int64_t from = waits ? it->job->submitted : it->job->started;
    SAY(&it->about,
        "Job {.100} of queue /{} (PRIORITY {}){&, user {.80}} {} {} slot{|s}{}"
        "{?, {?submitted|started} {} s ago|}.",
        it->job->thing.id, it->queue->name, it->queue->priority, user, words[it->job->state],
        it->job->slots, here(it).text,
        from != INT64_MIN && (waits || it->job->state == ALLOT_RUNNING), waits,
        allot__ran(it->about.work->state->now, from));
    if (it->job->flags & ALLOT_JOB_EXCLUSIVE)
        SAY(&it->about, "It is exclusive: it has its hosts alone (P-40).");
    allot__explain_resources(it);
}

/* ---- What it gets ---------------------------------------------------------------------------- */

/* Its victims. */
static void explain_victims(const allot__job_explanation *it)
{
    const allot_job_order *orders = it->out->orders.items;
    for (size_t i = 0; i < it->out->orders.count; i++) {
        const allot__job *other = allot__explain_job(it, orders[i].job);
        bool goes = orders[i].kind == ALLOT_ORDER_SUSPEND || orders[i].kind == ALLOT_ORDER_KILL;
        if (goes && orders[i].preemptor == it->number && !orders[i].held)
            SAY(&it->about,
                "  {.100} of /{} (PRIORITY {}) {}{}: {} slot{|s} (P-7, P-13{?|, P-41}).",
                other->thing.id, allot__explain_queue_of(it, other->queue)->name,
                allot__explain_queue_of(it, other->queue)->priority,
                allot__phrase_done(orders[i].action),
                places_of(orders[i].places, orders[i].place_count).text, orders[i].slots,
                orders[i].action == ALLOT_SUSPEND);
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
    SAY(&it->about, "{} in this cycle{? by |, on }{} slot{|s}{}: {}.", verbs[order->kind],
        order->kind == ALLOT_ORDER_RESIZE, order->slots,
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
    SAY(&it->about,
        "It may not preempt yet: PREEMPT_DELAY is {} s, and it has waited {} s. In {} s it may "
        "(P-35, reason 6701).",
        delay, waited, delay - waited);
}

static void explain_held(const allot__job_explanation *it)
{
    const allot_job_order *orders = it->out->orders.items;
    for (size_t i = 0; i < it->out->orders.count; i++) {
        if (orders[i].held && orders[i].preemptor == it->number) {
            const allot__job *other = allot__explain_job(it, orders[i].job);
            SAY(&it->about,
                "It is to preempt {.100} of /{}, which is being notified of new slots right now: "
                "once that is over it goes, and this one starts. Its slots are kept until then "
                "(A-15).",
                other->thing.id, allot__explain_queue_of(it, other->queue)->name);
        }
    }
}

static void explain_never(const allot__job_explanation *it)
{
    SAY(&it->about,
        "Open hosts of its queue have {} slot{|s} in all, fewer than it asks for: as things are, "
        "it never starts.",
        it->out->view.most[it->set]);
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
    SAY(&it->about, "{?It waits|It stays suspended}: {}.", pending,
        allot_pending_text(it->verdict.why));
    if (it->verdict.why == ALLOT_PEND_BEGIN) {
        SAY(&it->about, "It may start in {} s.", it->job->more->begin - it->about.work->state->now);
        return;
    }
    explain_ahead(it);
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
    it->tally = allot__arena_zeroed(&it->arena, 4 * queues, sizeof *it->tally);
    if (!it->tally)
        return ALLOT_ENOMEM;
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
