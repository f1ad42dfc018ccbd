/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rows.c: carries the change of one row to the sums above it. */
#include "engine/follow/follow.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/least.h"

allot__digest_row *allot__follow_touch(allot__follow *follow, int32_t row)
{
    const allot__work *work = follow->work;
    if (follow->touched_at[row])
        return NULL;
    allot__digest_row *it = allot__push(work->plan->engine, &follow->touched, sizeof *it);
    if (!it) {
        follow->status = ALLOT_ENOMEM;
        return NULL;
    }
    follow->touched_at[row] = 1;
    *it = allot__digest_row_of(work, row);
    return it;
}

void allot__follow_quota(allot__follow *follow, int32_t family, int32_t row, int32_t quota)
{
    int32_t *was = &follow->work->quota[row];
    if (quota == *was)
        return;
    allot__follow_touch(follow, row);
    follow->families[family].quotas += quota - *was;
    *was = quota;
    allot__follow_net(follow, family, row);
}

static int64_t has(const allot__follow *follow, int32_t row)
{
    int32_t below = allot__family_of(follow->work, row);
    return below == 0 ? follow->allocated[row] : follow->work->sums[below].allocated;
}

void allot__follow_receive(allot__follow *follow, int32_t row, int64_t slots)
{
    allot__work *work = follow->work;
    int32_t below = allot__family_of(work, row);
    if (slots == work->received[row])
        return;
    allot__follow_touch(follow, row);
    work->received[row] = (int32_t)slots;
    if (below != 0) {
        work->sums[below].received = slots;
        allot__bits_add(&follow->weighed, below);
    }
}

/* A leaf of a broad family could receive `before`: one before the front receives all it can. */
static void set_front(allot__follow *follow, allot__broad *broad, int32_t row, int32_t before)
{
    int32_t net = follow->net[row];
    allot__bits_set(&broad->nets, row - broad->first, net > 0);
    if (row < broad->front) {
        broad->served += net - before;
        allot__follow_receive(follow, row, (int64_t)follow->back[row] + net);
    }
}

void allot__follow_net(allot__follow *follow, int32_t family, int32_t row)
{
    int64_t holds = has(follow, row) + follow->back[row];
    int32_t net = (int32_t)allot__most(0, follow->work->quota[row] - holds);
    int32_t before = follow->net[row];
    if (net == before)
        return;
    follow->families[family].nets += net - before;
    follow->net[row] = net;
    allot__bits_add(&follow->pass, family);
    if (follow->families[family].broad)
        set_front(follow, follow->families[family].broad, row, before);
}

/* Adds to a sum, which stands at that offset, of a family and all above it. */
static void add(allot__follow *follow, int32_t family, size_t offset, int64_t more)
{
    for (; more != 0; family = follow->families[family].above) {
        *(int64_t *)(void *)((char *)&follow->work->sums[family] + offset) += more;
        allot__bits_add(&follow->weighed, family);
        if (family == 0)
            return;
    }
}

/* ---- What is told ---------------------------------------------------------------------------- */

void allot__follow_allocated(allot__follow *follow, int32_t row, int32_t slots)
{
    int32_t more = slots - follow->allocated[row], family = allot__siblings_of(follow->work, row);
    if (more == 0)
        return;
    allot__follow_touch(follow, row);
    follow->allocated[row] = slots;
    add(follow, family, offsetof(allot__sums, allocated), more);
    allot__follow_net(follow, family, row);
    for (; family > 0; family = follow->families[family].above) {
        allot__bits_add(&follow->may, family); /* what its limit leaves is another */
        allot__follow_net(follow, follow->families[family].above,
                          follow->work->group->parent[family]);
    }
}

void allot__follow_flight(allot__follow *follow, int32_t row, int32_t in_flight, int32_t earmarked)
{
    int32_t below = allot__family_of(follow->work, row);
    int32_t family = below == 0 ? allot__siblings_of(follow->work, row) : below;
    int64_t out = (int64_t)in_flight - follow->in_flight[row];
    int64_t in = (int64_t)earmarked - follow->earmarked[row];
    if (out == 0 && in == 0)
        return;
    if (below == 0)
        allot__follow_touch(follow, row);
    follow->in_flight[row] = in_flight;
    follow->earmarked[row] = earmarked;
    if (below == 0)
        add(follow, family, offsetof(allot__sums, in_flight), out);
    add(follow, family, offsetof(allot__sums, earmarked), in);
}

/* A row has slots in flight, or some are on their way to it. */
static void fly(allot__follow *follow, int32_t row)
{
    if (follow->out[row] != 0 || follow->in[row] != 0 || follow->returned[row] != 0)
        return;
    int32_t *it = allot__push(follow->work->plan->engine, &follow->flying, sizeof *it);
    if (it)
        *it = row;
    else
        follow->status = ALLOT_ENOMEM;
}

/* Slots came back for a leaf. */
static void come_back(allot__follow *follow, int32_t row, int32_t slots)
{
    if (slots == 0 || allot__family_of(follow->work, row) != 0)
        return;
    allot__take *it = allot__push(follow->work->plan->engine, &follow->came, sizeof *it);
    if (it)
        *it = (allot__take){row, slots};
    else
        follow->status = ALLOT_ENOMEM;
}

static int by_row(const void *a, const void *b)
{
    const allot__take *x = a, *y = b;
    return x->from == y->from ? 0 : x->from < y->from ? -1 : 1;
}

/* Sets the slots that a leaf gets of those that came back. */
static void set_back(allot__follow *follow, int32_t row, int32_t slots)
{
    int32_t more = slots - follow->back[row];
    for (int32_t at = row; more != 0 && at >= 0; at = allot__above(follow->work, at)) {
        int32_t below = allot__family_of(follow->work, at);
        follow->back[at] += more;
        if (below != 0)
            allot__bits_add(&follow->may, below); /* what its limit leaves is another */
        allot__follow_receive(follow, at, (int64_t)follow->work->received[at] + more);
        allot__follow_net(follow, allot__siblings_of(follow->work, at), at);
    }
    if (more != 0)
        allot__bits_add(&follow->pass, 0);
    follow->back_sum += more;
}

void allot__follow_return(allot__follow *follow)
{
    allot__work *work = follow->work;
    allot__take *came = follow->came.items;
    int64_t idle = allot__most(0, work->slots - work->sums[0].allocated);
    for (size_t i = 0; i < follow->came_before; i++)
        set_back(follow, came[i].from, 0);
    size_t count = follow->came.count - follow->came_before;
    if (follow->came_before > 0)
        memmove(came, came + follow->came_before, count * sizeof *came);
    follow->came.count = follow->came_before = count;
    if (count > 1)
        qsort(came, count, sizeof *came, by_row);
    work->returned = count > 0 ? follow->back : NULL;
    for (size_t i = 0; i < count; i++) {
        int64_t slots = allot__least(allot__returned_room(work, came[i].from), idle);
        slots = allot__least(slots, came[i].slots);
        idle -= slots;
        set_back(follow, came[i].from, (int32_t)slots);
    }
}

int allot__follow_flights(allot__follow *follow, const allot__flown_all *flown)
{
    const allot__work *work = follow->work;
    const allot__flight *flights = work->state->flights.items;
    const allot__flight_columns columns = {follow->out, follow->in, follow->returned};
    size_t before = follow->flying.count;
    for (int32_t i = 0; i < flown->count && follow->status == ALLOT_OK; i++) {
        if (flights[i].group != work->index)
            continue;
        fly(follow, allot__row(work->plan, work->index, flights[i].consumer));
        for (int32_t k = 0; k < flights[i].count; k++)
            fly(follow, allot__row(work->plan, work->index, flights[i].claims[k].consumer));
        allot__flight_count(work, &flights[i], &flown->flights[i], &columns);
    }
    allot__flights_beyond(work, flown, follow->out);
    int32_t *rows = follow->flying.items;
    size_t count = follow->flying.count;
    for (size_t i = 0; i < count; i++)
        allot__follow_flight(follow, rows[i], follow->out[rows[i]], follow->in[rows[i]]);
    for (size_t i = 0; i < count; i++) {
        come_back(follow, rows[i], follow->returned[rows[i]]);
        follow->out[rows[i]] = follow->in[rows[i]] = follow->returned[rows[i]] = 0;
    }
    if (before > 0)
        memmove(rows, rows + before, (count - before) * sizeof *rows);
    follow->flying.count = count - before;
    return follow->status;
}

/* ---- What follows ---------------------------------------------------------------------------- */

static void set_lack(allot__follow *follow, int32_t family, int32_t number, int64_t slots)
{
    int64_t more = slots - follow->lack[number];
    follow->lack[number] = (int32_t)slots;
    allot__bits_set(&follow->lacking, number, slots > 0);
    add(follow, family, offsetof(allot__sums, deficit), more);
    add(follow, family, offsetof(allot__sums, unmatched), more);
}

void allot__follow_settle_leaf(allot__follow *follow, int32_t row)
{
    allot__work *work = follow->work;
    int32_t family = allot__siblings_of(follow->work, row);
    int64_t over = allot__over(work, row), more = over - work->over[row];
    work->over[row] = (int32_t)over;
    allot__bits_set(&follow->over, row, over > 0);
    add(follow, family, offsetof(allot__sums, over), more);
    add(follow, family, offsetof(allot__sums, over_left), more);
    set_lack(follow, family, follow->leaves.number[row], allot__lack(work, row));
    allot__bits_set(&follow->getting, follow->leaves.number[row], allot__granted(work, row) > 0);
}

static void settle_spare(allot__follow *follow, int32_t family)
{
    allot__follow_family *it = &follow->families[family];
    const allot__work *work = follow->work;
    if (family == 0)
        return;
    int64_t coming = follow->earmarked[work->group->parent[family]];
    int64_t lack = allot__most(0, it->spare_quota - work->spare[family] - coming);
    if (lack != it->spare_deficit) {
        it->spare_deficit = lack;
        set_lack(follow, family, follow->leaves.start[family] + follow->leaves.size[family] - 1,
                 lack);
    }
}

/* Can a node take slots? */
static bool may_take(const allot__work *work, int32_t family)
{
    const allot__sums *sums = &work->sums[family];
    return sums->over > 0 && (sums->deficit > 0 || allot__reclaim_excess(work, family) > 0);
}

void allot__follow_settle(allot__follow *follow)
{
    const allot__digest_row *list = follow->touched.items;
    for (size_t i = 0; i < follow->touched.count; i++)
        if (allot__family_of(follow->work, list[i].row) == 0)
            allot__follow_settle_leaf(follow, list[i].row);
    /* Marks that this adds are of families above, which may have been passed by. */
    for (int32_t family = allot__bits_last(&follow->weighed, follow->work->tree->families);
         family >= 0; family = allot__bits_last(&follow->weighed, family))
        settle_spare(follow, family);
    for (int32_t family = allot__bits_next(&follow->weighed, 0); family < follow->weighed.bound;
         family = allot__bits_next(&follow->weighed, family + 1)) {
        allot__bits_set(&follow->deep, family, may_take(follow->work, family));
        allot__bits_remove(&follow->weighed, family);
    }
}
