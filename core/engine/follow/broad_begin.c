/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* broad_begin.c: which families are broad, and their rows by classes. */
#include <string.h>

#include "engine/follow/follow.h"
#include "engine/rows/work.h"

/* Among more classes than these a step costs no less than a pouring; nor does it in a family of
 * less than the usual rows. */
enum { CLASSES_MAX = 4096, SLOTS = 4 * CLASSES_MAX, USUAL = 256 };

typedef struct scratch {
    uint16_t slot[SLOTS]; /* by hash: a class's number and one; 0: none */
    allot__broad_mark marks[CLASSES_MAX * ALLOT_FILLS_MAX];
} scratch;

/* ---- Classes --------------------------------------------------------------------------------- */

static int32_t at(const allot__amounts *amounts, int32_t row)
{
    return amounts->number < 0 ? amounts->column[0] : amounts->column[row];
}

static void find_marks(const allot__quota_pass *pass, int32_t row, allot__broad_mark *marks)
{
    allot__broad_mark before = {0, 0, 0};
    for (int32_t i = 0; i < pass->rules->policy->fill_count; i++) {
        allot__broad_mark mark = {.weight = at(&pass->fills[i].by, row)};
        if (pass->fills[i].up_to.own)
            mark.whole = allot__own(pass->work, pass->rules, row, &mark.part);
        else
            mark.whole = at(&pass->fills[i].up_to, row);
        bool higher =
            mark.whole > before.whole || (mark.whole == before.whole && mark.part > before.part);
        if (mark.weight == 0 || !higher) {
            mark.whole = before.whole;
            mark.part = before.part;
        }
        before = marks[i] = mark;
    }
}

static uint32_t hash_of(const allot__broad_mark *marks, int32_t fills)
{
    uint64_t hash = 0;
    for (int32_t i = 0; i < fills; i++) {
        const int32_t words[] = {marks[i].whole, marks[i].part, marks[i].weight};
        for (int k = 0; k < 3; k++)
            hash = (hash ^ (uint32_t)words[k]) * 0x9e3779b97f4a7c15u;
    }
    return (uint32_t)(hash >> 40);
}

/* The class with those marks, made where there is none; -1: there are too many. */
static int32_t find_class(allot__broad *broad, scratch *all, const allot__broad_mark *marks)
{
    size_t fills = (size_t)broad->fills, size = fills * sizeof *marks;
    uint32_t slot = hash_of(marks, broad->fills) % SLOTS;
    while (all->slot[slot] != 0) {
        int32_t class = all->slot[slot] - 1;
        if (memcmp(all->marks + (size_t) class * fills, marks, size) == 0)
            return class;
        slot = (slot + 1) % SLOTS;
    }
    if (broad->classes == CLASSES_MAX)
        return -1;
    memcpy(all->marks + (size_t)broad->classes * fills, marks, size);
    all->slot[slot] = (uint16_t)++broad->classes;
    return broad->classes - 1;
}

/* False: there are too many. */
static bool find_classes(const allot__quota_pass *pass, allot__broad *broad, scratch *all)
{
    allot__broad_mark marks[ALLOT_FILLS_MAX];
    memset(all->slot, 0, sizeof all->slot);
    for (int32_t i = 0; i < broad->count; i++) {
        find_marks(pass, broad->first + i, marks);
        int32_t class = find_class(broad, all, marks);
        if (class < 0)
            return false;
        broad->class_of[i] = (uint16_t) class;
    }
    return true;
}

/* Rows class by class; room is taken. */
static void sort_rows(allot__broad *broad)
{
    int32_t next = 0;
    for (int32_t i = 0; i < broad->count; i++)
        broad->of[broad->class_of[i]].count++;
    for (int32_t i = 0; i < broad->classes; i++) {
        broad->of[i].first = next;
        next += broad->of[i].count;
        broad->of[i].count = 0;
    }
    for (int32_t i = 0; i < broad->count; i++) {
        allot__broad_class *of = &broad->of[broad->class_of[i]];
        broad->by_class[of->first + of->count++] = broad->first + i;
    }
}

/* ---- Families -------------------------------------------------------------------------------- */

static bool is_broad(const allot__tree *tree, int32_t family, int32_t least)
{
    return tree->first[family + 1] - tree->first[family] >= least && tree->inner[family] == 0;
}

size_t allot__broad_size(const allot__tree *tree)
{
    enum { CLASSES = 64, FILLS = 4, PIECES = 8 };
    const size_t one = sizeof(allot__broad) + (size_t)PIECES * 64 +
                       CLASSES * (sizeof(allot__broad_class) + FILLS * sizeof(allot__broad_mark));
    size_t size = 0;
    for (int32_t family = 0; family < tree->families; family++)
        size += is_broad(tree, family, USUAL) ? one : 0;
    return size;
}

static bool are_plain(const allot__quota_pass *pass)
{
    bool plain = pass->plain && !pass->work->leaves_out && pass->rules->policy->fill_count > 0;
    for (int32_t i = 0; i < pass->rules->policy->fill_count; i++)
        plain = plain && !pass->rules->policy->fills[i].level && !pass->fills[i].up_to.percent;
    return plain;
}

static int make(allot__follow *follow, int32_t family, scratch *all, allot__broad *broad)
{
    const allot__work *work = follow->work;
    const allot__quota_pass *pass = &follow->kept->pass;
    int32_t count = allot__family_size(work, family);
    *broad = (allot__broad){.family = family,
                            .first = allot__family_first(work, family),
                            .count = count,
                            .fills = pass->rules->policy->fill_count};
    broad->bound = broad->front = broad->first;
    broad->class_of = allot__arena_take(work->arena, (size_t)count, sizeof *broad->class_of);
    if (!broad->class_of)
        return ALLOT_ENOMEM;
    if (!find_classes(pass, broad, all))
        return ALLOT_OK;
    size_t classes = (size_t)broad->classes, marks = classes * (size_t)broad->fills;
    broad->of = allot__zeroed(work, classes, sizeof *broad->of);
    broad->marks = allot__arena_take(work->arena, marks, sizeof *broad->marks);
    broad->by_class = allot__arena_take(work->arena, (size_t)count, sizeof *broad->by_class);
    if (!broad->of || !broad->marks || !broad->by_class ||
        !allot__bits_take(&broad->parts, work->arena, count) ||
        !allot__bits_take(&broad->nets, work->arena, count))
        return ALLOT_ENOMEM;
    memcpy(broad->marks, all->marks, marks * sizeof *broad->marks);
    sort_rows(broad);
    follow->families[family].broad = broad;
    return ALLOT_OK;
}

int allot__broad_begin(allot__follow *follow, int32_t least)
{
    const allot__work *work = follow->work;
    least = least > 0 ? least : USUAL;
    int32_t families = are_plain(&follow->kept->pass) ? work->tree->families : 0, count = 0;
    for (int32_t family = 0; family < families; family++)
        count += is_broad(work->tree, family, least);
    if (count == 0)
        return ALLOT_OK;
    allot_engine *engine = work->plan->engine;
    scratch *all = allot__new(engine, 1, sizeof *all);
    follow->broad = allot__arena_take(work->arena, (size_t)count, sizeof *follow->broad);
    int status = all && follow->broad ? ALLOT_OK : ALLOT_ENOMEM;
    for (int32_t family = 0; family < families && status == ALLOT_OK; family++)
        if (is_broad(work->tree, family, least))
            status = make(follow, family, all, &follow->broad[follow->broad_count++]);
    for (int32_t i = 0; i < follow->broad_count && status == ALLOT_OK; i++)
        allot__broad_count(follow, &follow->broad[i]);
    allot__free(engine, all, 1, sizeof *all);
    return status;
}
