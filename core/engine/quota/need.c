/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* need.c: families from the last to the first, so that children come before their parents. */
#include "engine/quota/quota.h"

#include <string.h>

#include "base/simd.h"
#include "engine/rows/enforce.h"
#include "engine/rows/work.h"

/* Members as if all were leaves; parents among them are corrected afterwards. */
ALLOT__CLONES static void need_rows(allot__work *work, const int32_t *restrict own, int32_t first,
                                    int32_t count, allot__sums *sums)
{
    const int32_t *restrict planned = work->reserved + first;
    const int32_t *restrict limit = work->limit + first;
    const int32_t *restrict demand = work->demand + first;
    const int32_t *restrict allocated = work->allocated + first;
    int32_t *restrict reserve = work->reserve + first;
    int32_t *restrict need = work->need + first;
    int64_t needs = 0;
    int64_t kept_slots = 0;
    int64_t held = 0;
#pragma omp simd reduction(+ : needs, kept_slots, held)
    for (int32_t i = 0; i < count; i++) {
        int32_t kept = planned[i] < own[i] ? planned[i] : own[i];
        kept = kept < limit[i] ? kept : limit[i]; /* hosts can lower the limit (hosts/match.h) */
        int32_t want = demand[i] < limit[i] ? demand[i] : limit[i];
        int32_t most = want > kept ? want : kept;
        reserve[i] = kept;
        need[i] = most;
        needs += most;
        kept_slots += kept;
        held += allocated[i];
    }
    sums->demand = needs;
    sums->reserve = kept_slots;
    sums->allocated = held;
}

/* ---- Reserves by policy ---------------------------------------------------------------------- */

/* What a policy's rule says, at most what is owned. Such a rule reads the plan's `reserve`. */
static int reserve_by(allot__work *work, allot__rules *rules)
{
    const int32_t *planned = work->group->columns[ALLOT_RESERVE];
    int32_t rows = work->tree->rows;
    allot__amounts of;
    memcpy(work->reserve, planned, (size_t)rows * sizeof *planned);
    int status = allot__amounts_of(work, rules, rules->policy->reserve, false, &of);
    rules->sums[ALLOT_RESERVE] = NULL;
    for (int32_t row = 0; row < rows && status == ALLOT_OK; row++) {
        if (allot__rules_at(work, row) != rules)
            continue;
        int32_t own = allot__own(work, rules, row, NULL);
        int32_t slots = of.own ? own : of.column ? of.column[row] : of.number;
        work->rule[row] = slots < own ? slots : own;
    }
    return status;
}

static int reserve_by_all(allot__work *work)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; work->rule && i < work->rules_count && status == ALLOT_OK; i++)
        if (!allot__is_reserve(work->rules[i].policy->reserve))
            status = reserve_by(work, &work->rules[i]);
    return status;
}

/* ---- Rows in no pool ------------------------------------------------------------------------- */

static bool weighs(const allot__work *work, const allot__rules *rules, allot_source by, int32_t row)
{
    if (by.kind == ALLOT_FROM_NUMBER)
        return by.value > 0;
    if (by.value == ALLOT_OWNED) /* less than a slot of own' weighs, too */
        return work->configured[row] > 0 && (work->times > 0 || rules->policy->exact);
    return allot__value(work, rules, by.value, row) > 0;
}

/* A row's need: its reserve alone if shares of 0 leave it out, else `need`. */
static int64_t unless_out(const allot__work *work, int32_t family, int32_t row, int64_t need)
{
    const allot__rules *rules =
        family > 0 ? allot__rules_of(work, family) : allot__rules_at(work, row);
    int32_t reserve = work->reserve[row];
    if (need <= reserve || !rules->leaves_out)
        return need;
    for (int32_t i = 0; i < rules->policy->fill_count; i++) {
        const allot__fill *fill = &rules->policy->fills[i];
        if (!allot__is_reserve(fill->up_to) && weighs(work, rules, fill->by, row))
            return need;
    }
    return reserve;
}

static void leave_out(allot__work *work, int32_t family, int32_t count, allot__sums *sums)
{
    int32_t first = allot__family_first(work, family);
    for (int32_t row = first; row < first + count; row++) {
        if (allot__family_of(work, row) == 0) {
            int32_t need = (int32_t)unless_out(work, family, row, work->need[row]);
            sums->demand -= work->need[row] - need;
            work->need[row] = need;
        }
    }
}

/* ---- Parents --------------------------------------------------------------------------------- */

/* Computes a parent's numbers from those of its family; the parent is one of `siblings`. */
static void need_parent(allot__work *work, int32_t siblings, int32_t row, int32_t family)
{
    allot__sums *inside = &work->sums[family];
    int64_t own = allot__own(work, allot__rules_at(work, row), row, NULL);
    int64_t reserve = work->reserved[row];
    reserve = reserve < own ? reserve : own;
    reserve = reserve > inside->reserve ? reserve : inside->reserve;
    int64_t limit = work->limit[row] == ALLOT_NONE ? INT64_MAX : work->limit[row];
    if (work->rule || work->percents) /* no plan reserves more than a limit of slots */
        reserve = reserve < limit ? reserve : limit;
    int64_t need = inside->demand < limit ? inside->demand : limit;
    inside->need = need > reserve ? need : reserve;
    work->reserve[row] = (int32_t)reserve; /* fits: at most what the plan lets it own */
    if (work->leaves_out)
        inside->need = unless_out(work, siblings, row, inside->need);
    work->need[row] = inside->need > ALLOT_AMOUNT_MAX ? ALLOT_AMOUNT_MAX : (int32_t)inside->need;
}

/* Replaces the numbers that need_rows computed for parents as if they were leaves. */
static void mend_parents(allot__work *work, int32_t family, allot__sums *sums)
{
    int32_t first = allot__family_first(work, family);
    int32_t left = work->tree->inner[family];
    for (int32_t row = first; left > 0; row++) {
        int32_t below = allot__family_of(work, row);
        if (below == 0)
            continue;
        left--;
        sums->demand -= work->need[row];
        sums->reserve -= work->reserve[row];
        need_parent(work, family, row, below);
        sums->reserve += work->reserve[row];
        sums->demand += work->sums[below].need;
        sums->allocated += work->sums[below].allocated;
        if (work->earmarked)
            work->sums[below].earmarked += work->earmarked[row]; /* for the parent's own reserve */
        sums->in_flight += work->sums[below].in_flight;
        sums->earmarked += work->sums[below].earmarked;
    }
}

/* At a switch of windows leaves need at least `least` (C-10). */
static void raise(allot__work *work, int32_t first, int32_t count, allot__sums *sums)
{
    const int32_t *least = work->enforced->least;
    for (int32_t row = first; row < first + count; row++) {
        int32_t most = least[row] < work->limit[row] ? least[row] : work->limit[row];
        if (allot__family_of(work, row) == 0 && most > work->need[row]) {
            sums->demand += most - work->need[row];
            work->need[row] = most;
        }
    }
}

/* Slots in flight that are earmarked for a leaf. In a ledger, slots beyond the leaf's need have no
 * claimant any more. */
static int32_t earmarked_for(const allot__work *work, int32_t row)
{
    int32_t slots = work->earmarked[row];
    if (slots > 0 && allot__policy_ledger(allot__rules_at(work, row)->policy)) {
        int32_t lacks = work->need[row] - (work->allocated[row] - work->in_flight[row]);
        slots = lacks < slots ? lacks : slots;
    }
    return slots > 0 ? slots : 0;
}

static void flights(const allot__work *work, int32_t first, int32_t count, allot__sums *sums)
{
    for (int32_t row = first; row < first + count; row++) {
        if (allot__family_of(work, row) == 0) {
            sums->in_flight += work->in_flight[row];
            sums->earmarked += earmarked_for(work, row);
        }
    }
}

int allot__need(allot__work *work)
{
    size_t widest = (size_t)work->tree->widest + 1;
    int32_t *own, *part;
    if (ALLOT__TAKE_ALL(work->arena, ALLOT__EACH(widest, own, part)))
        return ALLOT_ENOMEM;
    int status = reserve_by_all(work);
    for (int32_t family = work->tree->families - 1; family >= 0 && status == ALLOT_OK; family--) {
        int32_t first = allot__family_first(work, family);
        int32_t count = allot__family_size(work, family);
        allot__sums *sums = &work->sums[family];
        bool planned = allot__own_planned(work);
        if (!planned)
            allot__own_family(work, family, own, part);
        need_rows(work, planned ? work->configured + first : own, first, count, sums);
        if (work->enforced && work->enforced->least)
            raise(work, first, count, sums);
        if (work->leaves_out)
            leave_out(work, family, count, sums);
        if (work->in_flight)
            flights(work, first, count, sums);
        if (work->tree->inner[family] > 0)
            mend_parents(work, family, sums);
    }
    return status;
}

/* Marks a row's family if its need, `before` until now, changed; exceptions see `open`. */
static void mark_need(const allot__work *work, int32_t family, int32_t row, int32_t before,
                      bool open, allot__bits *changed)
{
    int32_t quota = work->quota[row];
    if (work->need[row] != before && !(open && before > quota && work->need[row] > quota))
        allot__bits_add(changed, family);
}

void allot__need_again(allot__work *work, int32_t row, bool open, allot__bits *changed)
{
    int32_t family = allot__siblings_of(work, row);
    int32_t before = work->need[row];
    int64_t need = work->demand[row] < work->limit[row] ? work->demand[row] : work->limit[row];
    need = need > work->reserve[row] ? need : work->reserve[row];
    need = work->leaves_out ? unless_out(work, family, row, need) : need;
    int64_t more = need - before;
    work->need[row] = (int32_t)need;
    work->sums[family].demand += more;
    mark_need(work, family, row, before, open, changed);
    while (family > 0 && more != 0) {
        int32_t parent = work->group->parent[family];
        int32_t siblings = allot__siblings_of(work, parent);
        before = work->need[parent];
        more = -work->sums[family].need;
        need_parent(work, siblings, parent, family);
        more += work->sums[family].need;
        work->sums[siblings].demand += more;
        mark_need(work, siblings, parent, before, open, changed);
        family = siblings;
    }
}
