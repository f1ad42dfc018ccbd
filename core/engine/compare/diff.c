/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* diff.c: a comparison's life: which rows of A and B are the same thing, and which rows are kept.
 */
#include "engine/compare/diff.h"

#include <string.h>

#include "engine/decision/decision.h"

/* ---- Twins ----------------------------------------------------------------------------------- */

static int twins_new(allot_engine *engine, allot__twins *twins, int32_t a, int32_t b)
{
    twins->count[0] = a;
    twins->count[1] = b;
    for (int side = 0; side < 2; side++) {
        size_t count = (size_t)twins->count[side];
        twins->of[side] = allot__new(engine, count, sizeof **twins->of);
        if (!twins->of[side] && count > 0)
            return ALLOT_ENOMEM;
        if (count > 0)
            memset(twins->of[side], -1, count * sizeof **twins->of);
    }
    return ALLOT_OK;
}

static void twins_free(allot_engine *engine, allot__twins *twins)
{
    for (int side = 0; side < 2; side++)
        allot__free(engine, twins->of[side], (size_t)twins->count[side], sizeof **twins->of);
}

static void pair(allot__twins *twins, int32_t a, int32_t b)
{
    twins->of[0][a] = b;
    twins->of[1][b] = a;
}

static int match_groups(allot_diff *it, const allot_plan *a, const allot_plan *b)
{
    int status = twins_new(it->engine, &it->groups, allot_plan_groups(a), allot_plan_groups(b));
    for (int32_t i = 0; status == ALLOT_OK && i < it->groups.count[1]; i++) {
        const char *name = allot_plan_group_name(b, i);
        int32_t twin = allot_plan_group_find(a, name, strlen(name));
        if (twin >= 0)
            pair(&it->groups, twin, i);
    }
    return status;
}

/* The child of A's `parent` that has the name of B's consumer: plans differ little, so it is looked
 * for first where B has it. */
static int32_t find_child(const allot_plan *a, int32_t parent, const allot_plan *b, int32_t child)
{
    const char *name = allot_plan_name(b, child);
    if (child < allot_plan_consumers(a) && allot_plan_parent(a, child) == parent &&
        strcmp(allot_plan_name(a, child), name) == 0)
        return child;
    return allot__names_find(a->names, parent, name, strlen(name));
}

/* Parents come before their children in the order of handles. */
static int match_consumers(allot_diff *it, const allot_plan *a, const allot_plan *b)
{
    allot__twins *twins = &it->consumers;
    int status = twins_new(it->engine, twins, allot_plan_consumers(a), allot_plan_consumers(b));
    for (int32_t i = 0; status == ALLOT_OK && i < twins->count[1]; i++) {
        int32_t above = allot_plan_parent(b, i);
        int32_t parent = above == ALLOT_ROOT ? ALLOT_ROOT : twins->of[1][above];
        if (above != ALLOT_ROOT && parent < 0)
            continue;
        int32_t twin = find_child(a, parent, b, i);
        if (twin >= 0)
            pair(twins, twin, i);
    }
    return status;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_shown(const allot_diff *diff, const allot_change *row)
{
    return allot_change_differs(row) || (diff->all && row->kind <= ALLOT_DIFF_CONSUMER);
}

/* Takes out the rows of the last kind that say nothing. */
static void thin_out(allot_diff *diff, int32_t first)
{
    allot_change *rows = diff->rows.items;
    int32_t kept = first;
    for (int32_t i = first; i < (int32_t)diff->rows.count; i++) {
        diff->differs = diff->differs || allot_change_differs(&rows[i]);
        if (is_shown(diff, &rows[i]))
            rows[kept++] = rows[i];
    }
    diff->rows.count = (size_t)kept;
    allot__index_free(diff->engine, &diff->index);
    diff->index = (allot__index){0};
}

static int compare(allot_diff *diff)
{
    const allot_plan *a = diff->side[0]->plan, *b = diff->side[1]->plan;
    int status = match_groups(diff, a, b);
    if (status == ALLOT_OK)
        status = match_consumers(diff, a, b);
    for (int kind = 0; kind < ALLOT_DIFF_KINDS && status == ALLOT_OK; kind++) {
        diff->first[kind] = (int32_t)diff->rows.count;
        if (kind == ALLOT_DIFF_GROUP) {
            status = allot__diff_groups(diff);
        } else if (kind == ALLOT_DIFF_CONSUMER) {
            status = allot__diff_consumers(diff);
        } else {
            status = allot__diff_list(diff, kind, 0);
            status = status == ALLOT_OK ? allot__diff_list(diff, kind, 1) : status;
        }
        thin_out(diff, diff->first[kind]);
    }
    diff->first[ALLOT_DIFF_KINDS] = (int32_t)diff->rows.count;
    return status;
}

/* ---- Life ------------------------------------------------------------------------------------ */

int allot_diff_new(const allot_decision *a, const allot_decision *b, int all, allot_diff **out)
{
    if (!a || !b || !out || a->last < ALLOT_STAGE_ORDERS || b->last < ALLOT_STAGE_ORDERS)
        return ALLOT_EUSAGE;
    allot_engine *engine = allot_plan_engine(a->plan);
    allot_diff *diff = allot__new(engine, 1, sizeof *diff);
    if (!diff)
        return ALLOT_ENOMEM;
    *diff = (allot_diff){.engine = engine, .side = {a, b}, .all = all != 0};
    int status = compare(diff);
    if (status != ALLOT_OK) {
        allot_diff_free(diff);
        return status;
    }
    *out = diff;
    return ALLOT_OK;
}

void allot_diff_free(allot_diff *diff)
{
    if (!diff)
        return;
    twins_free(diff->engine, &diff->groups);
    twins_free(diff->engine, &diff->consumers);
    allot__index_free(diff->engine, &diff->index);
    allot__vector_free(diff->engine, &diff->rows);
    allot__free(diff->engine, diff, 1, sizeof *diff);
}
