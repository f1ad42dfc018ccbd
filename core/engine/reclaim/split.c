/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* split.c: down the subtree with a stack of families; no recursion, however deep the tree. */
#include "engine/reclaim/split.h"

static bool by_over(const allot_policy *policy)
{
    return policy->reclaim_by.kind == ALLOT_FROM_COLUMN && policy->reclaim_by.value == ALLOT_OVER;
}

static bool natural(const allot_policy *policy)
{
    const allot__order *order = &policy->reclaim;
    return by_over(policy) && order->count == 1 && order->keys[0].descending &&
           order->keys[0].source.kind == ALLOT_FROM_COLUMN &&
           order->keys[0].source.value == ALLOT_RANK;
}

bool allot__giveback_natural(const allot__work *work)
{
    for (int32_t i = 0; i < work->rules_count; i++)
        if (!natural(work->rules[i].policy))
            return false;
    return true;
}

static int find_way(allot__work *work, allot__rules *rules, allot__way *out)
{
    const allot_policy *policy = rules->policy;
    const allot__order *order = &policy->reclaim;
    *out = (allot__way){.rules = rules, .natural = natural(policy), .by_over = by_over(policy)};
    int status = allot__order_prepare(work, rules, order);
    if (status == ALLOT_OK && !out->by_over)
        status = allot__amounts_of(work, rules, policy->reclaim_by, true, &out->by);
    return status;
}

static bool is_across(const allot__work *work)
{
    for (int32_t i = 0; i < work->rules_count; i++)
        if (work->rules[i].policy->switches[ALLOT_SWITCH_ACROSS])
            return work->tree->families > 1;
    return false;
}

static bool take_room(allot__giveback *giveback, bool across)
{
    allot__work *work = giveback->work;
    size_t widest = (size_t)(across ? work->tree->rows : work->tree->widest) + 1;
    size_t families = (size_t)work->tree->families;
    giveback->ways =
        allot__arena_take(work->arena, (size_t)work->rules_count, sizeof *giveback->ways);
    giveback->order = allot__arena_take(work->arena, widest, sizeof *giveback->order);
    giveback->givers = allot__arena_take(work->arena, widest, sizeof *giveback->givers);
    giveback->heap = allot__arena_take(work->arena, widest, sizeof *giveback->heap);
    giveback->left = allot__arena_take(work->arena, widest, sizeof *giveback->left);
    giveback->part = allot__arena_take(work->arena, widest, sizeof *giveback->part);
    giveback->stack = allot__arena_take(work->arena, families, sizeof *giveback->stack);
    giveback->due = allot__arena_take(work->arena, families, sizeof *giveback->due);
    return giveback->ways != NULL && giveback->order && giveback->givers && giveback->heap &&
           giveback->left && giveback->part && giveback->stack && giveback->due;
}

int allot__giveback_init(allot__giveback *giveback, allot__work *work, allot__taker *taker)
{
    bool across = is_across(work);
    *giveback = (allot__giveback){.work = work, .taker = taker};
    if (!take_room(giveback, across) || allot__sorter_init(work, &giveback->sorter) != ALLOT_OK)
        return ALLOT_ENOMEM;
    int status = across ? allot__across_init(giveback) : ALLOT_OK;
    for (int32_t i = 0; i < work->rules_count && status == ALLOT_OK; i++)
        status = find_way(work, &work->rules[i], &giveback->ways[i]);
    return status;
}

/* What a member is over and has not given back yet. */
static int64_t over_left(const allot__work *work, int32_t row)
{
    int32_t family = allot__family_of(work, row);
    return family == 0 ? work->over[row] - work->reclaimed[row] : work->sums[family].over_left;
}

static int64_t weight_of(const allot__giveback *giveback, int32_t row, int64_t over)
{
    const allot__way *way = giveback->way;
    if (way->by_over)
        return over;
    return way->by.column ? way->by.column[row] : way->by.number;
}

/* Larger over first, then later in plan order. */
static bool gives_first(const allot__giveback *giveback, int32_t a, int32_t b)
{
    const allot__giver *x = &giveback->givers[a];
    const allot__giver *y = &giveback->givers[b];
    if (x->over != y->over)
        return x->over > y->over;
    if (giveback->listed)
        return allot__across_before(giveback, y->row, x->row);
    return allot__tree_row(giveback->work, x->row) > allot__tree_row(giveback->work, y->row);
}

static void sink(const allot__giveback *giveback, int32_t count, int32_t i)
{
    int32_t *heap = giveback->heap;
    for (;;) {
        int32_t best = i;
        for (int32_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
            if (gives_first(giveback, heap[k], heap[best]))
                best = k;
        if (best == i)
            return;
        int32_t giver = heap[i];
        heap[i] = heap[best];
        heap[best] = giver;
        i = best;
    }
}

/* Rule 3: fewer than there are givers with a weight and room for one more. */
static void give_rest(allot__giveback *giveback, int32_t givers, int64_t rest)
{
    int32_t *heap = giveback->heap;
    int32_t count = 0;
    for (int32_t i = 0; i < givers; i++)
        if (giveback->givers[i].weight > 0 && giveback->givers[i].part < giveback->givers[i].over)
            heap[count++] = i;
    for (int32_t i = count / 2 - 1; i >= 0; i--)
        sink(giveback, count, i);
    for (; rest > 0 && count > 0; rest--) {
        giveback->givers[heap[0]].part++;
        heap[0] = heap[--count];
        sink(giveback, count, 0);
    }
}

/* The rate amount / sum at which givers, each up to what is over, give `slots` (fill/pour.c). */
static void find_rate(const allot__giveback *giveback, int32_t givers, int64_t slots,
                      allot__i128 *amount, allot__i128 *sum)
{
    *amount = slots;
    *sum = 0;
    for (int32_t i = 0; i < givers; i++)
        *sum += giveback->givers[i].weight;
    for (;;) {
        allot__i128 met = 0;
        allot__i128 open = 0;
        for (int32_t i = 0; i < givers; i++) {
            const allot__giver *giver = &giveback->givers[i];
            if (giver->over * *sum <= *amount * giver->weight)
                met += giver->over;
            else
                open += giver->weight;
        }
        if (slots - met == *amount && open == *sum)
            return;
        *amount = slots - met;
        *sum = open;
    }
}

/* Rules 2 and 3 for a group that is over by more than `slots`. */
static void share_out(allot__giveback *giveback, int32_t givers, int64_t slots)
{
    allot__i128 amount = slots;
    allot__i128 sum = 0;
    int64_t given = 0;
    if (giveback->way->natural)
        for (int32_t i = 0; i < givers; i++)
            sum += giveback->givers[i].over;
    else
        find_rate(giveback, givers, slots, &amount, &sum);
    for (int32_t i = 0; i < givers; i++) {
        allot__giver *giver = &giveback->givers[i];
        int64_t part = (int64_t)(amount * giver->weight / sum);
        giver->part = part < giver->over ? part : giver->over;
        given += giver->part;
    }
    give_rest(giveback, givers, slots - given);
}

static void take_part(allot__giveback *giveback, int32_t *depth, int32_t row, int64_t part)
{
    allot__work *work = giveback->work;
    int32_t family = allot__family_of(work, row);
    if (part == 0)
        return;
    if (giveback->listed)
        allot__across_lower(giveback, giveback->family, row, part);
    if (family != 0) {
        work->sums[family].over_left -= part;
        giveback->due[family] = part;
        giveback->stack[(*depth)++] = family;
        return;
    }
    work->reclaimed[row] += (int32_t)part;
    if (giveback->taker)
        giveback->taker->leaf(giveback->taker, row, part);
}

/* The group of rows order[from], order[from + 1], ... of equal keys; its end. Collects givers. */
static int32_t collect(allot__giveback *giveback, int32_t first, int32_t count, int32_t from,
                       int32_t *givers, int64_t *over)
{
    const allot__work *work = giveback->work;
    const allot__rules *rules = giveback->way->rules;
    int32_t last = first + count - 1;
    bool backwards = giveback->way->natural && !giveback->listed;
    int32_t head = backwards ? last - from : giveback->order[from];
    *givers = 0;
    *over = 0;
    for (; from < count; from++) {
        int32_t row = backwards ? last - from : giveback->order[from];
        if (giveback->way->natural
                ? work->rank[row] != work->rank[head]
                : !allot__order_tied(work, rules, &rules->policy->reclaim, head, row))
            break;
        int64_t left = over_left(work, row);
        if (left > 0) {
            giveback->givers[(*givers)++] =
                (allot__giver){.row = row, .over = left, .weight = weight_of(giveback, row, left)};
            *over += left;
        }
    }
    return from;
}

/*
 * Members whose `by` is 0 give only what the others cannot: if those with a weight do not cover
 * `slots`, they give all, and the rest is shared in proportion to over. Returns what was taken.
 */
static int64_t take_weighted(allot__giveback *giveback, int32_t *depth, int32_t *givers,
                             int64_t slots)
{
    allot__giver *list = giveback->givers;
    int64_t weighted = 0;
    int32_t kept = 0;
    for (int32_t i = 0; i < *givers; i++)
        weighted += list[i].weight > 0 ? list[i].over : 0;
    if (weighted > slots)
        return 0;
    for (int32_t i = 0; i < *givers; i++) {
        if (list[i].weight > 0) {
            take_part(giveback, depth, list[i].row, list[i].over);
        } else {
            list[kept] = list[i];
            list[kept++].weight = list[i].over;
        }
    }
    *givers = kept;
    return weighted;
}

void allot__giveback_family(allot__giveback *giveback, int32_t *depth, int32_t family,
                            int64_t slots)
{
    allot__work *work = giveback->work;
    int32_t first = allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    giveback->listed = allot__across_has(giveback, family);
    giveback->family = family;
    if (giveback->listed) {
        count = allot__across_list(giveback, family);
    } else if (!giveback->way->natural) {
        allot__order_sort(work, giveback->way->rules, &giveback->way->rules->policy->reclaim,
                          &giveback->sorter, first, count, giveback->order);
    }
    for (int32_t from = 0; from < count && slots > 0;) {
        int32_t givers;
        int64_t over;
        from = collect(giveback, first, count, from, &givers, &over);
        if (over > slots && !giveback->way->natural) {
            int64_t given = take_weighted(giveback, depth, &givers, slots);
            slots -= given;
            over -= given;
        }
        if (over > slots) {
            share_out(giveback, givers, slots);
            over = slots;
        } else {
            for (int32_t i = 0; i < givers; i++)
                giveback->givers[i].part = giveback->givers[i].over;
        }
        for (int32_t i = 0; i < givers; i++)
            take_part(giveback, depth, giveback->givers[i].row, giveback->givers[i].part);
        slots -= over;
    }
}

static void take_family(allot__giveback *giveback, int32_t *depth, int32_t family, int64_t slots)
{
    giveback->way =
        &giveback->ways[allot__rules_of(giveback->work, family) - giveback->work->rules];
    if (giveback->way->natural && giveback->work->tree->inner[family] == 0)
        allot__giveback_leaves(giveback, family, slots);
    else
        allot__giveback_family(giveback, depth, family, slots);
}

void allot__giveback_take(allot__giveback *giveback, int32_t family, int64_t slots)
{
    int32_t depth = 0;
    take_family(giveback, &depth, family, slots);
    while (depth > 0) {
        int32_t next = giveback->stack[--depth];
        take_family(giveback, &depth, next, giveback->due[next]);
    }
}
