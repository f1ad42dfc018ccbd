/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view.c: hosts as a job's queue sees them once the cycle is over, and resources. */
#include "engine/explain/job.h"

#include "base/least.h"
#include "engine/jobs/limits/resource.h"

/* ---- Counting -------------------------------------------------------------------------------- */

static const allot__host_view *view_of(const allot__job_explanation *it)
{
    return &it->out->view;
}

/* Slots on which no job runs, those kept by suspended jobs included. */
static int64_t unused(const allot__host_view *view, int32_t host)
{
    return view->free[host] + view->kept[host];
}

static bool others_own(const allot__job_explanation *it, int32_t host)
{
    const allot__host_view *view = view_of(it);
    return view->owner != NULL && view->owner[host] >= 0 && view->owner[host] != it->job->queue;
}

/* The most slots of a host that the job could have. */
static int64_t free_of(const allot__job_explanation *it, int32_t host)
{
    int64_t free = unused(view_of(it), host) - it->kept[host];
    return free > 0 && view_of(it)->alone[host] == 0 && !others_own(it, host) ? free : 0;
}

/* Slots are kept from starting jobs by the relation, from resumed jobs by turn
 * (jobs/limits/view.h). */
static bool keeps(const allot__job_explanation *it, int32_t job, const allot__job *other)
{
    const allot__host_view *view = view_of(it);
    if (!(view->keeps[job] & ALLOT__KEEP_NOW) || job == it->number)
        return false;
    return it->job->state == ALLOT_SUSPENDED
               ? view->claims[job] > 0 && view->claims[job] < view->claims[it->number]
               : !allot__explain_may(it, it->job->queue, other->queue);
}

static void count_kept(allot__job_explanation *it, int32_t job)
{
    const allot__job *other = allot__explain_job(it, job);
    const allot__job_place *places = allot__job_places(other);
    if (!keeps(it, job, other))
        return;
    for (int32_t i = 0; i < other->place_count; i++) {
        int32_t host = allot__host_view_host(view_of(it), places[i].site);
        if (host >= 0)
            it->kept[host] += places[i].slots;
    }
}

int32_t allot__explain_host(const allot__job_explanation *it, const allot_place *place)
{
    return allot__host_view_host(view_of(it), allot__place_site(it->about.work->plan, place));
}

/* Could the job use slots of that host: its queue's, or, while suspended, its own? */
static bool wants(const allot__job_explanation *it, int32_t host)
{
    if (it->job->state == ALLOT_PENDING)
        return allot__host_view_has(view_of(it), it->set, host);
    const allot__job_place *places = allot__job_places(it->job);
    for (int32_t i = 0; i < it->job->place_count; i++)
        if (allot__host_view_host(view_of(it), places[i].site) == host)
            return true;
    return false;
}

/* Counts slots of another job on a host; returns those that this one could use. */
static int64_t put(const allot__job_explanation *it, int32_t host, int64_t slots, int64_t *on)
{
    if (host >= 0 && on)
        on[host] += slots;
    return host >= 0 && wants(it, host) ? slots : 0;
}

static int64_t count_places(const allot__job_explanation *it, int32_t other, int64_t *on)
{
    const allot__job *job = allot__explain_job(it, other);
    int64_t sum = 0;
    for (int32_t i = 0; i < allot__job_all_places(job); i++)
        sum +=
            put(it, allot__job_host_at(view_of(it), job, i), allot__job_places(job)[i].slots, on);
    return sum;
}

int64_t allot__explain_shares(const allot__job_explanation *it, int32_t other)
{
    return count_places(it, other, NULL);
}

int64_t allot__explain_has(const allot__job_explanation *it, int32_t other, int64_t *on)
{
    bool pending = allot__explain_job(it, other)->state == ALLOT_PENDING;
    int64_t sum = pending ? 0 : count_places(it, other, on);
    int32_t at = it->out->jobs[other].order;
    if (at < 0)
        return sum;
    const allot_job_order *order = (const allot_job_order *)it->out->orders.items + at;
    if (order->kind != ALLOT_ORDER_START && order->kind != ALLOT_ORDER_RESIZE)
        return sum;
    if (order->place_count == 0)
        return sum + put(it, 0, order->slots, on);
    for (int32_t i = 0; i < order->place_count; i++)
        sum += put(it, allot__explain_host(it, &order->places[i]), order->places[i].slots, on);
    return sum;
}

int allot__explain_view_count(allot__job_explanation *it)
{
    const allot__host_view *view = view_of(it);
    size_t hosts = (size_t)view->count + 1;
    it->kept = allot__arena_zeroed(&it->arena, 2 * hosts, sizeof *it->kept);
    if (!it->kept)
        return ALLOT_ENOMEM;
    it->ran = it->kept + hosts;
    for (size_t i = 0; i < it->jobs->list.count; i++) {
        count_kept(it, (int32_t)i);
        if (it->out->jobs[i].now == ALLOT_RUNNING)
            allot__explain_has(it, (int32_t)i, it->ran);
    }
    it->free = 0;
    for (int32_t host = 0; host < view->count; host++)
        it->free += allot__host_view_has(view, it->set, host) ? free_of(it, host) : 0;
    return ALLOT_OK;
}

/* ---- A queue's hosts ------------------------------------------------------------------------- */

/* Hosts that have slots which the job cannot have. */
typedef struct apart {
    int64_t count, slots;
    int32_t first;
} apart;

typedef struct tally {
    int64_t hosts, slots, run, held, kept, leased, empty;
    apart closed, alone, owned;
} tally;

static void set_apart(apart *to, int32_t host, int64_t slots)
{
    to->first = to->count++ == 0 ? host : to->first;
    to->slots += allot__most(slots, 0);
}

static const allot__site *site_at(const allot__job_explanation *it, int32_t host)
{
    int32_t site = view_of(it)->site[host];
    return site >= 0 ? &it->about.work->state->tasks.sites[site] : NULL;
}

static void count_host(const allot__job_explanation *it, int32_t host, tally *out)
{
    const allot__host_view *view = view_of(it);
    const allot__site *site = site_at(it, host);
    int64_t leased = view->leased ? view->leased[host] : 0;
    out->hosts++;
    if (site && site->closed != ALLOT_OPEN) {
        set_apart(&out->closed, host, site->slots);
        return;
    }
    int64_t left = unused(view, host) - it->kept[host];
    out->slots += view->slots[host];
    out->leased += leased;
    out->run += it->ran[host];
    out->held += view->slots[host] - leased - unused(view, host) - it->ran[host];
    out->kept += allot__most(0, allot__least(unused(view, host), it->kept[host]));
    out->empty += view->running[host] == 0 && left == view->slots[host];
    if (view->alone[host] > 0)
        set_apart(&out->alone, host, left);
    else if (others_own(it, host))
        set_apart(&out->owned, host, left);
}

static void put_apart(const allot__job_explanation *it, const char *name, const apart *of)
{
    if (of->count == 0)
        return;
    OBJECT(&it->about, name, "count slots host", of->count, of->slots,
           site_at(it, of->first)->name);
}

void allot__explain_view(const allot__job_explanation *it)
{
    const allot__host_view *view = view_of(it);
    tally sum = {0};
    for (int32_t host = 0; host < view->count; host++)
        if (allot__host_view_has(view, it->set, host))
            count_host(it, host, &sum);
    allot__facts_open(&it->about, "view", "{");
    FACTS(&it->about, "hosts slots run held kept leased empty", sum.hosts, sum.slots, sum.run,
          sum.held, sum.kept, sum.leased, sum.empty);
    FACTS(&it->about, "free known?", it->free, view->host_of != NULL);
    if (view->host_of) {
        put_apart(it, "closed", &sum.closed);
        put_apart(it, "alone", &sum.alone);
        put_apart(it, "owned", &sum.owned);
    }
    allot__facts_end(&it->about, "}");
}

/* ---- A suspended job's own hosts ------------------------------------------------------------- */

static void put_own_host(const allot__job_explanation *it, const allot__job_place *place)
{
    const allot__host_view *view = view_of(it);
    int32_t host = allot__host_view_host(view, place->site);
    const allot__site *site = host >= 0 ? site_at(it, host) : NULL;
    allot__facts_open(&it->about, NULL, "{");
    FACTS(&it->about, "name slots closed?", site ? site->name : "the cluster", place->slots,
          host < 0 || (site != NULL && site->closed != ALLOT_OPEN));
    if (host >= 0) {
        FACTS(&it->about, "alone? running kept free", view->alone[host] > 0, view->running[host],
              it->kept[host], unused(view, host) - it->kept[host]);
    }
    allot__facts_end(&it->about, "}");
}

void allot__explain_own_hosts(const allot__job_explanation *it)
{
    const allot__job_place *places = allot__job_places(it->job);
    allot__facts_open(&it->about, "own_hosts", "[");
    for (int32_t i = 0; i < it->job->place_count && i < ALLOT__EXPLAIN_NAMED; i++)
        put_own_host(it, &places[i]);
    allot__facts_end(&it->about, "]");
    FACTS(&it->about, "own_count", it->job->place_count);
}

/* ---- Resources ------------------------------------------------------------------------------- */

int64_t allot__explain_amount(const allot__job_explanation *it, int32_t job, int32_t resource)
{
    int32_t count;
    const allot_job_resource *of = allot__job_resources(it->jobs, job, &count);
    for (int32_t i = 0; i < count; i++)
        if (of[i].resource == resource)
            return of[i].amount;
    return 0;
}

static void put_resource(const allot__job_explanation *it, const allot_job_resource *of,
                         int64_t asked)
{
    allot_resource stated = {NULL, 0, 0};
    (void)allot_plan_resource_at(it->about.work->plan, of->resource, &stated);
    OBJECT(&it->about, NULL, "name amount asked", stated.name, of->amount, asked);
}

void allot__explain_resources(const allot__job_explanation *it)
{
    int32_t count;
    const allot_job_resource *of = allot__job_resources(it->jobs, it->number, &count);
    allot__facts_open(&it->about, "resources", "[");
    for (int32_t i = 0; i < count; i++)
        put_resource(it, &of[i], 0);
    allot__facts_end(&it->about, "]");
}

void allot__explain_released(const allot__job_explanation *it, int32_t other)
{
    int32_t count;
    const allot_job_resource *of = allot__job_resources(it->jobs, it->number, &count);
    bool ends = allot__action_ends(it->queue->on_preempt);
    allot__facts_open(&it->about, "releases", "[");
    for (int32_t i = 0; i < count && ends; i++) {
        int64_t asked = allot__explain_amount(it, other, of[i].resource);
        if (asked > 0)
            put_resource(it, &of[i], asked);
    }
    allot__facts_end(&it->about, "]");
}

void allot__explain_resource(const allot__job_explanation *it)
{
    const allot__resources *resources = it->out->bounds.resources;
    allot_resource of = {NULL, 0, 0};
    int32_t number = it->verdict.binding;
    (void)allot_plan_resource_at(it->about.work->plan, number, &of);
    allot__facts_open(&it->about, "resource", "{");
    FACTS(&it->about, "name amount used asked preemptable?", of.name, of.amount,
          resources->used[number], allot__explain_amount(it, it->number, number),
          of.preemptable != 0);
    if (it->verdict.why == ALLOT_PEND_RESOURCE_WAIT) {
        FACTS(&it->about, "wait ago", allot__preemption_wait(it->queues),
              allot__ran(it->about.work->state->now, resources->told_at[number]));
    }
    allot__facts_end(&it->about, "}");
}
