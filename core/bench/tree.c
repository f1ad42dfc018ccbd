/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * tree.c: generated trees. A third of the leaves have a limit, a quarter a reserve, ranks are
 * 0 to 3, most leaves want more than they own, and allocations are off the mark in both directions,
 * so that every stage of a cycle has work.
 */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const bench_shape allot__bench_shapes[] = {
    {"flat", {10000, 0, 0}, 100},
    {"10x10x100", {10, 10, 100}, 90},
    {"10x100x100", {10, 100, 100}, 115},
    {"100x100x100", {100, 100, 100}, 100},
    {"100x100x100/97%", {100, 100, 100}, 97},
    {NULL, {0, 0, 0}, 0},
};

void *allot__bench_count(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    bench_memory *memory = ud;
    if (new_size == 0) {
        free(ptr);
        memory->live -= (int64_t)old_size;
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    if (block)
        memory->live += (int64_t)new_size - (int64_t)old_size;
    if (memory->live > memory->most)
        memory->most = memory->live;
    return block;
}

/* splitmix64: the same numbers on every machine. */
static uint64_t draw(uint64_t *seed, uint64_t below)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

typedef struct grower {
    allot_plan *plan;
    const bench_shape *shape;
    uint64_t seed;
} grower;

typedef struct sums {
    int64_t owned, reserve;
} sums;

static int set(grower *with, int32_t consumer, allot_column column, int64_t value)
{
    return allot_plan_set(with->plan, ALLOT_ALL, consumer, column, value);
}

static int set_leaf(grower *with, int32_t leaf, sums *family)
{
    int64_t owned = (int64_t)draw(&with->seed, 20);
    int64_t reserve = draw(&with->seed, 4) == 0 ? (int64_t)draw(&with->seed, 1 + owned / 2) : 0;
    int status = set(with, leaf, ALLOT_OWNED, owned);
    if (status == ALLOT_OK && reserve > 0)
        status = set(with, leaf, ALLOT_RESERVE, reserve);
    if (status == ALLOT_OK && draw(&with->seed, 3) == 0)
        status = set(with, leaf, ALLOT_LIMIT, owned + (int64_t)draw(&with->seed, 10));
    if (status == ALLOT_OK)
        status = set(with, leaf, ALLOT_RANK, (int64_t)draw(&with->seed, 4));
    if (status == ALLOT_OK)
        status = set(with, leaf, ALLOT_SHARE, 1 + (int64_t)draw(&with->seed, 8));
    family->owned += owned;
    family->reserve += reserve;
    return status;
}

static int set_inner(grower *with, int32_t consumer, const sums *own, sums *family)
{
    int64_t reserve = own->reserve;
    int status = set(with, consumer, ALLOT_RANK, (int64_t)draw(&with->seed, 4));
    if (status == ALLOT_OK && draw(&with->seed, 4) == 0) {
        reserve += (own->owned - own->reserve) / 10;
        status = set(with, consumer, ALLOT_RESERVE, reserve);
    }
    if (status == ALLOT_OK && draw(&with->seed, 3) == 0)
        status = set(with, consumer, ALLOT_LIMIT, own->owned + own->owned / 8);
    family->owned += own->owned;
    family->reserve += reserve;
    return status;
}

/* The children of `parent`; as deep as the shape. */
static int grow_family(grower *with, int32_t parent, int level, sums *family)
{
    bool leaves = level + 1 == BENCH_LEVELS || with->shape->fan[level + 1] == 0;
    for (int i = 0; i < with->shape->fan[level]; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "c%d", i);
        int32_t child;
        int status = allot_plan_add(with->plan, parent, name, (size_t)len, &child);
        if (status != ALLOT_OK)
            return status;
        sums below = {0, 0};
        if (leaves) {
            status = set_leaf(with, child, family);
        } else {
            status = grow_family(with, child, level + 1, &below);
            if (status == ALLOT_OK)
                status = set_inner(with, child, &below, family);
        }
        if (status != ALLOT_OK)
            return status;
    }
    return ALLOT_OK;
}

static int grow_plan(bench_tree *tree, const bench_shape *shape, allot_policy *policy,
                     allot_report *report)
{
    int status = allot_plan_new(tree->engine, &tree->plan);
    grower with = {tree->plan, shape, 1993};
    sums all = {0, 0};
    if (status == ALLOT_OK)
        status = allot_plan_policy(tree->plan, ALLOT_ALL, policy);
    if (status == ALLOT_OK)
        status = grow_family(&with, ALLOT_ROOT, 0, &all);
    if (status == ALLOT_OK)
        status = allot_plan_seal(tree->plan, report);
    if (status == ALLOT_OK)
        tree->consumers = allot_plan_consumers(tree->plan);
    return status;
}

static int set_usage(bench_tree *tree, int32_t leaf, int percent, uint64_t *seed)
{
    int64_t owned = allot_plan_get(tree->plan, 0, leaf, ALLOT_OWNED);
    int64_t demand = draw(seed, 5) == 0 ? (int64_t)draw(seed, 1 + (uint64_t)owned)
                                        : owned + 1 + (int64_t)draw(seed, 20);
    int64_t allocated = (int64_t)draw(seed, 1 + (uint64_t)(2 * owned)) * percent * 95 / (100 * 100);
    int status = allot_state_demand(tree->state, 0, leaf, demand);
    if (status != ALLOT_OK)
        return status;
    return allot_state_allocated(tree->state, 0, leaf, allocated);
}

static int grow_state(bench_tree *tree, const bench_shape *shape, allot_report *report)
{
    uint64_t seed = 1860;
    int64_t planned = allot_plan_group_slots(tree->plan, 0);
    int status = allot_state_new(tree->plan, &tree->state);
    if (status == ALLOT_OK)
        status = allot_state_now(tree->state, 0);
    if (status == ALLOT_OK)
        status = allot_state_slots(tree->state, 0, planned * shape->percent / 100);
    for (int32_t i = 0; i < tree->consumers && status == ALLOT_OK; i++)
        if (allot_plan_children(tree->plan, i) == 0)
            status = set_usage(tree, i, shape->percent, &seed);
    if (status == ALLOT_OK) /* what is measured is a full pass */
        status = allot_state_full(tree->state, 1);
    return status == ALLOT_OK ? allot_state_seal(tree->state, report) : status;
}

int allot__bench_grow(bench_tree *tree, const bench_shape *shape, const char *policy,
                      size_t policy_len, const char *policy_name, allot_report *report)
{
    *tree = (bench_tree){0};
    allot_policy *rules = NULL;
    int status = allot_engine_new(allot__bench_count, &tree->memory, &tree->engine);
    if (status == ALLOT_OK)
        status = allot_script_load(tree->engine, policy, policy_len, policy_name, NULL, 0, NULL,
                                   report, &rules);
    int64_t before = tree->memory.live;
    if (status == ALLOT_OK)
        status = grow_plan(tree, shape, rules, report);
    allot_policy_free(rules);
    if (status == ALLOT_OK)
        status = grow_state(tree, shape, report);
    tree->bytes = tree->memory.live - before;
    return status;
}

void allot__bench_fell(bench_tree *tree)
{
    allot_state_free(tree->state);
    allot_plan_free(tree->plan);
    allot_engine_free(tree->engine);
    *tree = (bench_tree){0};
}
