/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* listing.c: looks up lists of names of queues and hosts; sets of hosts. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/name.h"
#include "base/report.h"
#include "model/jobs/queue.h"
#include "model/windows/say.h"

static const char *name_in(const allot__listing *listing, int32_t i)
{
    const char *at = (const char *)listing->names + (size_t)i * listing->stride;
    return *(const char *const *)at;
}

int32_t allot__listing_at(const allot_plan *plan, const allot__listing *listing, int32_t i)
{
    const char *name = name_in(listing, i);
    return listing->hosts ? allot_plan_host_find(plan, name) : allot_plan_queue_find(plan, name);
}

static const char *candidate(const allot_plan *plan, bool hosts, int32_t i)
{
    return hosts ? allot_plan_host_name(plan, i) : allot__queue_at(plan->queues, i)->name;
}

/* "did you mean ...?", or NULL. */
static const char *advise(const allot_plan *plan, const allot__listing *listing, const char *name,
                          char *buf, size_t size)
{
    allot__near near = allot__near_begin(name, strlen(name));
    const char *best = NULL;
    int32_t count = listing->hosts ? allot_plan_hosts(plan) : allot__queue_count(plan);
    for (int32_t i = 0; i < count; i++) {
        const char *it = candidate(plan, listing->hosts, i);
        best = allot__near_try(&near, it, strlen(it)) ? it : best;
    }
    if (!best)
        return NULL;
    snprintf(buf, size, "did you mean \"%s\"?", best);
    return buf;
}

int allot__listing_unknown(const allot_plan *plan, const allot__listing *listing, int32_t i)
{
    const char *name = name_in(listing, i);
    char path[160], hint[320];
    allot__fault fault =
        allot__fault_of(listing->report, listing->hosts ? "E-host" : "E-queue", NULL);
    fault.consumer = listing->consumer;
    fault.path = path;
    snprintf(path, sizeof path, "%s[%d]", listing->path, (int)i);
    if (allot__report_keeps(listing->report, ALLOT_ERROR)) /* else the finding is only counted */
        fault.hint = advise(plan, listing, name, hint, sizeof hint);
    allot__say(plan, &fault, "there is no %s \"%.120s\"", listing->hosts ? "host" : "queue", name);
    return ALLOT_EINVALID;
}

int allot__listing_bits(const allot_plan *plan, const allot__listing *listing, uint64_t *bits)
{
    int result = ALLOT_OK;
    for (int32_t i = 0; i < listing->count; i++) {
        int32_t number = allot__listing_at(plan, listing, i);
        if (number >= 0)
            bits[number / 64] |= UINT64_C(1) << number % 64;
        else
            result = allot__listing_unknown(plan, listing, i);
    }
    return result;
}

/* ---- Sets ---- */

/* The number of an equal set, added if new; -1: out of memory. */
static int32_t set_of(allot_plan *plan, uint64_t *bits)
{
    allot__queues *queues = plan->queues;
    size_t words = allot__words(allot_plan_hosts(plan));
    int32_t count = bits ? allot__count_bits(bits, words) : allot_plan_hosts(plan);
    if (count == allot_plan_hosts(plan))
        bits = NULL;
    const allot__host_set *sets = queues->sets.items;
    for (size_t i = 0; i < queues->sets.count; i++)
        if (sets[i].count == count &&
            (!bits || (sets[i].bits && memcmp(sets[i].bits, bits, words * sizeof *bits) == 0)))
            return (int32_t)i;
    allot__host_set *added = allot__push(plan->engine, &queues->sets, sizeof *added);
    if (!added)
        return -1;
    *added = (allot__host_set){bits, count};
    return (int32_t)queues->sets.count - 1;
}

int allot__set_make(allot_plan *plan, const allot__listing *listing, int32_t *out)
{
    uint64_t *bits = NULL;
    int result = ALLOT_OK;
    if (listing->count > 0) {
        size_t bytes = allot__words(allot_plan_hosts(plan)) * sizeof *bits;
        bits = allot__pool_take(plan->engine, &plan->queues->sealed, bytes, sizeof *bits);
        if (!bits)
            return ALLOT_ENOMEM;
        result = allot__listing_bits(plan, listing, bits);
    }
    if (result)
        return result;
    int32_t set = set_of(plan, bits);
    if (set < 0)
        return ALLOT_ENOMEM;
    *out = set;
    return ALLOT_OK;
}
