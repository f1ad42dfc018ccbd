/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view.c: hosts as a job's queue sees them once the cycle is over. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/explain/job.h"

/* ---- Counting -------------------------------------------------------------------------------- */

static const allot__host_view *view_of(const allot__job_explanation *it)
{
    return &it->out->view;
}

/* What is free there, were nothing kept by suspended jobs. */
static int64_t unused(const allot__host_view *view, int32_t host)
{
    return view->free[host] + view->kept[host];
}

static bool others_own(const allot__job_explanation *it, int32_t host)
{
    const allot__host_view *view = view_of(it);
    return view->owner != NULL && view->owner[host] >= 0 && view->owner[host] != it->job->queue;
}

int64_t allot__explain_free(const allot__job_explanation *it, int32_t host)
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
    const allot__job_place *places = allot__job_places(it->jobs, other);
    if (!keeps(it, job, other))
        return;
    for (int32_t i = 0; i < other->place_count; i++) {
        int32_t host = allot__host_view_host(view_of(it), places[i].site);
        if (host >= 0)
            it->kept[host] += places[i].slots;
    }
}

static void count_places(allot__job_explanation *it, int32_t first, int32_t count)
{
    const allot__job_place *all = it->jobs->places.items;
    for (int32_t i = first; i < first + count; i++) {
        int32_t host = allot__host_view_host(view_of(it), all[i].site);
        if (host >= 0)
            it->ran[host] += all[i].slots;
    }
}

/* What a job runs on once the cycle is over. */
static void count_ran(allot__job_explanation *it, int32_t job)
{
    const allot__job *other = allot__explain_job(it, job);
    const allot__job_verdict *verdict = &it->out->jobs[job];
    if (verdict->now != ALLOT_RUNNING)
        return;
    if (other->state != ALLOT_PENDING) {
        count_places(it, other->place, other->place_count);
        count_places(it, other->grown, other->grown_count);
    }
    const allot_job_order *order = allot__vector_from(
        &it->out->orders, (size_t)(verdict->order >= 0 ? verdict->order : 0), sizeof *order);
    if (verdict->order < 0 ||
        (order->kind != ALLOT_ORDER_START && order->kind != ALLOT_ORDER_RESIZE))
        return;
    it->ran[0] += order->place_count == 0 ? order->slots : 0;
    for (int32_t i = 0; i < order->place_count; i++)
        it->ran[allot__explain_host(it, &order->places[i])] += order->places[i].slots;
}

int32_t allot__explain_host(const allot__job_explanation *it, const allot_place *place)
{
    return allot__host_view_host(view_of(it), allot__place_site(it->about.work->plan, place));
}

int allot__explain_view_count(allot__job_explanation *it)
{
    const allot__host_view *view = view_of(it);
    size_t hosts = (size_t)view->count + 1;
    it->kept = allot__arena_take(&it->arena, 2 * hosts, sizeof *it->kept);
    if (!it->kept)
        return ALLOT_ENOMEM;
    memset(it->kept, 0, 2 * hosts * sizeof *it->kept);
    it->ran = it->kept + hosts;
    for (size_t i = 0; i < it->jobs->list.count; i++) {
        count_kept(it, (int32_t)i);
        count_ran(it, (int32_t)i);
    }
    it->free = 0;
    for (int32_t host = 0; host < view->count; host++)
        it->free += allot__host_view_has(view, it->set, host) ? allot__explain_free(it, host) : 0;
    return ALLOT_OK;
}

bool allot__explain_wants(const allot__job_explanation *it, int32_t host)
{
    if (it->job->state == ALLOT_PENDING)
        return allot__host_view_has(view_of(it), it->set, host);
    const allot__job_place *places = allot__job_places(it->jobs, it->job);
    for (int32_t i = 0; i < it->job->place_count; i++)
        if (allot__host_view_host(view_of(it), places[i].site) == host)
            return true;
    return false;
}

int64_t allot__explain_shares(const allot__job_explanation *it, int32_t other)
{
    const allot__job *job = allot__explain_job(it, other);
    const allot__job_place *all = it->jobs->places.items;
    int64_t slots = 0;
    for (int32_t i = 0; i < job->place_count + job->grown_count; i++) {
        int32_t at = i < job->place_count ? job->place + i : job->grown + i - job->place_count;
        int32_t host = allot__host_view_host(view_of(it), all[at].site);
        slots += host >= 0 && allot__explain_wants(it, host) ? all[at].slots : 0;
    }
    return slots;
}

/* ---- A queue's hosts ------------------------------------------------------------------------- */

typedef struct tally {
    int64_t hosts, slots, run, held, kept, leased;
    int64_t closed, closed_slots, alone, alone_slots, owned, owned_slots, empty;
    int32_t first_closed, first_alone, first_owned;
} tally;

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
        out->first_closed = out->closed++ == 0 ? host : out->first_closed;
        out->closed_slots += site->slots;
        return;
    }
    int64_t left = unused(view, host) - it->kept[host];
    out->slots += view->slots[host];
    out->leased += leased;
    out->run += it->ran[host];
    out->held += view->slots[host] - leased - unused(view, host) - it->ran[host];
    out->kept += unused(view, host) > it->kept[host] ? it->kept[host]
                 : unused(view, host) > 0            ? unused(view, host)
                                                     : 0;
    out->empty += view->running[host] == 0 && left == view->slots[host];
    if (view->alone[host] > 0) {
        out->first_alone = out->alone++ == 0 ? host : out->first_alone;
        out->alone_slots += left > 0 ? left : 0;
    } else if (others_own(it, host)) {
        out->first_owned = out->owned++ == 0 ? host : out->first_owned;
        out->owned_slots += left > 0 ? left : 0;
    }
}

static void explain_apart(const allot__job_explanation *it, int64_t count, int32_t first,
                          int64_t slots, const char *one, const char *several)
{
    if (count == 1) {
        allot__explain(&it->about, "  %.60s %s (%s).", site_at(it, first)->name, one,
                       allot__phrase_slots(slots).text);
    } else if (count > 1) {
        allot__explain(&it->about, "  %" PRId64 " hosts %s (%s).", count, several,
                       allot__phrase_slots(slots).text);
    }
}

static void explain_used(const allot__job_explanation *it, const tally *sum)
{
    const struct {
        int64_t slots;
        const char *text;
    } parts[] = {
        {sum->held, "kept for jobs whose victims are being notified of new slots (A-15)"},
        {sum->kept, "kept by suspended jobs of queues that its own may not preempt (P-25)"},
        {sum->leased, "leased out, or of a lease that rests (L-7)"},
    };
    allot__sentence text = {.len = 0};
    allot__sentence_add(&text, "%" PRId64 " with running jobs", sum->run);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].slots > 0)
            allot__sentence_add(&text, ", %" PRId64 " %s", parts[i].slots, parts[i].text);
    char hosts[60] = "The cluster has";
    if (view_of(it)->host_of) {
        snprintf(hosts, sizeof hosts, "Its queue's %" PRId64 " host%s ha%s", sum->hosts,
                 sum->hosts == 1 ? "" : "s", sum->hosts == 1 ? "s" : "ve");
    }
    allot__explain(&it->about, "%s %s open: %s, %" PRId64 " free for it. It needs %" PRId32 ".",
                   hosts, allot__phrase_slots(sum->slots).text, text.text, it->free,
                   it->job->slots);
}

void allot__explain_view(const allot__job_explanation *it)
{
    const allot__host_view *view = view_of(it);
    tally sum = {0};
    for (int32_t host = 0; host < view->count; host++)
        if (allot__host_view_has(view, it->set, host))
            count_host(it, host, &sum);
    explain_used(it, &sum);
    if (view->host_of) {
        explain_apart(it, sum.closed, sum.first_closed, sum.closed_slots, "is closed",
                      "are closed");
        explain_apart(it, sum.alone_slots > 0 ? sum.alone : 0, sum.first_alone, sum.alone_slots,
                      "runs an exclusive job: no other job gets its free slots",
                      "run exclusive jobs: no other job gets their free slots");
        explain_apart(it, sum.owned_slots > 0 ? sum.owned : 0, sum.first_owned, sum.owned_slots,
                      "is another queue's alone, with what is free there",
                      "are other queues' alone, with what is free there");
    }
    if (it->job->flags & ALLOT_JOB_EXCLUSIVE) {
        allot__explain(&it->about,
                       "An exclusive job takes empty hosts alone, and %" PRId64
                       " of these %s empty (P-40).",
                       sum.empty, sum.empty == 1 ? "is" : "are");
    }
}

/* ---- A suspended job's own hosts ------------------------------------------------------------- */

void allot__explain_own_hosts(const allot__job_explanation *it)
{
    const allot__host_view *view = view_of(it);
    const allot__job_place *places = allot__job_places(it->jobs, it->job);
    bool exclusive = (it->job->flags & ALLOT_JOB_EXCLUSIVE) != 0;
    allot__explain(&it->about,
                   "It is resumed where it was, once there is room for all of it (A-12):");
    for (int32_t i = 0; i < it->job->place_count && i < ALLOT__EXPLAIN_NAMED; i++) {
        int32_t host = allot__host_view_host(view, places[i].site);
        const allot__site *site = host >= 0 ? site_at(it, host) : NULL;
        const char *name = site ? site->name : "the cluster";
        int64_t kept = host >= 0 ? it->kept[host] : 0;
        int64_t free = host >= 0 ? unused(view, host) - kept : 0;
        if (host < 0 || (site != NULL && site->closed != ALLOT_OPEN)) {
            allot__explain(&it->about, "  %.60s is closed.", name);
        } else if (view->alone[host] > 0) {
            allot__explain(&it->about, "  %.60s is an exclusive job's now (P-40).", name);
        } else if (exclusive && view->running[host] > 0) {
            allot__explain(&it->about,
                           "  On %.60s, which it wants alone, %" PRId32 " job%s run (P-40).", name,
                           view->running[host], view->running[host] == 1 ? "" : "s");
        } else if (exclusive && kept > 0) {
            allot__explain(
                &it->about,
                "  On %.60s, which it wants alone, suspended jobs whose turn is before its "
                "own keep %" PRId64 " (P-25).",
                name, kept);
        } else if (free < places[i].slots) {
            allot__explain(&it->about,
                           "  On %.60s it needs %s; others run on%s all but %" PRId64
                           ": it lacks %" PRId64 ".",
                           name, allot__phrase_slots(places[i].slots).text,
                           kept > 0 ? ", or keep, suspended before it (P-25)," : "",
                           free > 0 ? free : 0, places[i].slots - (free > 0 ? free : 0));
        } else {
            allot__explain(&it->about, "  On %.60s it has room.", name);
        }
    }
    if (it->job->place_count > ALLOT__EXPLAIN_NAMED) {
        allot__explain(&it->about, "  (and %" PRId32 " more hosts)",
                       it->job->place_count - ALLOT__EXPLAIN_NAMED);
    }
}
