/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * walk.c: lowers leaves one after another, and follows the shares of all others.
 *
 * Under one family's critical fill, rows rise by weight * rate until they have their aims. A leaf
 * that is lowered has its need, and leaves slots to the others: the rate rises, and no share falls
 * (quota/again.h). Where levels before that fill are whole, a row's quota follows from its weight:
 *  - level + the whole slots of weight * rate,
 *  - and one slot more if that has a fraction and fewer rows with a fraction stand before it than
 *    slots were lost to rounding.
 * So a step costs as many divisions as there are different weights. A row that uses its quota as
 * far as it could is looked at again once its quota rises beyond what is known of it.
 */
#include "base/least.h"
#include "base/simd.h"
#include "engine/whole/again.h"
#include "engine/whole/lower.h"

enum { WEIGHTS = 16 };

/* The open rows of one weight: those below their aims. */
typedef struct weighed {
    allot__bits rows;
    int64_t weight, count;
    int64_t least; /* no such row lacks fewer slots to its aim */
    int64_t part;  /* the fraction of their rise, in 1/open */
    int64_t fine;  /* watched rows before the cut are known to use their quotas up to this rise, */
    int64_t late;  /* ... and the others up to this one */
} weighed;

typedef struct walk {
    allot__whole_all *all;
    const allot__work *work;
    allot__quota_kept *kept;
    int64_t left, met; /* slots of the fill, and of these those of rows that have their aims */
    int64_t open;      /* weights of the others: the rate is (left - met) / open */
    int32_t weights;
    weighed weighed[WEIGHTS + 1]; /* from 1 on */
    int32_t *level, *aim;         /* by row */
    int32_t *base;                /* by row: its aim if it has it, else its level, */
    int32_t *of;                  /* ... and its weight's number; 0: it has its aim */
    allot__bits rises;            /* the open rows */
    int32_t cut;                  /* rows before it get a slot for a fraction, */
    int32_t more[WEIGHTS + 1], less[WEIGHTS + 1]; /* ... so they rise by more: by weight */
    allot__bits unsure;  /* rows not known to use their quotas as far as they could */
    allot__bits watched; /* open rows that are */
} walk;

/* ---- The rate -------------------------------------------------------------------------------- */

/* A watched row's quota changed. */
static void doubt(walk *it, int32_t row)
{
    allot__bits_remove(&it->watched, row);
    allot__bits_add(&it->unsure, row);
}

/* A row has its aim. */
static void close_row(walk *it, int32_t row)
{
    weighed *of = &it->weighed[it->of[row]];
    it->open -= of->weight;
    of->count--;
    it->met += it->aim[row] - it->level[row];
    it->base[row] = it->aim[row];
    it->of[row] = 0;
    allot__bits_remove(&it->rises, row);
    allot__bits_remove(&of->rows, row);
    if (allot__bits_has(&it->watched, row))
        doubt(it, row);
}

/* Closes the rows of a weight that lack no more than they rise. */
static void close_weight(walk *it, int32_t k, int64_t rise)
{
    weighed *of = &it->weighed[k];
    of->least = INT64_MAX;
    for (int32_t row = -1; (row = allot__bits_next(&of->rows, row + 1)) < of->rows.bound;) {
        int64_t lacks = it->aim[row] - it->level[row];
        if (lacks <= rise)
            close_row(it, row);
        else
            of->least = allot__least(of->least, lacks);
    }
}

/* The end of the rows that get a slot lost to rounding. */
ALLOT__CLONES static int32_t find_cut(const walk *it)
{
    const uint64_t *words = it->rises.level[0];
    int64_t lost = 0;
    bool each = true; /* each open row has a fraction */
    for (int32_t k = 1; k <= it->weights; k++) {
        lost += it->weighed[k].count * it->weighed[k].part;
        each = each && (it->weighed[k].part > 0 || it->weighed[k].count == 0);
    }
    lost /= it->open;
    if (lost == 0)
        return 0;
    int32_t word = 0;
    for (int64_t bits; each && (bits = __builtin_popcountll(words[word])) < lost; word++)
        lost -= bits;
    for (uint64_t left = words[word];; left = words[++word])
        for (; left != 0; left &= left - 1) {
            int32_t row = word * 64 + __builtin_ctzll(left);
            lost -= each || it->weighed[it->of[row]].part > 0;
            if (lost == 0)
                return row + 1;
        }
}

/* Follows the rate, once `left`, `met` and `open` changed; false: the fill is not critical. */
static bool follow(walk *it)
{
    for (bool again = true; again;) {
        int64_t amount = it->left - it->met, open = it->open;
        again = false;
        for (int32_t k = 1; k <= it->weights && open > 0; k++) {
            int64_t rises = it->weighed[k].weight * amount, rise = rises / open;
            it->weighed[k].part = rises % open;
            it->less[k] = (int32_t)allot__least(rise, ALLOT_AMOUNT_MAX);
            it->more[k] = it->less[k] + (it->weighed[k].part > 0);
            if (it->weighed[k].count > 0 && rise >= it->weighed[k].least)
                close_weight(it, k, rise);
            again = again || it->open != open;
        }
    }
    if (it->open == 0)
        return false;
    it->cut = find_cut(it);
    return true;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_sure(const walk *it, int32_t row, int32_t quota)
{
    const allot__whole *whole = it->work->whole;
    return quota >= whole->fine_from[row] && quota <= whole->fine_to[row];
}

static int32_t quota_of(const walk *it, int32_t row)
{
    return it->base[row] + (row < it->cut ? it->more : it->less)[it->of[row]];
}

/* A row is known to use its quota as far as it could. */
static void watch(walk *it, int32_t row)
{
    weighed *of = &it->weighed[it->of[row]];
    int64_t *fine = row < it->cut ? &of->fine : &of->late;
    if (it->of[row] == 0)
        return;
    *fine = allot__least(*fine, it->work->whole->fine_to[row] - it->base[row]);
    allot__bits_add(&it->watched, row);
}

/* Doubts watched rows whose quotas rose beyond what is known of them. */
static void doubt_risen(walk *it)
{
    int32_t bound = it->watched.bound;
    for (int32_t k = 1; k <= it->weights; k++)
        it->weighed[k].fine = it->weighed[k].late = INT64_MAX;
    for (int32_t row = -1; (row = allot__bits_next(&it->watched, row + 1)) < bound;)
        if (is_sure(it, row, quota_of(it, row)))
            watch(it, row);
        else
            doubt(it, row);
}

/* The same after a step, by which rows from the cut before, or to it, changed. */
static void doubt_changed(walk *it, int32_t before)
{
    int32_t end = it->cut > before ? it->cut : before;
    int32_t row = it->cut > before ? before : it->cut;
    bool risen = false;
    for (row--; (row = allot__bits_next(&it->watched, row + 1)) < end;)
        doubt(it, row);
    for (int32_t k = 1; k <= it->weights; k++)
        risen = risen || it->more[k] > it->weighed[k].fine || it->less[k] > it->weighed[k].late;
    if (risen)
        doubt_risen(it);
}

/* The last row that is not known to use its quota as far as it could; -1: none. */
static int32_t last_unsure(walk *it)
{
    for (;;) {
        int32_t row = allot__bits_last(&it->unsure, it->unsure.bound);
        if (row < 0 || !is_sure(it, row, quota_of(it, row)))
            return row;
        allot__bits_remove(&it->unsure, row);
        watch(it, row);
    }
}

/* A leaf demands no more than it uses: what it had, exactly, is no less than it needs now. So it
 * has its aim, and each fill gave it the lesser of what it did and that need. */
static void lower(walk *it, int32_t row, int32_t used)
{
    it->work->whole->demand[row] = used;
    allot__quota_change(it->kept, row);
    int32_t need = it->work->need[row], level = it->level[row];
    if (it->of[row] > 0)
        close_row(it, row);
    it->met -= it->aim[row] - level;
    it->level[row] = (int32_t)allot__least(level, need);
    it->aim[row] = (int32_t)allot__least(it->aim[row], need);
    it->left += level - it->level[row];
    it->met += it->aim[row] - it->level[row];
    it->base[row] = it->aim[row];
    allot__whole_note_lowered(it->work->whole->sides[row], used);
}

/* ---- Begin ----------------------------------------------------------------------------------- */

/* Does a walk know the shares? */
static bool knows(const allot__whole_all *all)
{
    const allot__work *work = all->works[0];
    const allot__quota_kept *kept = all->again[0].kept;
    if (all->count > 1 || !kept || !kept->low || work->held_part || work->unit != 1 ||
        work->critical[0].fill < 1 || !kept->pass.plain)
        return false;
    for (int32_t i = 0; i < kept->pass.rules->policy->fill_count; i++)
        if (kept->pass.rules->policy->fills[i].level)
            return false;
    return true;
}

/* The number of a weight, which may be new; 0: there are too many, or no memory for it. */
static int32_t weight_of(walk *it, int64_t weight)
{
    int32_t k = 1;
    while (k <= it->weights && it->weighed[k].weight != weight)
        k++;
    if (k <= it->weights || k > WEIGHTS)
        return k > WEIGHTS ? 0 : k;
    weighed *of = &it->weighed[k];
    *of = (weighed){.weight = weight, .least = INT64_MAX, .fine = INT64_MAX, .late = INT64_MAX};
    if (!allot__bits_take(&of->rows, it->all->arena, it->rises.bound))
        return 0;
    it->weights = k;
    return k;
}

/* Lays out the rows of the critical fill; *yes: the walk may begin. */
static int begin(walk *it, bool *yes)
{
    const allot__pour *rows = &it->kept->pass.rows;
    size_t count = (size_t)rows->count;
    if (ALLOT__TAKE_ALL(it->all->arena, ALLOT__EACH(count, it->level, it->aim, it->base, it->of)) !=
            ALLOT_OK ||
        !allot__bits_take(&it->rises, it->all->arena, rows->count) ||
        !allot__bits_take(&it->unsure, it->all->arena, rows->count) ||
        !allot__bits_take(&it->watched, it->all->arena, rows->count))
        return ALLOT_ENOMEM;
    *yes = rows->sum <= INT32_MAX; /* products fit 64 bits */
    for (int32_t i = 0; i < rows->count && *yes; i++) {
        int64_t lacks = rows->aim[i] - rows->level[i], weight = rows->weight[i];
        bool open = (allot__i128)lacks * rows->sum > (allot__i128)rows->amount * weight;
        it->level[i] = rows->level[i];
        it->aim[i] = rows->aim[i];
        it->base[i] = open ? rows->level[i] : rows->aim[i];
        it->of[i] = open ? weight_of(it, weight) : 0;
        it->met += open ? 0 : lacks;
        *yes = !open || it->of[i] > 0;
        if (!open || !*yes)
            continue;
        weighed *of = &it->weighed[it->of[i]];
        of->count++;
        of->least = allot__least(of->least, lacks);
        it->open += weight;
        allot__bits_add(&it->rises, i);
        allot__bits_add(&of->rows, i);
    }
    for (int32_t i = 0; i < rows->count && *yes; i++)
        if (it->work->whole->fine_to[i] < INT32_MAX)
            allot__bits_add(&it->unsure, i);
    it->left = rows->amount + it->met;
    *yes = *yes && follow(it);
    return ALLOT_OK;
}

int allot__whole_walk(allot__whole_all *all, int32_t *done)
{
    *done = 0;
    if (!knows(all))
        return ALLOT_OK;
    allot__work *work = all->works[0];
    walk it = {.all = all, .work = work, .kept = all->again[0].kept};
    bool yes;
    int status = begin(&it, &yes);
    for (int32_t row; yes && status == ALLOT_OK && (row = last_unsure(&it)) >= 0;) {
        int32_t cut = it.cut;
        bool less;
        work->quota[row] = quota_of(&it, row);
        status = allot__whole_look(all, work->whole->sides[row], &less);
        if (!less)
            continue;
        lower(&it, row, (int32_t)all->uses[0].used);
        ++*done;
        yes = follow(&it);
        doubt_changed(&it, cut);
    }
    if (*done > 0)
        allot__quota_again(it.kept);
    return status;
}
