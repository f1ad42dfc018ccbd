/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tree_test.c: rows, families, levels and plan order, against a plain walk. */
#include "model/plan/tree.h"

#include <stdlib.h>

#include "model/plan/plan.h"
#include "test/support/fixture.h"

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

/* Adds consumers under random parents, so that handles are in no tree's order. */
static void grow(fixture *it, int32_t count, uint32_t deep)
{
    char name[16];
    for (int32_t i = 0; i < count; i++) {
        int32_t handle, parent = (int32_t)random_below((uint32_t)i + 1) - 1;
        if (random_below(100) < deep)
            parent = i - 1;
        int len = snprintf(name, sizeof name, "c%d", (int)i);
        CHECK_EQ(allot_plan_add(it->plan, parent, name, (size_t)len, &handle), ALLOT_OK);
        CHECK_EQ(handle, i);
    }
}

/* Plan order and depth from parents alone: children of a handle are the handles that name it. */
static int32_t walk(const allot_plan *plan, int32_t parent, int32_t depth, int32_t *last)
{
    int32_t seen = 0, children = 0;
    for (int32_t i = 0; i < allot_plan_consumers(plan); i++) {
        if (allot_plan_parent(plan, i) != parent)
            continue;
        CHECK_EQ(allot_plan_next(plan, *last), i);
        CHECK_EQ(allot_plan_depth(plan, i), depth);
        CHECK_EQ(allot_plan_child(plan, parent, children++), i);
        *last = i;
        seen += 1 + walk(plan, i, depth + 1, last);
    }
    CHECK_EQ(allot_plan_children(plan, parent), children);
    CHECK_EQ(allot_plan_child(plan, parent, children), ALLOT_ROOT);
    return seen;
}

/* What tree.h promises of rows and families. */
static void check_rows(const allot_plan *plan)
{
    const allot__tree *tree = &plan->tree;
    int32_t widest = 0;
    CHECK_EQ(tree->first[0], 0);
    CHECK_EQ(tree->first[tree->families], tree->rows);
    CHECK_EQ(tree->parent[0], -1);
    for (int32_t f = 0; f < tree->families; f++) {
        int32_t inner = 0, size = tree->first[f + 1] - tree->first[f];
        for (int32_t row = tree->first[f]; row < tree->first[f + 1]; row++) {
            int32_t handle = tree->handle_of[row], parent = allot_plan_parent(plan, handle);
            CHECK_EQ(tree->row_of[handle], row);
            CHECK_EQ(parent < 0 ? -1 : tree->row_of[parent], tree->parent[f]);
            CHECK(tree->parent[f] < row);
            if (row > tree->first[f])
                CHECK(tree->handle_of[row - 1] < handle);
            inner += tree->family_of[row] > 0;
        }
        CHECK_EQ(tree->inner[f], inner);
        if (f > 0)
            CHECK_EQ(tree->family_of[tree->parent[f]], f);
        widest = size > widest ? size : widest;
    }
    CHECK_EQ(tree->widest, widest);
}

static void check_levels(const allot_plan *plan)
{
    const allot__tree *tree = &plan->tree;
    CHECK_EQ(tree->level[0], 0);
    CHECK_EQ(tree->level[tree->levels], tree->rows);
    for (int32_t level = 0; level < tree->levels; level++)
        for (int32_t row = tree->level[level]; row < tree->level[level + 1]; row++)
            CHECK_EQ(allot_plan_depth(plan, tree->handle_of[row]), level);
}

static void random_trees_are_laid_out(void)
{
    for (seed = 1; seed < 60;) {
        uint32_t keep = seed;
        fixture it;
        fixture_begin(&it);
        grow(&it, 1 + (int32_t)random_below(120), keep % 3 * 40);
        CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
        int32_t last = ALLOT_ROOT;
        CHECK_EQ(walk(it.plan, ALLOT_ROOT, 0, &last), allot_plan_consumers(it.plan));
        CHECK_EQ(allot_plan_next(it.plan, last), ALLOT_ROOT);
        check_rows(it.plan);
        check_levels(it.plan);
        fixture_end(&it);
        seed = keep + 1;
    }
}

static void no_consumers_are_a_tree_too(void)
{
    fixture it;
    fixture_begin(&it);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(it.plan->tree.families, 1);
    CHECK_EQ(it.plan->tree.rows, 0);
    CHECK_EQ(it.plan->tree.levels, 0);
    CHECK_EQ(allot_plan_next(it.plan, ALLOT_ROOT), ALLOT_ROOT);
    CHECK_EQ(allot_plan_children(it.plan, ALLOT_ROOT), 0);
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), 0);
    fixture_end(&it);
}

static void a_deep_chain_is_no_problem(void)
{
    enum { DEEP = 100000 };
    fixture it;
    fixture_begin(&it);
    seed = 1;
    grow(&it, DEEP, 100);
    CHECK_EQ(fixture_set(it.plan, "/c0", ALLOT_RESERVE, 1), ALLOT_OK);
    CHECK_EQ(allot_plan_set(it.plan, ALLOT_ALL, DEEP - 1, ALLOT_OWNED, 5), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(it.plan->tree.levels, DEEP);
    CHECK_EQ(allot_plan_depth(it.plan, DEEP - 1), DEEP - 1);
    CHECK_EQ(allot_plan_get(it.plan, 0, 0, ALLOT_OWNED), 5);
    int32_t steps = 0;
    for (int32_t i = ALLOT_ROOT; (i = allot_plan_next(it.plan, i)) >= 0; steps++)
        CHECK_EQ(i, steps);
    CHECK_EQ(steps, DEEP);
    size_t len = allot_plan_path(it.plan, DEEP - 1, NULL, 0);
    char *path = malloc(len + 1);
    CHECK_EQ(allot_plan_path(it.plan, DEEP - 1, path, len + 1), len);
    CHECK_EQ(strlen(path), len);
    CHECK_EQ(allot_plan_find(it.plan, path, len), DEEP - 1);
    path[len - 1] = 'x'; /* c99999 */
    CHECK_EQ(allot_plan_find(it.plan, path, len), ALLOT_ROOT);
    CHECK_EQ(allot_plan_nearest(it.plan, path, len, path, len + 1), len);
    CHECK_EQ(path[len - 1], '9');
    free(path);
    fixture_end(&it);
}

static void a_deep_chain_full_of_faults_is_told_soon(void)
{
    fixture it;
    fixture_begin(&it);
    seed = 1;
    grow(&it, 30000, 100);
    for (int32_t i = 0; i < 30000; i++)
        CHECK_EQ(allot_plan_set(it.plan, ALLOT_ALL, i, ALLOT_OWNED, i), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 29999);
    CHECK_EQ(allot_report_count(it.report), 50);
    CHECK_STR(allot_report_at(it.report, 1)->path, "/c0/c1");
    fixture_end(&it);
}

int main(void)
{
    RUN(random_trees_are_laid_out);
    RUN(no_consumers_are_a_tree_too);
    RUN(a_deep_chain_is_no_problem);
    RUN(a_deep_chain_full_of_faults_is_told_soon);
    return check_done();
}
