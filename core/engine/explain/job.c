/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* job.c: why a job waits, runs or is preempted: what it is, and the chapters that apply. */
#include "engine/explain/job.h"

#include <string.h>

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

static void put_tally(const allot__job_explanation *it, const char *name, const int64_t *tally)
{
    allot__facts_open(&it->about, name, "{");
    FACTS(&it->about, "jobs slots served got", tally[JOBS], tally[SLOTS], tally[SERVED],
          tally[GOT]);
}

/* Queues with jobs before it: the first ones, and its own; the others are summed up. */
static void put_queues(const allot__job_explanation *it)
{
    int32_t shown = 0, others = 0;
    int64_t rest[NUMBERS] = {0};
    allot__facts_open(&it->about, "queues", "[");
    for (int32_t i = 0; i < allot__queue_count(it->about.work->plan); i++) {
        int32_t queue = it->out->sequence[i];
        const int64_t *tally = tally_of(it, queue);
        if (tally[JOBS] == 0)
            continue;
        if (shown < ALLOT__EXPLAIN_NAMED || queue == it->job->queue) {
            shown++;
            put_tally(it, NULL, tally);
            allot__fact_queue(it, queue);
            FACTS(&it->about, "own?", queue == it->job->queue);
            allot__facts_end(&it->about, "}");
        } else {
            others++;
            for (int k = 0; k < NUMBERS; k++)
                rest[k] += tally[k];
        }
    }
    allot__facts_end(&it->about, "]");
    put_tally(it, "others", rest);
    FACTS(&it->about, "queues", others);
    allot__facts_end(&it->about, "}");
}

/* Its turn, and jobs of its queue that came behind it and fit although it does not. */
static void explain_turn(const allot__job_explanation *it)
{
    int64_t behind[NUMBERS] = {0};
    int32_t at = 0;
    for (; at < it->out->tried_count && it->out->tried[at] != it->number; at++) {
        int32_t number = it->out->tried[at];
        count_job(it, number, tally_of(it, allot__explain_job(it, number)->queue));
    }
    for (int32_t i = at + 1; i < it->out->tried_count; i++) {
        int32_t number = it->out->tried[i];
        if (allot__explain_job(it, number)->queue == it->job->queue && served(it, number))
            count_job(it, number, behind);
    }
    allot__facts_open(&it->about, "turn", "{");
    FACTS(&it->about, "number of", at + 1, it->out->tried_count);
    put_queues(it);
    put_tally(it, "behind", behind);
    allot__facts_end(&it->about, "}");
    allot__facts_end(&it->about, "}");
}

/* ---- What it is, and gets -------------------------------------------------------------------- */

/* The list "places" of the first hosts, and how many there are. */
static void put_places(const allot__job_explanation *it, const allot_place *places, int32_t count)
{
    allot__facts_places(&it->about, "places", places, count, ALLOT__EXPLAIN_NAMED);
    FACTS(&it->about, "hosts", count);
}

/* Where the job is in the state. */
static void put_here(const allot__job_explanation *it)
{
    allot_place places[ALLOT__EXPLAIN_NAMED];
    const allot__job_place *from = allot__job_places(it->job);
    int32_t count = it->job->place_count == 0 || from[0].site < 0 ? 0 : it->job->place_count;
    for (int32_t i = 0; i < count && i < ALLOT__EXPLAIN_NAMED; i++) {
        const allot__site *site = &it->about.work->state->tasks.sites[from[i].site];
        places[i] = (allot_place){.name = site->name, .slots = from[i].slots};
    }
    put_places(it, places, count);
}

static void explain_what(const allot__job_explanation *it)
{
    const allot__explanation *about = &it->about;
    bool waits = it->job->state == ALLOT_PENDING;
    int64_t from = waits ? it->job->submitted : it->job->started;
    FACTS(about, "id", it->job->thing.id);
    allot__fact_queue(it, it->job->queue);
    FACTS(about, "user state slots", allot__job_user(about->work->state, it->job->user),
          allot_job_state_name(it->job->state), it->job->slots);
    put_here(it);
    if (from != INT64_MIN && (waits || it->job->state == ALLOT_RUNNING))
        FACTS(about, "since", allot__ran(about->work->state->now, from));
    FACTS(about, "exclusive?", (it->job->flags & ALLOT_JOB_EXCLUSIVE) != 0);
    allot__explain_resources(it);
}

/* Its victims; `held`: those that are notified of new slots first. */
static void put_victims(const allot__job_explanation *it, bool held)
{
    const allot_job_order *orders = it->out->orders.items;
    allot__facts_open(&it->about, "victims", "[");
    for (size_t i = 0; i < it->out->orders.count; i++) {
        const allot__job *other = allot__explain_job(it, orders[i].job);
        bool goes = orders[i].kind == ALLOT_ORDER_SUSPEND || orders[i].kind == ALLOT_ORDER_KILL;
        if (orders[i].preemptor != it->number || (orders[i].held != 0) != held || !(goes || held))
            continue;
        allot__facts_open(&it->about, NULL, "{");
        FACTS(&it->about, "id", other->thing.id);
        allot__fact_queue(it, other->queue);
        FACTS(&it->about, "action", allot__explain_action(orders[i].action));
        put_places(it, orders[i].places, orders[i].place_count);
        FACTS(&it->about, "slots", orders[i].slots);
        allot__facts_end(&it->about, "}");
    }
    allot__facts_end(&it->about, "]");
}

static void explain_gets(const allot__job_explanation *it, const allot_job_order *order)
{
    static const char *const kinds[ALLOT_ORDER_COUNT] = {"start", "resume", "resize"};
    allot__facts_open(&it->about, "gets", "{");
    FACTS(&it->about, "kind reason slots", kinds[order->kind], order->reason, order->slots);
    put_places(it, order->places, order->place_count);
    put_victims(it, false);
    allot__facts_end(&it->about, "}");
}

/* ---- Candidates ------------------------------------------------------------------------------ */

/* Kinds of running jobs, as seen from the waiting job. */
enum { GUARD = ALLOT__INELIGIBLE_GUARD, KINDS = GUARD + ALLOT_GUARDS_MAX };

typedef struct tally {
    int64_t jobs[KINDS], slots[KINDS];
    int64_t all_jobs, all_slots;
} tally;

/* ---- Counting -------------------------------------------------------------------------------- */

static int32_t kind_of(const allot__job_explanation *it, int32_t number)
{
    const allot__job *job = allot__explain_job(it, number);
    int32_t kind = it->out->searched ? it->out->candidates.ineligible[number]
                                     : allot__job_ineligible(it->about.work, job);
    return kind == ALLOT__ELIGIBLE && allot__backfill_reserved(it->queues, job, it->job->queue)
               ? ALLOT__INELIGIBLE_RESERVED
               : kind;
}

static tally count_queue(const allot__job_explanation *it, int32_t low)
{
    tally out = {{0}, {0}, 0, 0};
    for (int32_t i = it->jobs->first[low]; i < it->jobs->first[low + 1]; i++) {
        int32_t number = it->jobs->by_queue[i];
        int64_t slots = it->out->jobs[number].now == ALLOT_RUNNING && number != it->number
                            ? allot__explain_has(it, number, NULL)
                            : 0;
        if (slots > 0) {
            int32_t kind = kind_of(it, number);
            out.jobs[kind]++;
            out.slots[kind] += slots;
            out.all_jobs++;
            out.all_slots += slots;
        }
    }
    return out;
}

/* ---- Jobs it may preempt --------------------------------------------------------------------- */

static void put_kinds(const allot__job_explanation *it, const tally *of)
{
    static const char *const names[GUARD] = {[ALLOT__ELIGIBLE] = "eligible",
                                             [ALLOT__INELIGIBLE_NEW] = "new",
                                             [ALLOT__INELIGIBLE_TAKEN] = "taken",
                                             [ALLOT__INELIGIBLE_EXCLUSIVE] = "exclusive",
                                             [ALLOT__INELIGIBLE_BACKFILL] = "backfill",
                                             [ALLOT__INELIGIBLE_FORCED] = "forced",
                                             [ALLOT__INELIGIBLE_RESERVED] = "reserved"};
    allot__facts_open(&it->about, "kinds", "[");
    for (int32_t kind = 0; kind < KINDS; kind++) {
        const allot__guard *guard = allot__explain_guard(&it->about, kind);
        if (of->jobs[kind] == 0)
            continue;
        allot__facts_open(&it->about, NULL, "{");
        FACTS(&it->about, "kind guard", guard ? NULL : names[kind], guard ? guard->label : NULL);
        if (guard && allot__explain_parameter(guard) >= 0)
            FACTS(&it->about, "parameter", allot__explain_parameter(guard));
        FACTS(&it->about, "jobs slots", of->jobs[kind], of->slots[kind]);
        allot__facts_end(&it->about, "}");
    }
    allot__facts_end(&it->about, "]");
}

static void open_queue(const allot__job_explanation *it, int32_t queue, const tally *of)
{
    allot__facts_open(&it->about, NULL, "{");
    allot__fact_queue(it, queue);
    FACTS(&it->about, "jobs slots", of->all_jobs, of->all_slots);
}

/* Queues whose jobs it may preempt: the first ones, and what the others have, too. */
static void put_may(const allot__job_explanation *it, int32_t queues)
{
    int64_t may = 0, safe = 0;
    int32_t shown = 0;
    allot__facts_open(&it->about, "may", "[");
    for (int32_t low = 0; queues > 0 && low < allot__queue_count(it->about.work->plan); low++) {
        if (!allot__explain_may(it, it->job->queue, low))
            continue;
        tally of = count_queue(it, low);
        may += of.slots[ALLOT__ELIGIBLE];
        for (int32_t kind = GUARD; kind < KINDS; kind++)
            safe += of.slots[kind];
        if (shown < ALLOT__EXPLAIN_NAMED && (of.all_jobs > 0 || queues <= ALLOT__EXPLAIN_NAMED)) {
            shown++;
            open_queue(it, low, &of);
            FACTS(&it->about, "preferred", allot__preference(it->queues, it->job->queue, low));
            put_kinds(it, &of);
            allot__facts_end(&it->about, "}");
        }
    }
    allot__facts_end(&it->about, "]");
    FACTS(&it->about, "may_go protected", may, safe);
}

/* ---- Jobs it may not ------------------------------------------------------------------------- */

static bool lists(const char *const *names, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* What the queues themselves do not allow (P-3 ... P-5). */
static const char *unsaid(const allot_queue *above, const allot_queue *below)
{
    if (below->high_count > 0 && !lists(below->high, below->high_count, above->name))
        return "high";
    if (!below->preemptable && !above->preemptive)
        return "neither";
    if (!below->preemptable && above->low_count > 0)
        return "low";
    return "relation";
}

/* Why one queue may not preempt another; of a policy's test its name. */
static const char *barred(const allot__job_explanation *it, int32_t high, int32_t low)
{
    const allot_policy *policy = it->about.rules->policy;
    const allot_provider *provider = &policy->provider;
    if (high == low)
        return "same";
    if (it->queues->pool_of[high] >= 0 || it->queues->pool_of[low] >= 0)
        return "pools";
    if (policy->test_count == 0)
        return "nobody";
    int32_t why = allot__relation_refusal(it->about.work->plan, high, low);
    if (why == ALLOT_REFUSED_PRIORITY)
        return "priority";
    if (why == ALLOT_REFUSED_SLOT_SHARE)
        return "slot_share";
    if (why == ALLOT_REFUSED_QUEUES)
        return unsaid(allot__explain_queue_of(it, high), allot__explain_queue_of(it, low));
    FACTS(&it->about, "test",
          provider->refusal ? provider->refusal(provider->ud, allot__policy_asks(policy), why)
                            : NULL);
    return "policy";
}

static void put_others(const allot__job_explanation *it)
{
    int32_t shown = 0;
    allot__facts_open(&it->about, "may_not", "[");
    for (int32_t low = 0; low < allot__queue_count(it->about.work->plan); low++) {
        if (allot__explain_may(it, it->job->queue, low))
            continue;
        tally of = count_queue(it, low);
        if (of.all_jobs == 0 || shown++ >= ALLOT__EXPLAIN_NAMED)
            continue;
        open_queue(it, low, &of);
        FACTS(&it->about, "share why", allot__explain_queue_of(it, low)->slot_share,
              barred(it, it->job->queue, low));
        allot__facts_end(&it->about, "}");
    }
    allot__facts_end(&it->about, "]");
    FACTS(&it->about, "may_not_count", shown);
}

static int32_t count_low(const allot__job_explanation *it)
{
    int32_t count = 0;
    for (int32_t low = 0; low < allot__queue_count(it->about.work->plan); low++)
        count += allot__explain_may(it, it->job->queue, low);
    return count;
}

static void explain_candidates(const allot__job_explanation *it)
{
    int32_t queues = count_low(it);
    allot__facts_open(&it->about, "candidates", "{");
    FACTS(&it->about, "pool? barred? queues free policy share",
          it->queues->pool_of[it->job->queue] >= 0, allot__barred_by_type(it->about.work, it->job),
          queues, it->free, it->about.rules->policy->name, it->queue->slot_share);
    put_may(it, queues);
    put_others(it);
    allot__facts_end(&it->about, "}");
}

/* ---- Why it waits ---------------------------------------------------------------------------- */

static void explain_delay(const allot__job_explanation *it)
{
    allot_protection of = allot__protection_of(it->queues, it->job->application, it->job->queue);
    FACTS(&it->about, "delay waited", of.preempt_delay,
          allot__ran(it->about.work->state->now, it->job->submitted));
}

static void explain_reason(const allot__job_explanation *it)
{
    switch ((allot_pending)it->verdict.why) {
    case ALLOT_PEND_NEVER:
        FACTS(&it->about, "most", it->out->view.most[it->set]);
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
        put_victims(it, true);
        return;
    case ALLOT_PEND_DELAY:
        explain_delay(it);
        break;
    default:
        allot__explain_slice(it);
        break;
    }
    explain_candidates(it);
}

static void explain_waiting(const allot__job_explanation *it)
{
    bool pending = it->job->state == ALLOT_PENDING;
    allot__facts_open(&it->about, "waits", "{");
    FACTS(&it->about, "why text", allot_pending_name(it->verdict.why),
          allot_pending_text(it->verdict.why));
    if (it->verdict.why == ALLOT_PEND_BEGIN) {
        FACTS(&it->about, "begin", it->job->more->begin - it->about.work->state->now);
    } else {
        explain_turn(it);
        if (pending && it->verdict.why != ALLOT_PEND_NEVER)
            allot__explain_view(it);
        else if (!pending)
            allot__explain_own_hosts(it);
        explain_reason(it);
    }
    allot__facts_end(&it->about, "}");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int explain_job(allot__job_explanation *it)
{
    const allot_job_order *order = allot__explain_order(it);
    explain_what(it);
    if (order && order->kind <= ALLOT_ORDER_RESIZE)
        explain_gets(it, order);
    else if (order)
        return allot__explain_gone(it);
    else if (it->job->state == ALLOT_RUNNING)
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
    it->tally = allot__arena_zeroed(&it->arena, NUMBERS * queues, sizeof *it->tally);
    if (!it->tally)
        return ALLOT_ENOMEM;
    return allot__explain_view_count(it);
}

int allot__facts_job(const allot_decision *decision, const char *id, allot__text *to)
{
    int32_t number = allot_state_job_find(decision->state, id);
    if (number < 0 || !decision->dispatched)
        return ALLOT_ENOENT;
    const allot__decided *decided = &decision->groups[0];
    allot__job_explanation it = {.about = {.decision = decision,
                                           .decided = decided,
                                           .work = &decided->work,
                                           .rules = &decided->work.rules[0],
                                           .to = to},
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
