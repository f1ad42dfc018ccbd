/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* books.c: each holder's slots, by class, before any decision. */
#include "engine/ownership/books.h"

#include <string.h>

#include "engine/rows/work.h"

/* ---- Opening --------------------------------------------------------------------------------- */

static int take_room(allot__ledger *ledger)
{
    size_t rows = (size_t)ledger->work->tree->rows + 1;
    size_t families = (size_t)ledger->work->tree->families;
    size_t items = rows + ledger->work->state->loans.count;
    int status = ALLOT__TAKE_ALL(
        ledger->work->arena, ALLOT__WANTED(ledger->holders, rows),
        ALLOT__WANTED(ledger->before, rows), ALLOT__WANTED(ledger->holder_of, rows),
        ALLOT__WANTED(ledger->first, rows), ALLOT__WANTED(ledger->end, rows),
        ALLOT__WANTED(ledger->at, rows), ALLOT__WANTED(ledger->live, rows),
        ALLOT__WANTED(ledger->lenders, rows), ALLOT__WANTED(ledger->above, families),
        ALLOT__WANTED(ledger->inside, families), ALLOT__WANTED(ledger->outside, families),
        ALLOT__WANTED(ledger->aside, families), ALLOT__WANTED(ledger->keys, items),
        ALLOT__WANTED(ledger->order, items), ALLOT__WANTED(ledger->other, items));
    for (int i = 0; i < ALLOT__POOL_COLUMNS && status == ALLOT_OK; i++)
        status = ALLOT__TAKE_ALL(ledger->work->arena, ALLOT__WANTED(ledger->column[i], rows));
    return status;
}

/* Numbers the places of leaves in plan order, and finds the range of places below each parent. */
static void number_places(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    const allot__tree *tree = work->tree;
    const int32_t *group_row = work->group->group_row;
    int32_t consumer = ALLOT_ROOT;
    while ((consumer = allot__tree_next(tree, work->plan->names, consumer)) >= 0) {
        int32_t row = tree->row_of[consumer];
        row = group_row ? group_row[row] : row;
        ledger->first[row] = ledger->places;
        ledger->at[ledger->places] = row; /* later replaced by its holder */
        ledger->places += allot__family_of(work, row) == 0;
        ledger->end[row] = ledger->places;
    }
    for (int32_t family = tree->families - 1; family > 0; family--) {
        int32_t parent = work->group->parent[family];
        for (int32_t i = 0; i < allot__family_size(work, family); i++) {
            int32_t end = ledger->end[allot__family_first(work, family) + i];
            ledger->end[parent] = end > ledger->end[parent] ? end : ledger->end[parent];
        }
    }
}

static int32_t amount(const allot__amounts *amounts, int32_t row)
{
    return amounts->column ? amounts->column[row] : amounts->number;
}

/* Resolves the amounts of a part, which the policy may not have: then they are zero. */
static int resolve(allot__ledger *ledger, allot__rules *rules, allot__fill_kind kind,
                   allot__amounts *by, allot__amounts *up_to)
{
    const allot__fill *part = allot__policy_part(rules->policy, kind);
    *by = *up_to = (allot__amounts){.number = 0};
    if (!part)
        return ALLOT_OK;
    int status = allot__amounts_of(ledger->work, rules, part->by, kind == ALLOT__POOL, by);
    return status ? status : allot__amounts_of(ledger->work, rules, part->up_to, false, up_to);
}

/* The same for the weights of borrowers; -1: the policy has none. */
static int resolve_weights(allot__ledger *ledger, allot__rules *rules, allot__amounts *out)
{
    const allot__fill *loan = allot__policy_part(rules->policy, ALLOT__LOAN);
    *out = (allot__amounts){.number = -1};
    if (!loan || !loan->weighs)
        return ALLOT_OK;
    ledger->weighed = true;
    return allot__amounts_of(ledger->work, rules, loan->weight, true, out);
}

/* Reads a policy's amounts into the holders of its leaves. */
static int read_rules(allot__ledger *ledger, int32_t index)
{
    allot__work *work = ledger->work;
    allot__rules *rules = &work->rules[index];
    allot__amounts weight, share, lend, borrow, by;
    int status = resolve(ledger, rules, ALLOT__POOL, &weight, &share);
    if (status == ALLOT_OK)
        status = resolve(ledger, rules, ALLOT__LOAN, &lend, &borrow);
    if (status == ALLOT_OK)
        status = resolve_weights(ledger, rules, &by);
    for (int32_t i = 0; i < ledger->count && status == ALLOT_OK; i++) {
        allot__holder *holder = &ledger->holders[i];
        if (allot__rules_at(work, holder->row) == rules) {
            holder->weight = amount(&weight, holder->row);
            holder->share_most = amount(&share, holder->row);
            holder->lend_most = amount(&lend, holder->row);
            holder->borrow_most = amount(&borrow, holder->row);
            holder->borrow_weight = amount(&by, holder->row);
            holder->keep = rules->policy->switches[ALLOT_SWITCH_KEEP_SHARED];
            holder->adjust = rules->policy->switches[ALLOT_SWITCH_ADJUST_SHARED];
            holder->hold_rounding = rules->options[ALLOT_OPTION_HOLD_ROUNDING] != 0;
            ledger->rounding = ledger->rounding || holder->hold_rounding;
            holder->recall_first = rules->policy->switches[ALLOT_SWITCH_RECALL_FIRST];
        }
    }
    return status;
}

/* Slots in flight to a leaf beside those that it holds; those beyond its need have no claimant. */
static int32_t coming_to(const allot__ledger *ledger, int32_t row, int32_t held)
{
    const allot__work *work = ledger->work;
    int32_t coming = work->earmarked != NULL && !ledger->planning ? work->earmarked[row] : 0;
    int32_t lacks = work->need[row] - held;
    coming = allot__least(coming, lacks);
    return coming > 0 ? coming : 0;
}

static void open_holder(const allot__ledger *ledger, int32_t row, allot__holder *out)
{
    const allot__work *work = ledger->work;
    int32_t flying = work->in_flight ? work->in_flight[row] : 0;
    int32_t most = allot__least(work->demand[row], work->limit[row]);
    int32_t held = ledger->planning ? 0 : work->allocated[row];
    flying = allot__least(flying, held);
    most = ledger->planning ? work->need[row] : most;
    *out = (allot__holder){
        .row = row,
        .place = ledger->first[row],
        .family = allot__siblings_of(work, row),
        .own = allot__own(work, allot__rules_at(work, row), row, NULL),
        .reserve = work->reserve[row],
        .need = work->need[row],
        .most = most,
        .held = held - flying,
        .flying = flying,
        .coming = coming_to(ledger, row, held - flying),
        .loans = -1,
        .recalls = -1,
        .owed = -1,
        .rebalance = work->group->columns[ALLOT_REBALANCE][row] != 0,
    };
}

/* By (rank, plan order): leaves come in plan order, and the sort is stable. */
static void open_holders(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    for (int32_t place = 0; place < ledger->places; place++) {
        int32_t row = ledger->at[place];
        if (allot__policy_ledger(allot__rules_at(work, row)->policy))
            ledger->order[ledger->count++] = row;
        ledger->at[place] = -1;
    }
    for (int32_t i = 0; i < ledger->count; i++)
        ledger->keys[ledger->order[i]] = work->rank[ledger->order[i]];
    allot__books_sort(ledger, ledger->count);
    memset(ledger->holder_of, 0xFF, (size_t)work->tree->rows * sizeof *ledger->holder_of);
    for (int32_t i = 0; i < ledger->count; i++) {
        int32_t row = ledger->order[i];
        open_holder(ledger, row, &ledger->holders[i]);
        ledger->drains = ledger->drains || !ledger->holders[i].rebalance;
        ledger->holder_of[row] = i;
        ledger->at[ledger->first[row]] = i;
        allot__books_has(ledger, i, (int64_t)ledger->holders[i].held + ledger->holders[i].coming,
                         0);
    }
}

static void open_idle(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    int64_t idle = work->slots - (ledger->planning ? 0 : work->sums[0].allocated);
    bool back = work->returned != NULL && !ledger->planning && !ledger->all;
    for (int32_t row = 0; back && row < work->tree->rows; row++) {
        bool other = allot__family_of(work, row) == 0 && ledger->holder_of[row] < 0;
        idle -= other ? work->returned[row] : 0;
    }
    ledger->idle = idle > 0 ? idle : 0;
}

void allot__books_claimed(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    bool back = work->returned != NULL && !ledger->planning;
    for (int32_t i = 0; back && i < ledger->count; i++) {
        allot__holder *holder = &ledger->holders[i];
        int64_t returned = work->returned[holder->row];
        int64_t lacks = (int64_t)holder->need - holder->held - holder->coming;
        returned = allot__least(returned, lacks > 0 ? lacks : 0);
        returned = allot__least(returned, ledger->idle);
        holder->returned = (int32_t)returned;
        ledger->returned += returned;
        ledger->idle -= returned;
    }
}

static void open_families(allot__ledger *ledger)
{
    const allot__work *work = ledger->work;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t parent = family > 0 ? work->group->parent[family] : -1;
        ledger->inside[family] = 0;
        ledger->outside[family] = 0;
        ledger->aside[family] = 0;
        if (!ledger->planning)
            ledger->outside[family] = work->sums[family].allocated + work->sums[family].earmarked;
        ledger->above[family] =
            family > 0 ? allot__tree_holding(work->tree->first, family, parent) : 0;
        ledger->limited = ledger->limited || (family > 0 && work->limit[parent] != ALLOT_NONE);
    }
}

int allot__books_open(allot__ledger *ledger)
{
    if (take_room(ledger) != ALLOT_OK)
        return ALLOT_ENOMEM;
    number_places(ledger);
    open_families(ledger);
    open_holders(ledger);
    open_idle(ledger);
    int status = ALLOT_OK;
    for (int32_t i = 0; i < ledger->work->rules_count && status == ALLOT_OK; i++)
        if (allot__policy_ledger(ledger->work->rules[i].policy))
            status = read_rules(ledger, i);
    if (status == ALLOT_OK)
        status = allot__loans_open(ledger);
    return status == ALLOT_OK ? allot__pools_open(ledger) : status;
}

/* ---- Again ----------------------------------------------------------------------------------- */

static bool keep_part(allot__ledger *ledger, void *at, size_t count, size_t size)
{
    allot__books_kept *kept = ledger->kept;
    void *copy = allot__arena_take(ledger->work->arena, count + 1, size);
    if (!copy)
        return false;
    if (count > 0)
        memcpy(copy, at, count * size);
    kept->part[kept->parts].at = at;
    kept->part[kept->parts].copy = copy;
    kept->part[kept->parts++].size = count * size;
    return true;
}

/* Does a run concern a holder? Else no rule gives it slots, and it has none of a pool. */
static bool is_live(const allot__ledger *ledger, const allot__holder *holder)
{
    int32_t wants = holder->need > holder->most ? holder->need : holder->most;
    return !allot__books_settled(ledger) || ledger->rounding || holder->loose > 0 ||
           holder->shared > 0 || holder->flying > 0 || holder->coming > 0 || holder->dropped > 0 ||
           wants > allot__holder_has(holder);
}

static void mark_live(allot__ledger *ledger)
{
    ledger->touched_count = 0;
    for (int32_t i = 0; i < ledger->count; i++) {
        allot__holder *holder = &ledger->holders[i];
        holder->live = is_live(ledger, holder);
        holder->touched = false;
    }
}

int allot__books_keep(allot__ledger *ledger)
{
    size_t families = (size_t)ledger->work->tree->families;
    const allot__share_pool *last = &ledger->pools[families - 1];
    allot__books_kept *kept = allot__arena_take(ledger->work->arena, 1, sizeof *kept);
    if (!kept)
        return ALLOT_ENOMEM;
    ledger->kept = kept;
    kept->parts = 0;
    mark_live(ledger);
    bool all =
        keep_part(ledger, ledger->holders, (size_t)ledger->count, sizeof *ledger->holders) &&
        keep_part(ledger, ledger->pairs, 2 * (size_t)ledger->loan_room, sizeof(int32_t)) &&
        keep_part(ledger, ledger->loans, (size_t)ledger->loan_count, sizeof *ledger->loans) &&
        keep_part(ledger, ledger->recalls, (size_t)ledger->recall_count, sizeof *ledger->recalls) &&
        keep_part(ledger, ledger->pools, families, sizeof *ledger->pools) &&
        keep_part(ledger, ledger->shares, (size_t)(last->first + last->count),
                  sizeof *ledger->shares) &&
        keep_part(ledger, ledger->inside, families, sizeof *ledger->inside) &&
        keep_part(ledger, ledger->outside, families, sizeof *ledger->outside);
    kept->ledger = *ledger;
    kept->holders = kept->part[ALLOT__KEPT_HOLDERS].copy;
    size_t rows = (size_t)ledger->work->tree->rows;
    if (!all || ALLOT__TAKE_ALL(ledger->work->arena, ALLOT__EACH(rows, kept->need, kept->demand)))
        return ALLOT_ENOMEM;
    memcpy(kept->need, ledger->work->need, rows * sizeof *kept->need);
    memcpy(kept->demand, ledger->work->demand, rows * sizeof *kept->demand);
    return ALLOT_OK;
}

/* Restores the holders that the last run may have changed. */
static void restore_holders(allot__ledger *ledger)
{
    const allot__books_kept *kept = ledger->kept;
    for (int32_t k = 0; k < ledger->live_count + ledger->touched_count; k++)
        ledger->holders[ledger->live[k]] = kept->holders[ledger->live[k]];
}

int32_t allot__books_changed(const allot__ledger *ledger, int32_t row)
{
    const allot__work *work = ledger->work;
    const allot__books_kept *kept = ledger->kept;
    while (row < work->tree->rows &&
           ((work->need[row] == kept->need[row] && work->demand[row] == kept->demand[row]) ||
            ledger->holder_of[row] < 0))
        row++;
    return row;
}

bool allot__books_read_need(allot__ledger *ledger, int32_t row)
{
    const allot__work *work = ledger->work;
    allot__books_kept *kept = ledger->kept;
    kept->need[row] = work->need[row];
    kept->demand[row] = work->demand[row];
    allot__holder *holder = &kept->holders[ledger->holder_of[row]];
    holder->need = work->need[row];
    holder->most = (int32_t)allot__least(work->demand[row], work->limit[row]);
    holder->live = is_live(ledger, holder);
    return coming_to(ledger, row, holder->held) == holder->coming;
}

/* Reads all present needs. Likewise. */
static bool read_needs(allot__ledger *ledger)
{
    bool comes = true;
    for (int32_t row = 0; comes; row++) {
        row = allot__books_changed(ledger, row);
        if (row == ledger->work->tree->rows)
            break;
        int32_t i = ledger->holder_of[row];
        comes = allot__books_read_need(ledger, row);
        ledger->holders[i] = ledger->kept->holders[i];
    }
    return comes;
}

/* Lists live holders, and takes others off the lists of pools. */
static void list_live(allot__ledger *ledger)
{
    ledger->live_count = 0;
    for (int32_t i = 0; i < ledger->count; i++)
        if (ledger->holders[i].live)
            ledger->live[ledger->live_count++] = i;
    for (int32_t family = 0; family < ledger->work->tree->families; family++) {
        allot__share_pool *pool = &ledger->pools[family];
        allot__share *shares = &ledger->shares[pool->first];
        int32_t count = 0;
        for (int32_t i = 0; i < pool->count; i++)
            if (ledger->holders[shares[i].holder].live)
                shares[count++] = shares[i];
        pool->count = count;
    }
}

void allot__books_narrow(allot__ledger *ledger)
{
    mark_live(ledger);
    list_live(ledger);
}

void allot__books_restore(allot__ledger *ledger)
{
    const allot__books_kept *kept = ledger->kept;
    bool draft = ledger->draft, loans = ledger->loan_count != kept->ledger.loan_count;
    restore_holders(ledger);
    *ledger = kept->ledger;
    ledger->draft = draft;
    for (int32_t i = loans ? ALLOT__KEPT_PAIRS : ALLOT__KEPT_LOANS; i < kept->parts; i++)
        if (kept->part[i].size > 0)
            memcpy(kept->part[i].at, kept->part[i].copy, kept->part[i].size);
    memset(ledger->aside, 0, (size_t)ledger->work->tree->families * sizeof *ledger->aside);
}

bool allot__books_again(allot__ledger *ledger)
{
    if (ledger->used)
        allot__books_restore(ledger);
    if (!read_needs(ledger))
        return false;
    list_live(ledger);
    ledger->used = true;
    return true;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* Returns a holder's loans, newest first, as far as it has unused own slots. */
static bool settle_one(allot__ledger *ledger, int32_t index)
{
    allot__holder *holder = &ledger->holders[index];
    int32_t own = holder->own - holder->out;
    int32_t rest = holder->held + holder->coming - holder->lost - holder->in;
    bool changed = false;
    for (int32_t loan = holder->loans; loan >= 0 && rest < own; loan = ledger->loans[loan].older) {
        int32_t slots =
            ledger->loans[loan].slots < own - rest ? ledger->loans[loan].slots : own - rest;
        if (slots > 0) {
            allot__loan_less(ledger, loan, slots, ALLOT__WHY_RETURNED);
            rest += slots;
            changed = true;
        }
    }
    return changed;
}

/* A lender that has its slots back may return loans in turn. Rings of loans could take long: after
 * some turns the rest is left to later cycles. */
void allot__books_settle(allot__ledger *ledger)
{
    bool changed = ledger->loan_count > 0;
    for (int turn = 0; turn < 64 && changed; turn++) {
        changed = false;
        for (int32_t i = 0; i < ledger->count; i++)
            changed = (ledger->holders[i].in > 0 && settle_one(ledger, i)) || changed;
    }
}

void allot__books_class(allot__ledger *ledger)
{
    for (int32_t i = 0; i < ledger->count; i++) {
        allot__holder *holder = &ledger->holders[i];
        int32_t own = holder->own > holder->out ? holder->own - holder->out : 0;
        int32_t rest = holder->held + holder->coming - holder->lost - holder->in;
        holder->used = allot__least(rest, own);
        holder->shared = rest - holder->used;
    }
}
