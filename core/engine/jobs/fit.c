/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* fit.c: does a job fit, where, and if not, why; and running jobs that want more slots get free
 * ones (P-50). */
#include "base/least.h"
#include "base/wide.h"
#include "engine/jobs/reserve.h"
#include "engine/jobs/turn.h"
#include "engine/jobs/limits/resource.h"

/* How far ahead jobs are prefetched in long turns. */
enum { AHEAD = 16 };

ALLOT__INLINE bool note_why(allot__turns *turns, int32_t job, allot_pending why, int32_t binding)
{
    turns->out->jobs[job].why = (uint8_t)why;
    turns->out->jobs[job].binding = binding;
    return false;
}

static bool fits(allot__turns *turns, int32_t job)
{
    turns->out->jobs[job].why = ALLOT_PEND_NOT;
    turns->out->jobs[job].binding = -1;
    return true;
}

static const allot__job_brief *at(const allot__turns *turns, int32_t job)
{
    return &turns->jobs->briefs[job];
}

static bool exclusive(const allot__job *job)
{
    return (job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
}

/* What is remembered of jobs like this one: of its class if limits matter, else of its queue. */
ALLOT__INLINE allot__missed *missed(allot__turns *turns, allot__missed *all, int32_t number,
                                    bool limited)
{
    const allot__job_brief *job = at(turns, number);
    const allot__bounds *bounds = &turns->out->bounds;
    size_t class = limited ? (size_t)allot__bounds_class(bounds, number)
                           : bounds->classes.count + (size_t)job->queue;
    return all + (size_t)turns->kinds * class + job->exclusive;
}

/* What is known of where jobs like this one fit. */
static allot__missed *known_of(allot__turns *turns, int32_t number)
{
    bool by_host = allot__bounds_by_host(&turns->out->bounds, number);
    return missed(turns, turns->fits, number, by_host);
}

/* Is the job known not to fit? If so, sets the reason. */
ALLOT__INLINE bool misses(allot__turns *turns, const allot__missed *missed, int32_t number)
{
    int32_t slots = at(turns, number)->slots;
    if (missed->gains != turns->out->view.gains || slots < missed->slots)
        return false;
    allot_pending why = (allot_pending)(slots <= missed->most ? missed->why : missed->above);
    note_why(turns, number, why, missed->binding);
    return true;
}

/* Why the pool denies the job its slots; ALLOT_PEND_NOT: it does not. */
static allot_pending barred_by_pool(const allot__turns *turns, const allot__job_brief *job)
{
    int32_t pool = allot__turn_pool(turns, job->queue);
    if (pool < 0 || job->state != ALLOT_PENDING)
        return ALLOT_PEND_NOT;
    if (job->slots > allot__pool_left(turns, pool))
        return ALLOT_PEND_POOL;
    int64_t used = turns->out->used[job->queue], may = turns->out->cuts[job->queue].may;
    bool above = job->slots > turns->slice[job->queue] && used < may;
    return turns->leftover || used + job->slots <= may || above ? ALLOT_PEND_NOT : ALLOT_PEND_SLICE;
}

/* The job found `found` slots and no more: remembers why, for jobs that ask for more. */
static void miss(allot__turns *turns, allot__missed *missed, int32_t number, int32_t found,
                 bool limited)
{
    const allot__job_brief *job = at(turns, number);
    const allot__host_view *view = &turns->out->view;
    missed->gains = view->gains;
    missed->slots = (int64_t)found + 1;
    missed->most = INT64_MAX;
    missed->why = limited ? ALLOT_PEND_LIMIT : ALLOT_PEND_EXCLUSIVE;
    if (!limited && !job->exclusive) {
        int32_t set = turns->queues->set_of[job->queue];
        missed->most = view->leased ? found + allot__host_view_leased(view, set) : 0;
        missed->why = ALLOT_PEND_LEASE;
        missed->above = ALLOT_PEND_SLOTS;
    }
}

/* Skips hosts that had nothing for such a job; but if it does not fit, the reason is of all
 * hosts. */
static bool put(allot__turns *turns, int32_t number, allot__missed *known)
{
    const allot__job_brief *job = at(turns, number);
    allot__host_view *view = &turns->out->view;
    int32_t from = known->from_gains == view->gains ? known->from : 0, passed = from;
    allot__host_view_as(view, job->queue);
    int32_t binding, left = allot__place_on_hosts(turns, number, &from, &binding);
    known->from = from;
    known->from_gains = view->gains;
    if (left <= 0)
        return fits(turns, number);
    from = 0;
    if (passed > 0)
        left = allot__place_on_hosts(turns, number, &from, &binding);
    known->binding = binding;
    miss(turns, known, number, job->slots - left, binding != -1);
    return !misses(turns, known, number);
}

allot__missed *allot__fit_back_known(allot__turns *turns, int32_t number)
{
    return missed(turns, turns->backs, number, turns->out->bounds.class_of != NULL);
}

int64_t allot__fit_lack(allot__turns *turns, int32_t number)
{
    const allot__job_brief *job = at(turns, number);
    int why = turns->out->jobs[number].why;
    if (why == ALLOT_PEND_NEVER)
        return INT64_MAX;
    bool slots = why == ALLOT_PEND_SLOTS || why == ALLOT_PEND_LEASE;
    if (!slots || job->state != ALLOT_PENDING || job->exclusive ||
        allot__preempts(turns->work->plan->relation, job->queue) ||
        allot__bounds_by_host(&turns->out->bounds, number))
        return 1;
    const allot__missed *known = known_of(turns, number);
    return known->gains == turns->out->view.gains ? job->slots - known->slots + 1 : 1;
}

int32_t allot__fit_pass(allot__turns *turns, const int32_t *jobs, int32_t count, int64_t *lack)
{
    const allot__dispatched *out = turns->out;
    int32_t queue = at(turns, jobs[0])->queue, passed = 0;
    int64_t most = allot__host_view_most(&out->view, turns->queues->set_of[queue], queue);
    if (!allot__reserve_full(turns) || out->bounds.class_of || out->bounds.resources ||
        allot__preempts(turns->work->plan->relation, queue) || allot__turn_pool(turns, queue) >= 0)
        return 0;
    for (; passed < count; passed++) {
        int32_t number = jobs[passed];
        const allot__job_brief *job = at(turns, number);
        if (passed + AHEAD < count) {
            __builtin_prefetch(at(turns, jobs[passed + AHEAD]));
            __builtin_prefetch(&out->jobs[jobs[passed + AHEAD]], 1);
        }
        const allot__missed *known = missed(turns, turns->fits, number, false);
        bool alike = job->queue == queue && job->state == ALLOT_PENDING && job->slots <= most;
        if (!alike || !misses(turns, known, number))
            break;
        bool slots = out->jobs[number].why != ALLOT_PEND_EXCLUSIVE;
        int64_t lacks = slots ? job->slots - known->slots + 1 : 1;
        *lack = lacks < *lack ? lacks : *lack;
    }
    return passed;
}

bool allot__fit_start(allot__turns *turns, int32_t number)
{
    const allot__job_brief *job = at(turns, number);
    const allot__host_view *view = &turns->out->view;
    int32_t binding = -1;
    if (job->slots > allot__host_view_most(view, turns->queues->set_of[job->queue], job->queue))
        return note_why(turns, number, ALLOT_PEND_NEVER, -1);
    if (allot__beside_passes(turns, number))
        return false;
    if (!allot__bounds_allow(&turns->out->bounds, number, job->slots, &binding))
        return note_why(turns, number, ALLOT_PEND_LIMIT, binding);
    const allot__resources *resources = turns->out->bounds.resources;
    if (resources && !allot__resources_allow(resources, number, &binding))
        return note_why(turns, number, ALLOT_PEND_RESOURCE, binding);
    allot_pending barred = barred_by_pool(turns, job);
    if (barred != ALLOT_PEND_NOT)
        return note_why(turns, number, barred, -1);
    allot__missed *known = known_of(turns, number);
    return !misses(turns, known, number) && put(turns, number, known) &&
           allot__beside_start(turns, number);
}

/* A job resumes if its own hosts have slots on which no job runs and its limits allow it. */
bool allot__fit_resume(allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    const allot__job_place *places = allot__job_places(job);
    const allot__host_view *view = &turns->out->view;
    int32_t binding = -1;
    if (!allot__bounds_allow(&turns->out->bounds, number, job->slots, &binding))
        return note_why(turns, number, ALLOT_PEND_LIMIT, binding);
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        bool others = host >= 0 && view->running[host] + view->claimed[host] > 0;
        bool alone = host >= 0 && (view->alone[host] > 0 || (exclusive(job) && others));
        if (host < 0 || alone || allot__host_view_unclaimed(view, host) < places[i].slots)
            return note_why(turns, number, alone ? ALLOT_PEND_EXCLUSIVE : ALLOT_PEND_SLOTS, -1);
        int32_t slots = places[i].slots;
        if (allot__bounds_on_host(&turns->out->bounds, number, host, slots, &binding) < slots) {
            allot__bounds_tried(&turns->out->bounds, number);
            return note_why(turns, number, ALLOT_PEND_LIMIT, binding);
        }
        allot__bounds_try(&turns->out->bounds, number, host, slots);
    }
    allot__bounds_tried(&turns->out->bounds, number);
    return !allot__beside_passes(turns, number) && allot__beside_resume(turns, number) &&
           fits(turns, number);
}

static bool fit(allot__turns *turns, int32_t number)
{
    bool pending = at(turns, number)->state == ALLOT_PENDING;
    return pending ? allot__fit_start(turns, number) : allot__fit_resume(turns, number);
}

/* P-35: if the job is delayed, this replaces its other reason to wait. */
static bool delayed(allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    if (job->state != ALLOT_PENDING || job->submitted == INT64_MIN)
        return false;
    int32_t delay = allot__protection_of(turns->queues, job->application, job->queue).preempt_delay;
    if (delay == ALLOT_NONE || turns->work->state->now - (allot__i128)job->submitted >= delay)
        return false;
    note_why(turns, number, ALLOT_PEND_DELAY, -1);
    return true;
}

/* P-42, P-36: likewise, if jobs may not (yet) be preempted for a resource that the job lacks. */
static bool without_resource(allot__turns *turns, int32_t number)
{
    allot__resources *resources = turns->out->bounds.resources;
    int32_t binding;
    if (!resources || at(turns, number)->state != ALLOT_PENDING)
        return false;
    allot_pending why = allot__resources_barred(resources, number, &binding);
    return why != ALLOT_PEND_NOT && !note_why(turns, number, why, binding);
}

/* Does its class speak for the job? Not if it lacks resources: these differ within a class. */
static bool alike(const allot__turns *turns, int32_t number)
{
    const allot__resources *resources = turns->out->bounds.resources;
    return at(turns, number)->state == ALLOT_PENDING &&
           (!resources || allot__resources_above(resources, number) == 0);
}

/* Candidates are listed only once a job searches for victims. */
static int make_candidates(allot__turns *turns)
{
    allot__dispatched *out = turns->out;
    if (out->searched)
        return ALLOT_OK;
    int status = allot__candidates_make(turns->work, &out->view, &out->bounds, &out->candidates);
    if (status != ALLOT_OK)
        return status;
    out->searched = true;
    const allot_job_order *orders = out->orders.items;
    for (size_t i = 0; i < out->orders.count; i++)
        allot__candidates_drop(&out->candidates, orders[i].job, ALLOT__INELIGIBLE_TAKEN);
    return ALLOT_OK;
}

/* Stops the first `count` victims (-1), without orders; or lets them run on, last one first (1). */
static int turn_victims(allot__turns *turns, const allot__found *found, int32_t count, int32_t sign)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
        int32_t victim = found->victims[sign < 0 ? i : count - 1 - i];
        if (turns->reserve)
            turns->reserve->gone[victim] = sign < 0;
        const allot__job *job = allot__job_at(turns->jobs, victim);
        status = allot__job_turn(&turns->out->view, &turns->out->bounds, victim,
                                 allot__job_ends(turns->work->plan, job), sign);
    }
    return status;
}

/* Is any victim suspended, so that it keeps its slots? Not where nothing is reserved. */
static bool suspends(const allot__turns *turns, const allot__found *found)
{
    bool keeps = false;
    for (int32_t i = 0; allot__reserve_some(turns) && i < found->count; i++) {
        const allot__job *job = allot__job_at(turns->jobs, found->victims[i]);
        keeps = keeps || !allot__job_ends(turns->work->plan, job);
    }
    return keeps;
}

/* Orders the victims to stop, which the job does without. */
static int stop_victims(allot__turns *turns, const allot__found *found, bool *done)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < found->count && status == ALLOT_OK; i++) {
        const allot__job *job = allot__job_at(turns->jobs, found->victims[i]);
        if (turns->reserve)
            turns->reserve->gone[found->victims[i]] = false;
        status = allot__order_stop(
            turns, &(allot__stop){.job = found->victims[i],
                                  .preemptor = found->job,
                                  .action = allot__queue_at(turns->queues, job->queue)->on_preempt,
                                  .reason = "preempted"});
    }
    *done = status == ALLOT_OK;
    if (*done && turns->out->bounds.resources)
        allot__resources_preempted(turns->out->bounds.resources);
    return status;
}

/* Preempts the victims if the job then fits; otherwise none. */
static int carry_out(allot__turns *turns, const allot__found *found, bool *done)
{
    int status = suspends(turns, found) ? allot__beside_weigh(turns) : ALLOT_OK;
    for (int32_t i = 0; i < found->count && status == ALLOT_OK; i++)
        status = allot__again_mark(turns, found->victims[i]);
    if (status == ALLOT_OK)
        status = turn_victims(turns, found, found->count, -1);
    if (status != ALLOT_OK)
        return status;
    bool fits = fit(turns, found->job) && !(found->held && turns->withdraws);
    if (suspends(turns, found))
        status = allot__beside_delays(turns, found->job, &fits);
    if (!fits && turns->out->jobs[found->job].why != ALLOT_PEND_BEHIND)
        note_why(turns, found->job, ALLOT_PEND_FEW, -1);
    if (status == ALLOT_OK && (!fits || found->held)) {
        status = turn_victims(turns, found, found->count, 1);
        return status == ALLOT_OK && fits ? allot__hold_take(turns, found) : status;
    }
    return status == ALLOT_OK ? stop_victims(turns, found, done) : status;
}

/* Is the job barred from preempting any job? */
static bool barred(allot__turns *turns, int32_t number)
{
    const allot__job_brief *job = at(turns, number);
    int why = turns->out->jobs[number].why;
    return turns->leftover || why == ALLOT_PEND_NEVER || why == ALLOT_PEND_BEHIND ||
           !allot__preempts(turns->work->plan->relation, job->queue) ||
           barred_by_pool(turns, job) != ALLOT_PEND_NOT ||
           allot__barred_by_type(turns->work, allot__job_at(turns->jobs, number)) ||
           delayed(turns, number) || without_resource(turns, number);
}

static int search(allot__turns *turns, int32_t number, bool *done)
{
    const allot__bounds *bounds = &turns->out->bounds;
    bool limited = turns->out->jobs[number].why == ALLOT_PEND_LIMIT;
    limited = bounds->class_of != NULL && (limited || allot__bounds_by_host(bounds, number));
    allot__missed *known = missed(turns, turns->searches, number, limited);
    bool is_alike = alike(turns, number);
    allot__job_verdict *verdict = &turns->out->jobs[number], before = *verdict;
    if (is_alike && misses(turns, known, number)) {
        *verdict = verdict->why == ALLOT_PEND_SLOTS ? before : *verdict;
        return ALLOT_OK;
    }
    int status = make_candidates(turns);
    allot__found found = {.job = number, .binding = -1, .why = ALLOT_PEND_FEW};
    if (status == ALLOT_OK)
        status = allot__candidates_search(&turns->out->candidates, &found);
    if (status == ALLOT_OK && found.count > 0)
        return carry_out(turns, &found, done);
    if (status == ALLOT_OK && found.why != ALLOT_PEND_SLOTS) /* else the reason remains */
        note_why(turns, number, found.why, found.binding);
    if (status == ALLOT_OK && is_alike)
        *known = (allot__missed){.gains = turns->out->view.gains,
                                 .slots = found.least,
                                 .most = found.most,
                                 .binding = found.binding,
                                 .why = (uint8_t)found.why,
                                 .above = (uint8_t)found.above};
    return status;
}

int allot__fit_preempting(allot__turns *turns, int32_t number, bool *done)
{
    *done = false;
    if (!turns->withdraws)
        turns->marks.count = 0;
    if (barred(turns, number))
        return ALLOT_OK;
    int status = search(turns, number, done);
    bool held = turns->out->jobs[number].why == ALLOT_PEND_HELD;
    return status == ALLOT_OK && !*done && !held ? allot__back_take(turns, number, done) : status;
}

static int start(allot__turns *turns, int32_t job, const char *reason)
{
    int64_t changes = turns->out->view.changes;
    int status = allot__order_start(turns, job, reason);
    return status == ALLOT_OK && turns->reserve ? allot__reserve_started(turns, job, changes)
                                                : status;
}

int allot__turn_start(allot__turns *turns, int32_t job, const char *reason, bool *started)
{
    bool preempts = false, behind = allot__reserve_some(turns) && !turns->leftover;
    *started = false;
    if (turns->out->reserved && turns->out->reserved[job].at != INT64_MAX)
        return ALLOT_OK; /* it was tried before */
    *started = allot__fit_start(turns, job);
    allot_pending why = (allot_pending)turns->out->jobs[job].why;
    int status = *started ? ALLOT_OK : allot__fit_preempting(turns, job, &preempts);
    *started = *started || preempts;
    if (status == ALLOT_OK && *started)
        status = start(turns, job, preempts ? "preempted" : behind ? "backfill" : reason);
    else if (status == ALLOT_OK && turns->reserve)
        status = allot__reserve_wait(turns, job, why);
    if (status == ALLOT_OK && preempts)
        allot__again_look(turns, job);
    return status;
}

/* ---- Growing --------------------------------------------------------------------------------- */

/* How many more slots limits without hosts allow a job: found by bisection, as limits answer for
 * one number at a time. Its pool allows what is left of the slice. */
static int32_t allowed(const allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    int32_t pool = allot__turn_pool(turns, job->queue), low = 0, high = job->grow, binding;
    if (pool >= 0) {
        int64_t slice = turns->out->cuts[job->queue].may - turns->out->used[job->queue];
        slice = allot__least(slice, allot__pool_left(turns, pool));
        high = (int32_t)allot__least(high, slice > 0 ? slice : 0);
    }
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (allot__bounds_allow(&turns->out->bounds, number, middle, &binding))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Takes up to `most` slots of a host, as limits allow; an exclusive job is alone on its hosts. */
static int32_t put_on(allot__turns *turns, int32_t number, int32_t host, int32_t most)
{
    allot__host_view *view = &turns->out->view;
    int64_t free = allot__least(view->free[host], most);
    if (free <= 0)
        return 0;
    int32_t binding;
    int32_t slots =
        allot__bounds_on_host(&turns->out->bounds, number, host, (int32_t)free, &binding);
    if (view->alone[host] == 0) /* else the host is its own */
        slots = allot__reserve_least(turns, host, slots);
    if (slots <= 0)
        return 0;
    allot__reserve_use(turns, host, slots);
    allot__bounds_try(&turns->out->bounds, number, host, slots);
    turns->places[turns->place_count++] =
        (allot__job_place){.site = view->site[host], .slots = slots};
    return slots;
}

/* Its own hosts, sorted in the view's order; returns how many. */
static int32_t own_hosts(const allot__turns *turns, const allot__job *job, int32_t *hosts)
{
    const allot__job_place *places = allot__job_places(job);
    int32_t count = 0;
    for (int32_t i = 0; i < job->place_count; i++) {
        int32_t host = allot__host_view_host(&turns->out->view, places[i].site);
        hosts[count] = host;
        count += host >= 0;
    }
    allot__sort_numbers(hosts, count);
    return count;
}

/* First on hosts that it runs on, then on others, both in the view's order. */
static int32_t put_more(allot__turns *turns, int32_t number, int32_t most)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    const allot__host_view *view = &turns->out->view;
    bool exclusive = (job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    int32_t set = turns->queues->set_of[job->queue], left = most;
    int32_t *own = turns->hosts, count = most > 0 ? own_hosts(turns, job, own) : 0, behind = 0;
    allot__missed *known = known_of(turns, number);
    int32_t from = known->from_gains == view->gains ? known->from : 0;
    turns->place_count = 0;
    for (int32_t i = 0; i < count && left > 0; i++)
        if (allot__host_view_open(view, own[i]) || exclusive)
            left -= put_on(turns, number, own[i], left);
    for (int32_t host = allot__host_view_next(view, set, from); host >= 0 && left > 0;
         host = allot__host_view_next(view, set, host + 1)) {
        while (behind < count && own[behind] < host)
            behind++;
        bool runs = behind < count && own[behind] == host;
        if (!runs && (!exclusive || allot__host_view_empty(view, host)))
            left -= put_on(turns, number, host, left);
    }
    if (most > 0 && turns->place_count == 0 && !allot__reserve_some(turns)) {
        known->from = view->count;
        known->from_gains = view->gains;
    }
    allot__bounds_tried(&turns->out->bounds, number);
    return most - left;
}

static int grow(allot__turns *turns, int32_t number)
{
    const allot__job *job = allot__job_at(turns->jobs, number);
    if (job->state != ALLOT_RUNNING || job->grow <= 0 || job->notifying ||
        turns->states[number] != ALLOT_RUNNING || turns->grown[number] ||
        allot__reserve_first(turns) >= 0)
        return ALLOT_OK;
    allot__reserve_bind(turns, number, false);
    int32_t slots = put_more(turns, number, allowed(turns, number));
    allot__reserve_unbind(turns);
    if (slots > 0 && !allot__beside_others(turns, number))
        slots = fits(turns, number) ? 0 : slots; /* it does not wait */
    return slots > 0 ? allot__order_grow(turns, number) : ALLOT_OK;
}

int allot__turn_grow(allot__turns *turns, int32_t queue)
{
    int status = ALLOT_OK;
    allot__host_view_as(&turns->out->view, queue);
    for (int32_t i = turns->jobs->first[queue];
         i < turns->jobs->first[queue + 1] && status == ALLOT_OK; i++)
        status = grow(turns, turns->jobs->by_queue[i]);
    return status;
}
