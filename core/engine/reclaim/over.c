/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* over.c: leaf by leaf, from the columns; sums are reclaim's. */
#include "engine/reclaim/over.h"

#include "base/least.h"
#include "engine/rows/enforce.h"
#include "engine/ownership/ledger.h"
#include "engine/quota/trace.h"

static bool has_options(const allot__work *work)
{
    for (int32_t i = 0; i < work->rules_count; i++) {
        const int64_t *options = work->rules[i].options;
        if (work->rules[i].policy->switches[ALLOT_SWITCH_NO_RECLAIM] ||
            options[ALLOT_OPTION_DEAD_ZONE] > 0 || options[ALLOT_OPTION_MOST_RECLAIMED] < 100 ||
            options[ALLOT_OPTION_RECLAIM_INTERVAL] > 0 || options[ALLOT_OPTION_CLAIM_DELAY] > 0)
            return true;
    }
    return false;
}

int allot__kept_init(allot__work *work)
{
    work->kept = NULL;
    if (!has_options(work) && !work->forced && !work->protected && !work->state->former &&
        !work->reach)
        return ALLOT_OK;
    work->kept = allot__arena_take(work->arena, (size_t)work->tree->families, sizeof *work->kept);
    return work->kept ? ALLOT_OK : ALLOT_ENOMEM;
}

int64_t allot__target(const allot__work *work, int32_t row)
{
    int64_t target = work->quota[row];
    if (work->group->options[ALLOT_OPTION_KEEP_SHRUNK_OWNERSHIP] && work->times < work->unit &&
        !allot__rules_at(work, row)->policy->exact) {
        int64_t keep = work->configured[row];
        keep = keep < work->demand[row] ? keep : work->demand[row];
        target = target > keep ? target : keep;
    }
    return target;
}

/* Slots that a leaf holds and that are not in flight. */
static int64_t remaining(const allot__work *work, int32_t row)
{
    int64_t going = work->in_flight ? work->in_flight[row] : 0;
    int64_t holds = work->allocated[row] - going;
    return holds > 0 ? holds : 0;
}

int64_t allot__over(const allot__work *work, int32_t row)
{
    const allot__holder *holder = allot__ledger_holder(work, row);
    if (holder)
        return holder->lost; /* no consumer wants what it holds beyond its quota */
    int64_t over = remaining(work, row) - allot__target(work, row);
    if (work->moved && work->moved[row] > 0)
        return (over > 0 ? over : 0) + work->moved[row];
    if (over > 0 && allot__rules_at(work, row)->options[ALLOT_OPTION_HOLD_ROUNDING] &&
        allot__rounding_only(work, row))
        return 0;
    return over > 0 ? over : 0;
}

/* Is `when` less than `seconds` before now? */
static bool within(const allot__work *work, int64_t when, int64_t seconds)
{
    int64_t now = work->state->now;
    return seconds > 0 && when != INT64_MIN &&
           (now < when || (uint64_t)now - (uint64_t)when < (uint64_t)seconds);
}

/* A time that the state gives for a leaf, or INT64_MIN. */
static int64_t told(const allot__work *work, const int64_t *times, int32_t row)
{
    return times ? times[allot__handle(work, row)] : INT64_MIN;
}

int64_t allot__waiting_since(const allot__work *work, int32_t row)
{
    if (allot__lack(work, row) == 0)
        return INT64_MIN;
    int64_t since = told(work, work->state->groups[work->index].waiting_since, row);
    return since != INT64_MIN ? since : work->state->now;
}

int64_t allot__claim(const allot__work *work, int32_t row, int64_t lack)
{
    int64_t delay = allot__rules_at(work, row)->options[ALLOT_OPTION_CLAIM_DELAY];
    if (delay > 0 && within(work, allot__waiting_since(work, row), delay))
        return 0;
    return work->reach != NULL && work->reach[row] < lack ? work->reach[row] : lack;
}

int64_t allot__spare_deficit(const allot__work *work, int32_t family)
{
    int64_t coming = work->earmarked ? work->earmarked[work->group->parent[family]] : 0;
    int64_t lack = allot__spare_quota(work, family) - work->spare[family] - coming;
    return lack > 0 ? lack : 0;
}

/* Rule 1 for drains and policies, and rules 2 to 5, for slots that are not forced. */
static void damp(const allot__work *work, int32_t row, int64_t forced, allot__damped *out)
{
    const allot__rules *rules = allot__rules_at(work, row);
    const int64_t *options = rules->options;
    const int64_t *given = work->state->groups[work->index].reclaimed_at;
    int64_t free_to_keep = out->may - forced;
    if (free_to_keep <= 0)
        return;
    if (work->useful && work->useful[row] < free_to_keep) {
        out->elsewhere = free_to_keep - work->useful[row];
        out->may -= out->elsewhere;
        free_to_keep -= out->elsewhere;
    }
    if (allot__drains(work, row)) {
        out->drains = free_to_keep;
    } else if (rules->policy->switches[ALLOT_SWITCH_NO_RECLAIM]) {
        out->policy = free_to_keep;
    } else if (out->over <= options[ALLOT_OPTION_DEAD_ZONE]) {
        out->dead_zone = free_to_keep;
    } else if (within(work, told(work, given, row), options[ALLOT_OPTION_RECLAIM_INTERVAL])) {
        out->interval = free_to_keep;
    } else {
        int64_t part = work->allocated[row] * options[ALLOT_OPTION_MOST_RECLAIMED] / 100;
        int64_t most = part > 1 ? part : 1;
        most = most > forced ? most : forced;
        out->most_reclaimed = out->may > most ? out->may - most : 0;
    }
    out->may -= out->drains + out->policy + out->dead_zone + out->interval + out->most_reclaimed;
}

/* Slots that a leaf must give whatever the demand. */
static int64_t forced_of(const allot__work *work, int32_t row)
{
    const allot__holder *holder = allot__ledger_holder(work, row);
    if (holder)
        return holder->forced;
    return work->forced ? work->forced[row] : 0;
}

void allot__damping(const allot__work *work, int32_t row, allot__damped *out)
{
    int64_t over = allot__over(work, row);
    int64_t open = remaining(work, row);
    int64_t forced = forced_of(work, row);
    open -= work->protected ? work->protected[row] : 0;
    open = open > 0 ? open : 0;
    over = over > forced ? over : forced;
    *out = (allot__damped){
        .over = over, .may = allot__least(over, open), .most = allot__least(over, open)};
    out->protected = over - out->may;
    damp(work, row, allot__least(forced, open), out);
}

void allot__kept_sum(allot__work *work)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        allot__kept *kept = &work->kept[family];
        int32_t first = allot__family_first(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            int32_t below = allot__family_of(work, row);
            if (below != 0) {
                kept->over += work->kept[below].over;
                kept->held_back += work->kept[below].held_back;
                kept->unserved += work->kept[below].unserved;
                continue;
            }
            allot__damped damped;
            allot__damping(work, row, &damped);
            int64_t may = damped.may > work->reclaimed[row] ? damped.may : work->reclaimed[row];
            kept->over += damped.over;
            kept->held_back += damped.over > may ? damped.over - may : 0;
            kept->unserved += allot__lack(work, row) - allot__deficit(work, row);
        }
    }
}
