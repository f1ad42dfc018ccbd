/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* layout_test.c: the order of siblings and the columns by a group's rows. */
#include <stdlib.h>

#include "model/plan/plan.h"
#include "test/support/fixture.h"

static uint32_t seed = 7;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

static int32_t rank_at(const allot__group *group, int32_t row)
{
    return group->columns[ALLOT_RANK][row];
}

static int32_t tree_row(const allot__group *group, int32_t row)
{
    return group->tree_row ? group->tree_row[row] : row;
}

/* Siblings by (rank, plan order), and everything by group row agrees with the tree's. */
static void check_group(const allot_plan *plan, const allot__group *group)
{
    const allot__tree *tree = &plan->tree;
    CHECK_EQ(group->parent[0], -1);
    for (int32_t f = 0; f < tree->families; f++) {
        if (f > 0)
            CHECK_EQ(tree_row(group, group->parent[f]), tree->parent[f]);
        if (f > 0)
            CHECK_EQ(group->family_of[group->parent[f]], f);
        for (int32_t row = tree->first[f]; row < tree->first[f + 1]; row++) {
            int32_t at = tree_row(group, row);
            CHECK(at >= tree->first[f] && at < tree->first[f + 1]);
            CHECK_EQ(group->family_of[row], tree->family_of[at]);
            CHECK_EQ(group->group_row ? group->group_row[at] : at, row);
            if (row == tree->first[f])
                continue;
            int32_t before = tree_row(group, row - 1);
            CHECK(rank_at(group, row - 1) < rank_at(group, row) ||
                  (rank_at(group, row - 1) == rank_at(group, row) && before < at));
        }
    }
}

/* Three groups: plain, ranked, and ranked with every column its own; values told by handle. */
static void random_ranks_order_siblings(void)
{
    for (int round = 0; round < 30; round++) {
        fixture it;
        fixture_begin(&it);
        int32_t group, handle, count = 1 + (int32_t)random_below(300);
        allot_plan_group(it.plan, "plain", &group);
        allot_plan_group(it.plan, "ranked", &group);
        for (int32_t i = 0; i < count; i++) {
            char name[16];
            int len = snprintf(name, sizeof name, "c%d", (int)i);
            int32_t parent = (int32_t)random_below((uint32_t)(i < 20 ? i + 1 : 20)) - 1;
            allot_plan_add(it.plan, parent, name, (size_t)len, &handle);
        }
        for (int32_t i = 0; i < count; i++) {
            allot_plan_set(it.plan, 1, i, ALLOT_RANK, random_below(1 + round % 7 * 40));
            allot_plan_set(it.plan, ALLOT_ALL, i, ALLOT_GRACE, i);
        }
        CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
        CHECK(!it.plan->groups[0].tree_row && !it.plan->groups[0].group_row);
        check_group(it.plan, &it.plan->groups[0]);
        check_group(it.plan, &it.plan->groups[1]);
        for (int32_t i = 0; i < count; i++) {
            CHECK_EQ(allot_plan_get(it.plan, 0, i, ALLOT_GRACE), i);
            CHECK_EQ(allot_plan_get(it.plan, 1, i, ALLOT_GRACE), i);
        }
        fixture_end(&it);
    }
}

static void ranks_in_order_need_no_row_order(void)
{
    fixture it;
    fixture_begin(&it);
    fixture_add(it.plan, "/a");
    fixture_add(it.plan, "/b");
    fixture_add(it.plan, "/a/x");
    fixture_set(it.plan, "/a", ALLOT_RANK, 5);
    fixture_set(it.plan, "/b", ALLOT_RANK, 5);
    fixture_set(it.plan, "/a/x", ALLOT_RANK, 1); /* another family */
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    const allot__group *group = &it.plan->groups[0];
    CHECK(!group->tree_row);
    CHECK(group->family_of == it.plan->tree.family_of && group->parent == it.plan->tree.parent);
    fixture_end(&it);
}

static void the_default_rank_takes_part(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t a = fixture_add(it.plan, "/a"), b = fixture_add(it.plan, "/b");
    fixture_set(it.plan, "/b", ALLOT_RANK, 3);
    allot_plan_option(it.plan, ALLOT_ALL, ALLOT_OPTION_DEFAULT_RANK, 4);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    const allot__group *group = &it.plan->groups[0];
    CHECK(group->tree_row && group->tree_row[0] == it.plan->tree.row_of[b]);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_RANK), 4);
    CHECK_EQ(allot_plan_child(it.plan, ALLOT_ROOT, 0), a); /* plan order is not rank order */
    fixture_end(&it);
}

static void what_is_not_stated_has_its_default(void)
{
    fixture it;
    fixture_begin(&it);
    int32_t a = fixture_add(it.plan, "/a");
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_LIMIT), 0); /* not sealed */
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_OWNED), 0);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_RESERVE), 0);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_LIMIT), ALLOT_NONE);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_RANK), 0);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_SHARE), 1);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_GRACE), 0);
    CHECK_EQ(allot_plan_get(it.plan, 0, a, ALLOT_DEMAND), 0);
    CHECK_EQ(allot_plan_get(it.plan, 1, a, ALLOT_SHARE), 0);
    CHECK_EQ(allot_plan_get(it.plan, 0, 1, ALLOT_SHARE), 0);
    fixture_end(&it);
}

static void owned_of_parents_is_derived_or_kept(void)
{
    fixture it;
    fixture_begin(&it);
    const char *const paths[] = {"/a", "/b", "/a/x", "/a/y", "/a/y/p", "/a/y/q", "/b/z"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        CHECK(fixture_add(it.plan, paths[i]) >= 0);
    fixture_set(it.plan, "/a/x", ALLOT_OWNED, 3);
    fixture_set(it.plan, "/a/y/p", ALLOT_OWNED, 4);
    fixture_set(it.plan, "/a/y/q", ALLOT_OWNED, 5);
    fixture_set(it.plan, "/a/y", ALLOT_RANK, 0);
    fixture_set(it.plan, "/a/x", ALLOT_RANK, 1); /* so rows are not the tree's */
    fixture_set(it.plan, "/b", ALLOT_OWNED, 20);
    fixture_set(it.plan, "/b/z", ALLOT_OWNED, 6);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    const int32_t wanted[] = {12, 20, 3, 9, 4, 5, 6};
    for (int32_t i = 0; i < 7; i++)
        CHECK_EQ(allot_plan_get(it.plan, 0, i, ALLOT_OWNED), wanted[i]);
    CHECK_EQ(allot_plan_group_slots(it.plan, 0), 32);
    fixture_end(&it);
}

int main(void)
{
    RUN(random_ranks_order_siblings);
    RUN(ranks_in_order_need_no_row_order);
    RUN(the_default_rank_takes_part);
    RUN(what_is_not_stated_has_its_default);
    RUN(owned_of_parents_is_derived_or_kept);
    return check_done();
}
