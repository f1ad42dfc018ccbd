/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reclaim.c: one sweep up the families; split.c takes each node's slots as they are found. */
#include "engine/reclaim/reclaim.h"

#include <string.h>

#include "base/least.h"
#include "base/simd.h"
#include "engine/ownership/ledger.h"

/* ---- A ledger's recalls ---------------------------------------------------------------------- */

/* Lets a holder keep so many of the slots of a recall. */
static void cut(allot__ledger *ledger, int32_t index, int64_t slots)
{
    allot__recall *recall = &ledger->recalls[index];
    int32_t left = recall->slots - recall->cut;
    int32_t part = left < slots ? left : (int32_t)slots;
    recall->cut += part;
    ledger->holders[recall->from].kept += part;
    if (recall->loan >= 0 && part > 0) {
        ledger->loans[recall->loan].slots += part;
        ledger->loans[recall->loan].why = ALLOT__WHY_KEPT;
    }
}

/* Claimants that have not waited long enough are not served by recalls on demand. */
static void cut_young(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        int32_t row = recall->to >= 0 ? ledger->holders[recall->to].row : -1;
        if (row >= 0 && !allot__why_forced(recall->why) && allot__deficit(ledger->work, row) == 0)
            cut(ledger, i, recall->slots);
    }
}

/* Cuts recalls by the slots that a holder may keep: recalls on demand first, the newest first. */
static void cut_kept(allot__ledger *ledger, int32_t index)
{
    allot__holder *holder = &ledger->holders[index];
    allot__damped damped;
    allot__damping(ledger->work, holder->row, &damped);
    for (int forced = 0; forced < 2; forced++) {
        for (int32_t i = holder->recalls; i >= 0; i = ledger->recalls[i].older) {
            int64_t more = (int64_t)holder->lost - holder->kept - damped.may;
            if (more > 0 && allot__why_forced(ledger->recalls[i].why) == forced)
                cut(ledger, i, more);
        }
    }
}

/* Lowers loans by slots that the holder was not given, the newest loan first. */
static void cut_ungiven(allot__ledger *ledger, const allot__holder *holder)
{
    int32_t left = holder->granted - ledger->work->received[holder->row];
    for (int32_t i = holder->loans; i >= 0 && left > 0; i = ledger->loans[i].older) {
        allot__lent *loan = &ledger->loans[i];
        int32_t new = loan->slots - loan->before;
        int32_t part = allot__least(new, left);
        loan->slots -= part > 0 ? part : 0;
        left -= part > 0 ? part : 0;
    }
}

static void cut_all(allot__ledger *ledger)
{
    if (allot__any_option(ledger->work, ALLOT_OPTION_CLAIM_DELAY))
        cut_young(ledger);
    for (int32_t i = 0; i < ledger->count; i++)
        if (ledger->holders[i].lost > 0)
            cut_kept(ledger, i);
}

/* Cuts recalls: guards and damping let leaves keep slots, and claimants wait until they may claim.
 * To be called once, after received and work->kept are known. */
static void cut_ledger(allot__work *work)
{
    allot__ledger *ledger = work->ledger;
    if (!ledger || ledger->cut)
        return;
    ledger->cut = true;
    if (work->kept)
        cut_all(ledger);
    for (int32_t i = 0; i < ledger->count; i++)
        cut_ungiven(ledger, &ledger->holders[i]);
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        if (recall->to >= 0)
            ledger->holders[recall->to].claimed += recall->slots - recall->cut;
    }
}

/* ---- What leaves are over and lack ----------------------------------------------------------- */

/* Members as if all were leaves, without the options: what most families need. */
ALLOT__CLONES static int64_t plain_rows(allot__work *work, int32_t first, int32_t count,
                                        allot__sums *sums)
{
    const int32_t *restrict quota = work->quota + first;
    const int32_t *restrict allocated = work->allocated + first;
    const int32_t *restrict received = work->received + first;
    int32_t *restrict out = work->over + first;
    int32_t *restrict reclaimed = work->reclaimed + first;
    int64_t overs = 0;
    int64_t deficits = 0;
    int64_t quotas = 0;
#pragma omp simd reduction(+ : overs, deficits, quotas)
    for (int32_t i = 0; i < count; i++) {
        int32_t over = allocated[i] > quota[i] ? allocated[i] - quota[i] : 0;
        int32_t lack = quota[i] - allocated[i] - received[i];
        out[i] = over;
        reclaimed[i] = 0;
        overs += over;
        quotas += quota[i];
        deficits += lack > 0 ? lack : 0;
    }
    sums->over = overs;
    sums->deficit = deficits;
    return quotas;
}

/* Which of the slots that leaves are over a sweep takes. */
typedef enum sweep { ALL, FORCED, REST } sweep;

/* The slots that a leaf may have to give in a sweep. */
static int32_t over_in(const allot__work *work, int32_t row, sweep sweep)
{
    allot__damped damped;
    if (!work->kept)
        return (int32_t)allot__over(work, row);
    allot__damping(work, row, &damped);
    if (sweep == FORCED && work->forced[row] < damped.most)
        return work->forced[row];
    return (int32_t)(sweep == FORCED ? damped.most : damped.may);
}

/* A leaf of a ledger, which has decided about it before. */
static void ledger_row(allot__work *work, const allot__holder *holder, allot__sums *sums)
{
    int32_t row = holder->row;
    int64_t lack = allot__deficit(work, row);
    work->over[row] = allot__ledger_gives(holder);
    work->reclaimed[row] = work->over[row];
    sums->over += work->over[row];
    sums->reclaimed += work->reclaimed[row];
    sums->deficit += lack;
    sums->unmatched += lack > holder->claimed ? lack - holder->claimed : 0;
}

static void any_rows(allot__work *work, int32_t first, int32_t count, sweep sweep,
                     allot__sums *sums)
{
    for (int32_t row = first; row < first + count; row++) {
        const allot__holder *holder = allot__ledger_holder(work, row);
        if (holder) {
            ledger_row(work, holder, sums);
        } else if (allot__family_of(work, row) == 0) {
            int64_t lack = allot__deficit(work, row);
            if (sweep != REST)
                work->reclaimed[row] = 0;
            work->over[row] = over_in(work, row, sweep);
            sums->over += work->over[row];
            sums->over_left += work->over[row] - work->reclaimed[row];
            sums->deficit += lack;
            sums->unmatched += lack;
        }
    }
}

static void leaves(allot__work *work, int32_t family, bool plain, sweep sweep)
{
    allot__sums *sums = &work->sums[family];
    int32_t first = allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    sums->over = sums->over_left = sums->deficit = sums->unmatched = sums->freed = 0;
    sums->ordered = sweep == REST ? sums->ordered : 0;
    sums->reclaimed = sums->ordered;
    if (plain && work->tree->inner[family] == 0) {
        int64_t quotas = plain_rows(work, first, count, sums);
        sums->over_left = sums->over;
        if (family > 0 && quotas < work->quota[work->group->parent[family]])
            sums->deficit += allot__spare_deficit(work, family);
        sums->unmatched = sums->deficit;
    } else {
        any_rows(work, first, count, sweep, sums);
        int64_t spare = family > 0 ? allot__spare_deficit(work, family) : 0;
        sums->deficit += spare;
        sums->unmatched += spare;
    }
}

static void parents(allot__work *work, int32_t family)
{
    allot__sums *sums = &work->sums[family];
    int32_t left = work->tree->inner[family];
    for (int32_t row = allot__family_first(work, family); left > 0; row++) {
        int32_t below = allot__family_of(work, row);
        if (below == 0)
            continue;
        const allot__sums *inside = &work->sums[below];
        left--;
        work->over[row] = 0;
        work->reclaimed[row] = 0;
        sums->over += inside->over;
        sums->over_left += inside->over_left;
        sums->deficit += inside->deficit;
        sums->unmatched += inside->unmatched;
        sums->freed += inside->freed;
        sums->reclaimed += inside->reclaimed;
    }
}

int64_t allot__reclaim_excess(const allot__work *work, int32_t family)
{
    const allot__sums *sums = &work->sums[family];
    int64_t limit = family == 0 ? work->slots : work->limit[work->group->parent[family]];
    if (family != 0 && limit == ALLOT_NONE)
        return INT64_MIN;
    if (family == 0 && work->reach)
        limit -= work->idle_left; /* on hosts that do not serve consumers that lack slots */
    int64_t promised = sums->deficit - (work->relates ? sums->unmatched : 0);
    return sums->allocated - sums->in_flight + sums->received + sums->earmarked + promised -
           sums->reclaimed - limit;
}

/* Slots that the node above a family takes (C-6); the root also takes as many as limits freed that
 * serve no consumer which lacks slots. */
static int64_t due(const allot__work *work, int32_t family)
{
    const allot__sums *sums = &work->sums[family];
    int64_t beyond = allot__reclaim_excess(work, family);
    bool across = allot__rules_of(work, family)->policy->switches[ALLOT_SWITCH_ACROSS];
    beyond += work->relates && beyond > INT64_MIN ? sums->unmatched : 0;
    int64_t slots = across ? 0 : sums->unmatched;
    if (family == 0)
        slots = allot__least(sums->unmatched, beyond + sums->freed);
    slots = slots > beyond ? slots : beyond;
    slots = slots < sums->over_left ? slots : sums->over_left;
    return slots > 0 ? slots : 0;
}

static void take(allot__reclaim_split *split, allot__reclaim_log *log, int32_t family,
                 int64_t slots, int64_t owed)
{
    allot__sums *sums = &split->work->sums[family];
    if (log)
        log->node(log, family, slots, owed);
    allot__split_take(split, family, slots);
    sums->over_left -= slots;
    sums->reclaimed += slots;
    sums->ordered += slots;
    sums->unmatched -= owed;
    sums->freed += slots - owed;
}

/* Passes slots that limits inside freed to consumers that lack some, before more are taken.
 */
static void pass_on(allot__work *work, allot__reclaim_log *log, int32_t family)
{
    allot__sums *sums = &work->sums[family];
    int64_t slots = sums->freed < sums->unmatched ? sums->freed : sums->unmatched;
    if (slots > 0 && log)
        slots = log->freed(log, family, slots);
    sums->unmatched -= slots;
    sums->freed -= slots;
}

void allot__reclaim_node(allot__reclaim_split *split, allot__reclaim_log *log, int32_t family)
{
    pass_on(split->work, log, family);
    int64_t slots = due(split->work, family);
    if (slots > 0)
        take(split, log, family, slots, allot__least(slots, split->work->sums[family].unmatched));
}

/* A node where claimants take only what they may: then what breaks its limit goes, whoever has it.
 */
static void relate_node(allot__reclaim_split *split, allot__reclaim_log *log, int32_t family)
{
    const allot__work *work = split->work;
    allot__sums *sums = &work->sums[family];
    bool across = allot__rules_of(work, family)->policy->switches[ALLOT_SWITCH_ACROSS];
    pass_on(split->work, log, family);
    int64_t most = across && family != 0 ? 0 : sums->unmatched;
    if (family == 0) /* the rest comes by itself */
        most = allot__least(most, allot__reclaim_excess(work, 0) + sums->unmatched + sums->freed);
    int64_t slots = most > 0 && sums->over_left > 0 ? log->match(log, split, family, most) : 0;
    sums->unmatched -= slots;
    sums->over_left -= slots;
    sums->reclaimed += slots;
    sums->ordered += slots;
    int64_t beyond = allot__reclaim_excess(work, family);
    slots = allot__least(beyond, sums->over_left);
    if (slots > 0)
        take(split, log, family, slots, 0);
    if (beyond > INT64_MIN)
        log->room(log, family, (slots > 0 ? slots : 0) - beyond);
}

/* Slots that a ledger takes for leaves beyond what these lack, as for owners that want nothing now.
 */
static int64_t spare_moves(const allot__work *work)
{
    int64_t slots = 0;
    for (int32_t i = 0; i < work->ledger->count; i++) {
        const allot__holder *holder = &work->ledger->holders[i];
        int64_t lack = allot__deficit(work, holder->row);
        slots += holder->claimed > lack ? holder->claimed - lack : 0;
    }
    return slots;
}

/* Slots that a ledger takes: those for a leaf go to `log`, the others serve consumers that lack
 * some. */
static void take_ledger(const allot__work *work, allot__reclaim_log *log)
{
    const allot__ledger *ledger = work->ledger;
    allot__sums *sums = &work->sums[0];
    int64_t loose = 0;
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        int64_t slots = recall->slots - recall->cut;
        loose += recall->to < 0 ? slots : 0;
        if (log && recall->to >= 0 && slots > 0) {
            log->move(log, ledger->holders[recall->from].row, ledger->holders[recall->to].row,
                      slots);
        }
    }
    int64_t owed = loose < sums->unmatched ? loose : sums->unmatched;
    int64_t spare = spare_moves(work);
    spare = spare < sums->unmatched - owed ? spare : sums->unmatched - owed;
    sums->unmatched -= owed + spare;
    if (log)
        log->moved(log, spare);
    if (!log || loose == 0)
        return;
    log->node(log, 0, loose, owed);
    for (int32_t i = 0; i < ledger->recall_count; i++) {
        const allot__recall *recall = &ledger->recalls[i];
        int32_t slots = recall->slots - recall->cut;
        if (recall->to < 0 && slots > 0)
            log->listener.parts(&log->listener, ledger->holders[recall->from].row, 1, &slots);
    }
}

/* Sums up what a family's members are over and lack, once the families inside are known. */
static void count_family(allot__work *work, int32_t family, sweep sweep)
{
    bool ledger = work->ledger != NULL && (family == 0 || allot__ledger_family(work, family));
    bool plain = !ledger && !work->in_flight && !work->kept &&
                 !work->group->options[ALLOT_OPTION_KEEP_SHRUNK_OWNERSHIP] &&
                 !allot__any_option(work, ALLOT_OPTION_HOLD_ROUNDING);
    leaves(work, family, plain, sweep);
    parents(work, family);
}

/* ---- Where leaves keep what they are over ---------------------------------------------------- */

/* Sets what leaves are over: `hard`: to all that a limit can take; else to what they have given. */
static void set_over(allot__work *work, const int32_t *list, int32_t count, bool hard)
{
    for (int32_t i = count - 1; i >= 0; i--) {
        allot__sums *sums = &work->sums[list[i]];
        int32_t first = allot__family_first(work, list[i]);
        sums->over_left = 0;
        for (int32_t row = first; row < first + allot__family_size(work, list[i]); row++) {
            int32_t below = allot__family_of(work, row);
            if (below != 0 || allot__ledger_holder(work, row)) {
                sums->over_left += below != 0 ? work->sums[below].over_left : 0;
                continue;
            }
            allot__damped damped;
            allot__damping(work, row, &damped);
            work->over[row] = hard ? (int32_t)damped.most : work->reclaimed[row];
            sums->over_left += work->over[row] - work->reclaimed[row];
        }
    }
}

/*
 * A node whose leaves have no more to give, and which still would break its limit: deficits inside
 * are not served, worst first, and then what damping keeps must go after all.
 */
static void settle(allot__reclaim_split *split, allot__reclaim_log *log, int32_t family,
                   int32_t *list)
{
    allot__work *work = split->work;
    allot__sums *sums = &work->sums[family];
    int64_t beyond = allot__reclaim_excess(work, family);
    if (beyond <= 0)
        return;
    int64_t waived = work->relates ? 0 : allot__least(beyond, sums->unmatched);
    sums->unmatched -= waived;
    sums->deficit -= waived;
    work->kept[family].unserved += waived;
    if (log && waived > 0)
        log->waive(log, family, waived);
    if (beyond > waived) {
        int32_t count = allot__subtree(work, family, NULL, list);
        int64_t slots = beyond - waived;
        set_over(work, list, count, true);
        slots = slots < sums->over_left ? slots : sums->over_left;
        if (slots > 0)
            take(split, log, family, slots,
                 work->relates ? 0 : allot__least(slots, sums->unmatched));
        set_over(work, list, count, false);
    }
}

/* Forced slots that are left go, though no consumer is owed them. */
static void take_forced(allot__work *work, allot__reclaim_log *log)
{
    log->node(log, ALLOT__FORCE, 0, 0);
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool leaf = allot__family_of(work, row) == 0 && !allot__ledger_holder(work, row);
        int32_t left = leaf ? over_in(work, row, FORCED) - work->reclaimed[row] : 0;
        if (left > 0) {
            work->reclaimed[row] += left;
            log->listener.parts(&log->listener, row, 1, &left);
        }
    }
}

/* ---- The sweeps ------------------------------------------------------------------------------ */

static void run(allot__reclaim_split *split, allot__reclaim_log *log, sweep sweep, int32_t *list)
{
    allot__work *work = split->work;
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        count_family(work, family, sweep);
        if (sweep == REST)
            work->sums[family].unmatched = log->unmatched(log, family);
        if (family == 0 && work->ledger && sweep != REST)
            take_ledger(work, log);
        if (work->relates && sweep != FORCED)
            relate_node(split, log, family);
        else
            allot__reclaim_node(split, log, family);
        if (work->kept && sweep != FORCED)
            settle(split, log, family, list);
    }
}

static int run_kept(allot__reclaim_split *split, allot__reclaim_log *log)
{
    allot__work *work = split->work;
    size_t families = (size_t)work->tree->families;
    int32_t *list = allot__arena_take(work->arena, families, sizeof *list);
    if (!list)
        return ALLOT_ENOMEM;
    memset(work->kept, 0, families * sizeof *work->kept);
    if (work->forced) {
        run(split, log, FORCED, list);
        run(split, log, REST, list);
        take_forced(work, log);
    } else {
        run(split, log, ALL, list);
    }
    allot__kept_sum(work);
    return ALLOT_OK;
}

int allot__reclaim(allot__work *work, allot__reclaim_log *log)
{
    allot__reclaim_split split;
    int status = allot__kept_init(work);
    if (status == ALLOT_OK)
        cut_ledger(work);
    /* A policy's own rules may read what is over: computed before they are called. */
    for (int32_t family = work->tree->families - 1;
         status == ALLOT_OK && family >= 0 && !allot__split_natural(work); family--)
        count_family(work, family, ALL);
    if (status == ALLOT_OK)
        status = allot__split_init(&split, work, log ? &log->listener : NULL);
    if (status != ALLOT_OK)
        return status;
    if (work->kept)
        return run_kept(&split, log);
    run(&split, log, ALL, NULL);
    return ALLOT_OK;
}
