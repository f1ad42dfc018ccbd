/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * split.c: down the subtree with a stack of families; no recursion, however deep the tree.
 *
 * Where shares are enforced at the leaves, families give back as one. Rows are numbered in plan
 * order for that, a parent before those below it, so that a subtree is a range of numbers and is
 * listed in one pass.
 */
#include "engine/reclaim/split.h"

#include <string.h>

#include "base/heap.h"
#include "engine/fill/round.h"

/* ---- Families that give back as one (E-22) --------------------------------------------------- */

typedef struct allot__across {
    int32_t *number; /* by row */
    int32_t *row;    /* by number */
    int32_t *size;   /* by family: rows below its parent */
    allot__sorter sorter;
} across;

static bool enforced(const allot__work *work, int32_t family)
{
    return family != 0 && allot__rules_of(work, family)->policy->switches[ALLOT_SWITCH_ACROSS];
}

static void count_rows(const allot__work *work, across *to)
{
    for (int32_t family = work->tree->families - 1; family >= 0; family--) {
        int32_t first = allot__family_first(work, family);
        to->size[family] = allot__family_size(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++) {
            int32_t below = allot__family_of(work, row);
            to->size[family] += below != 0 ? to->size[below] : 0;
        }
    }
}

/* Families come before those below their members, so a parent has its number by then. */
static void number_rows(const allot__work *work, across *to)
{
    const int32_t *group_row = work->group->group_row;
    for (int32_t family = 0; family < work->tree->families; family++) {
        int32_t at = family > 0 ? to->number[work->group->parent[family]] + 1 : 0;
        int32_t first = allot__family_first(work, family);
        for (int32_t i = first; i < first + allot__family_size(work, family); i++) {
            int32_t row = group_row ? group_row[i] : i;
            int32_t below = allot__family_of(work, row);
            to->number[row] = at;
            to->row[at] = row;
            at += 1 + (below != 0 ? to->size[below] : 0);
        }
    }
}

static int across_init(allot__reclaim_split *split)
{
    allot__work *work = split->work;
    size_t rows = (size_t)work->tree->rows + 1;
    across *made = allot__arena_take(work->arena, 1, sizeof *made);
    if (!made)
        return ALLOT_ENOMEM;
    if (ALLOT__TAKE_ALL(
            work->arena,
            ALLOT__EACH(rows, made->number, made->row, made->sorter.keys, made->sorter.other),
            ALLOT__WANTED(made->size, (size_t)work->tree->families)) != ALLOT_OK)
        return ALLOT_ENOMEM;
    count_rows(work, made);
    number_rows(work, made);
    split->across = made;
    return ALLOT_OK;
}

/* Do members of families inside take the place of some of the family's parents? */
static bool across_has(const allot__reclaim_split *split, int32_t family)
{
    const allot__work *work = split->work;
    int32_t left = work->tree->inner[family];
    if (!split->across || (family != 0 && !enforced(work, family)))
        return false;
    for (int32_t row = allot__family_first(work, family); left > 0; row++) {
        int32_t below = allot__family_of(work, row);
        if (enforced(work, below))
            return true;
        left -= below != 0;
    }
    return false;
}

/* Lists these members in `order`, sorted; returns their number. */
static int32_t across_list(allot__reclaim_split *split, int32_t family)
{
    const allot__work *work = split->work;
    const across *of = split->across;
    const allot__rules *rules = split->rule->rules;
    int32_t from = family > 0 ? of->number[work->group->parent[family]] + 1 : 0;
    int32_t count = 0;
    for (int32_t at = from; at < from + of->size[family]; at++) {
        int32_t below = allot__family_of(work, of->row[at]);
        if (enforced(work, below))
            continue; /* its members follow */
        split->order[count++] = of->row[at];
        at += below != 0 ? of->size[below] : 0;
    }
    allot__order_list(work, rules, &rules->policy->reclaim, &of->sorter, count, split->order);
    return count;
}

/* Takes a member's part off over_left of the families between it and `family`. */
static void across_lower(const allot__reclaim_split *split, int32_t family, int32_t row,
                         int64_t part)
{
    const allot__work *work = split->work;
    for (int32_t of = allot__siblings_of(work, row); of != family;
         of = allot__siblings_of(work, work->group->parent[of]))
        work->sums[of].over_left -= part;
}

/* Does row a come before row b in plan order? */
static bool across_before(const allot__reclaim_split *split, int32_t a, int32_t b)
{
    return split->across->number[a] < split->across->number[b];
}

/* ---- One family after another ---------------------------------------------------------------- */

static bool by_over(const allot_policy *policy)
{
    return policy->reclaim_by.kind == ALLOT_FROM_COLUMN && policy->reclaim_by.value == ALLOT_OVER;
}

bool allot__split_rule_natural(const allot_policy *policy)
{
    const allot__order *order = &policy->reclaim;
    return by_over(policy) && order->count == 1 && order->keys[0].descending &&
           order->keys[0].source.kind == ALLOT_FROM_COLUMN &&
           order->keys[0].source.value == ALLOT_RANK;
}

bool allot__split_natural(const allot__work *work)
{
    for (int32_t i = 0; i < work->rules_count; i++)
        if (!allot__split_rule_natural(work->rules[i].policy))
            return false;
    return true;
}

static int find_rule(allot__work *work, allot__rules *rules, allot__split_rule *out)
{
    const allot_policy *policy = rules->policy;
    const allot__order *order = &policy->reclaim;
    *out = (allot__split_rule){
        .rules = rules, .natural = allot__split_rule_natural(policy), .by_over = by_over(policy)};
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

static int take_room(allot__reclaim_split *split, bool across)
{
    const allot__work *work = split->work;
    size_t widest = (size_t)(across ? work->tree->rows : work->widest) + 1;
    size_t families = (size_t)work->tree->families;
    split->room = (int32_t)widest;
    return ALLOT__TAKE_ALL(
        work->arena, ALLOT__WANTED(split->split_rules, (size_t)work->rules_count),
        ALLOT__EACH(widest, split->order, split->donors, split->heap, split->left, split->part),
        ALLOT__EACH(families, split->stack, split->due));
}

int allot__split_init(allot__reclaim_split *split, allot__work *work,
                      allot__split_listener *listener)
{
    bool across = is_across(work);
    *split = (allot__reclaim_split){.work = work, .listener = listener};
    if (take_room(split, across) != ALLOT_OK ||
        allot__sorter_init(work, &split->sorter) != ALLOT_OK)
        return ALLOT_ENOMEM;
    int status = across ? across_init(split) : ALLOT_OK;
    for (int32_t i = 0; i < work->rules_count && status == ALLOT_OK; i++)
        status = find_rule(work, &work->rules[i], &split->split_rules[i]);
    return status;
}

/* Slots that a member is over and has not given back yet. */
static int64_t over_left(const allot__work *work, int32_t row)
{
    int32_t family = allot__family_of(work, row);
    return family == 0 ? work->over[row] - work->reclaimed[row] : work->sums[family].over_left;
}

static int64_t weight_of(const allot__reclaim_split *split, int32_t row, int64_t over)
{
    const allot__split_rule *rule = split->rule;
    if (rule->by_over)
        return over;
    return rule->by.column ? rule->by.column[row] : rule->by.number;
}

/* Larger over first, then later in plan order. */
static bool donates_first(const void *ud, int32_t a, int32_t b)
{
    const allot__reclaim_split *split = ud;
    const allot__donor *x = &split->donors[a];
    const allot__donor *y = &split->donors[b];
    if (x->over != y->over)
        return x->over > y->over;
    if (split->listed)
        return across_before(split, y->row, x->row);
    return allot__tree_row(split->work, x->row) > allot__tree_row(split->work, y->row);
}

/* Rule 3: `rest` is less than the number of donors with a weight and room for one more. */
static void split_rest(allot__reclaim_split *split, int32_t donors, int64_t rest)
{
    int32_t *heap = split->heap;
    int32_t count = 0;
    for (int32_t i = 0; i < donors; i++)
        if (split->donors[i].weight > 0 && split->donors[i].part < split->donors[i].over)
            heap[count++] = i;
    allot__heap_make(heap, count, donates_first, split);
    for (; rest > 0 && count > 0; rest--) {
        split->donors[heap[0]].part++;
        heap[0] = heap[--count];
        allot__heap_sink(heap, count, 0, donates_first, split);
    }
}

/* The rate amount / sum at which donors, each up to what is over, give `slots` (fill/pour.c). */
static void find_rate(const allot__reclaim_split *split, int32_t donors, int64_t slots,
                      allot__i128 *amount, allot__i128 *sum)
{
    *amount = slots;
    *sum = 0;
    for (int32_t i = 0; i < donors; i++)
        *sum += split->donors[i].weight;
    for (;;) {
        allot__i128 met = 0;
        allot__i128 open = 0;
        for (int32_t i = 0; i < donors; i++) {
            const allot__donor *donor = &split->donors[i];
            if (donor->over * *sum <= *amount * donor->weight)
                met += donor->over;
            else
                open += donor->weight;
        }
        if (slots - met == *amount && open == *sum)
            return;
        *amount = slots - met;
        *sum = open;
    }
}

/* Rules 2 and 3 for a group that is over by more than `slots`. */
static void share_out(allot__reclaim_split *split, int32_t donors, int64_t slots)
{
    allot__i128 amount = slots;
    allot__i128 sum = 0;
    int64_t given = 0;
    if (split->rule->natural)
        for (int32_t i = 0; i < donors; i++)
            sum += split->donors[i].over;
    else
        find_rate(split, donors, slots, &amount, &sum);
    for (int32_t i = 0; i < donors; i++) {
        allot__donor *donor = &split->donors[i];
        int64_t part = (int64_t)(amount * donor->weight / sum);
        donor->part = part < donor->over ? part : donor->over;
        given += donor->part;
    }
    split_rest(split, donors, slots - given);
}

static void take_part(allot__reclaim_split *split, int32_t *depth, int32_t row, int64_t part)
{
    allot__work *work = split->work;
    int32_t family = allot__family_of(work, row);
    if (part == 0)
        return;
    if (split->listed)
        across_lower(split, split->family, row, part);
    if (family != 0) {
        work->sums[family].over_left -= part;
        split->due[family] = part;
        split->stack[(*depth)++] = family;
        return;
    }
    int32_t slots = (int32_t)part;
    work->reclaimed[row] += slots;
    if (split->listener)
        split->listener->parts(split->listener, row, 1, &slots);
}

/* Collects donors of the group of equal keys that begins at order[from]; returns its end. */
static int32_t collect(allot__reclaim_split *split, int32_t first, int32_t count, int32_t from,
                       int32_t *donors, int64_t *over)
{
    const allot__work *work = split->work;
    const allot__rules *rules = split->rule->rules;
    int32_t last = first + count - 1;
    bool backwards = split->rule->natural && !split->listed;
    int32_t head = backwards ? last - from : split->order[from];
    *donors = 0;
    *over = 0;
    for (; from < count; from++) {
        int32_t row = backwards ? last - from : split->order[from];
        if (split->rule->natural
                ? work->rank[row] != work->rank[head]
                : !allot__order_tied(work, rules, &rules->policy->reclaim, head, row))
            break;
        int64_t left = over_left(work, row);
        if (left > 0) {
            split->donors[(*donors)++] =
                (allot__donor){.row = row, .over = left, .weight = weight_of(split, row, left)};
            *over += left;
        }
    }
    return from;
}

/*
 * Members whose `by` is 0 give only what the others cannot: if those with a weight do not cover
 * `slots`, they give all, and the rest is shared in proportion to over. Returns what was taken.
 */
static int64_t take_weighted(allot__reclaim_split *split, int32_t *depth, int32_t *donors,
                             int64_t slots)
{
    allot__donor *list = split->donors;
    int64_t weighted = 0;
    int32_t kept = 0;
    for (int32_t i = 0; i < *donors; i++)
        weighted += list[i].weight > 0 ? list[i].over : 0;
    if (weighted > slots)
        return 0;
    for (int32_t i = 0; i < *donors; i++) {
        if (list[i].weight > 0) {
            take_part(split, depth, list[i].row, list[i].over);
        } else {
            list[kept] = list[i];
            list[kept++].weight = list[i].over;
        }
    }
    *donors = kept;
    return weighted;
}

/* Lets a group of equal keys give up to `slots`; returns the number given. */
static int64_t take_group(allot__reclaim_split *split, int32_t *depth, int32_t donors, int64_t over,
                          int64_t slots)
{
    if (over > slots)
        share_out(split, donors, slots);
    else
        for (int32_t i = 0; i < donors; i++)
            split->donors[i].part = split->donors[i].over;
    for (int32_t i = 0; i < donors; i++)
        take_part(split, depth, split->donors[i].row, split->donors[i].part);
    return over < slots ? over : slots;
}

/* Doubles the space for donors; false: no memory, and status says so. */
static bool add_room(allot__reclaim_split *split)
{
    size_t room = 2 * (size_t)split->room;
    allot__donor *donors = allot__arena_take(split->work->arena, room, sizeof *donors);
    int32_t *heap = allot__arena_take(split->work->arena, room, sizeof *heap);
    if (!donors || !heap) {
        split->status = ALLOT_ENOMEM;
        return false;
    }
    memcpy(donors, split->donors, (size_t)split->room * sizeof *donors);
    split->donors = donors;
    split->heap = heap;
    split->room = (int32_t)room;
    return true;
}

/* A natural family of leaves: visits only leaves known to be over. */
static void take_known(allot__reclaim_split *split, int32_t family, int64_t slots)
{
    allot__work *work = split->work;
    int32_t first = allot__family_first(work, family), depth = 0;
    int32_t row = allot__bits_last(split->over, first + allot__family_size(work, family));
    split->listed = false;
    while (row >= first && slots > 0) {
        int32_t donors = 0, rank = work->rank[row];
        int64_t over = 0;
        for (; row >= first && work->rank[row] == rank; row = allot__bits_last(split->over, row)) {
            int64_t left = over_left(work, row);
            if (donors == split->room && !add_room(split))
                return;
            split->donors[donors] = (allot__donor){.row = row, .over = left, .weight = left};
            donors += left > 0;
            over += left;
        }
        slots -= take_group(split, &depth, donors, over, slots);
    }
}

/* One family by the plain rules; its parents' parts are left on the stack. */
static void split_family(allot__reclaim_split *split, int32_t *depth, int32_t family, int64_t slots)
{
    allot__work *work = split->work;
    int32_t first = allot__family_first(work, family);
    int32_t count = allot__family_size(work, family);
    split->listed = across_has(split, family);
    split->family = family;
    if (split->listed) {
        count = across_list(split, family);
    } else if (!split->rule->natural) {
        allot__order_sort(work, split->rule->rules, &split->rule->rules->policy->reclaim,
                          &split->sorter, first, count, split->order);
    }
    for (int32_t from = 0; from < count && slots > 0;) {
        int32_t donors;
        int64_t over;
        from = collect(split, first, count, from, &donors, &over);
        if (over > slots && !split->rule->natural) {
            int64_t given = take_weighted(split, depth, &donors, slots);
            slots -= given;
            over -= given;
        }
        slots -= take_group(split, depth, donors, over, slots);
    }
}

/* ---- Families of leaves ---------------------------------------------------------------------- */
/* The same by columns: vector arithmetic, for leaves that give back by the default order. */

static void report_parts(allot__reclaim_split *split, int32_t first, int32_t count,
                         const int32_t *part)
{
    if (split->listener)
        split->listener->parts(split->listener, first, count, part);
}

/* Rows first ... first + count - 1, of one rank, give all they are over, ... */
static void take_all(allot__reclaim_split *split, int32_t first, int32_t count)
{
    const int32_t *restrict over = split->work->over + first;
    int32_t *restrict reclaimed = split->work->reclaimed + first;
    int32_t *restrict left = split->left;
    for (int32_t i = 0; i < count; i++) {
        left[i] = over[i] - reclaimed[i];
        reclaimed[i] = over[i];
    }
    report_parts(split, first, count, left);
}

/* ... or `slots` of the `sum` that it is. */
static void take_some(allot__reclaim_split *split, int32_t first, int32_t count, int64_t slots,
                      int64_t sum)
{
    const int32_t *restrict over = split->work->over + first;
    int32_t *restrict reclaimed = split->work->reclaimed + first;
    int32_t *restrict left = split->left;
    int32_t *restrict part = split->part;
    for (int32_t i = 0; i < count; i++)
        left[i] = over[i] - reclaimed[i];
    allot__round_over(left, part, count, slots, sum);
    for (int32_t i = 0; i < count; i++)
        reclaimed[i] += part[i];
    report_parts(split, first, count, part);
}

static void split_leaves(allot__reclaim_split *split, int32_t family, int64_t slots)
{
    const allot__work *work = split->work;
    const int32_t *rank = work->rank;
    int32_t first = allot__family_first(work, family);
    int32_t end = first + allot__family_size(work, family);
    while (slots > 0 && end > first) {
        int32_t start = end;
        int64_t sum = 0;
        while (start > first && rank[start - 1] == rank[end - 1]) {
            start--;
            sum += work->over[start] - work->reclaimed[start];
        }
        if (sum > slots) {
            take_some(split, start, end - start, slots, sum);
            return;
        }
        if (sum > 0) {
            take_all(split, start, end - start);
            slots -= sum;
        }
        end = start;
    }
}

/* ---- All families ---------------------------------------------------------------------------- */

static void take_family(allot__reclaim_split *split, int32_t *depth, int32_t family, int64_t slots)
{
    split->rule = &split->split_rules[allot__rules_of(split->work, family) - split->work->rules];
    bool leaves = split->rule->natural && split->work->tree->inner[family] == 0;
    if (leaves && split->over)
        take_known(split, family, slots);
    else if (leaves)
        split_leaves(split, family, slots);
    else
        split_family(split, depth, family, slots);
}

void allot__split_take(allot__reclaim_split *split, int32_t family, int64_t slots)
{
    int32_t depth = 0;
    take_family(split, &depth, family, slots);
    while (depth > 0) {
        int32_t next = split->stack[--depth];
        take_family(split, &depth, next, split->due[next]);
    }
}
