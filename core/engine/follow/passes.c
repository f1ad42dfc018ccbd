/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * passes.c: C-5 in families with changes (placement/distribute.c does all): the first pass, parents
 * first; then a sweep up over the slots still lacking; then the second pass.
 */
#include <string.h>

#include "base/least.h"
#include "engine/follow/follow.h"

static void set_spare(allot__follow *follow, int32_t family, int64_t slots)
{
    follow->work->spare[family] = (int32_t)slots;
    allot__bits_add(&follow->weighed, family);
}

static void first_row(allot__follow *follow, int32_t row, int32_t part)
{
    int32_t below = allot__family_of(follow->work, row);
    int32_t more = part - follow->first[row];
    if (more == 0)
        return;
    allot__follow_receive(follow, row, (int64_t)follow->work->received[row] + more);
    follow->first[row] = part;
    if (below != 0) {
        allot__bits_add(&follow->pass, below);
        allot__bits_add(&follow->may, below);
    }
}

/* The next row from `row` on that lacks or has slots, or one before it: most neither lack nor have
 * any, four at a time. */
static int32_t next_row(const allot__follow *follow, int32_t row, int32_t end)
{
    static const int32_t none[4];
    const int32_t some = sizeof none / sizeof *none;
    while (end - row >= some && memcmp(follow->net + row, none, sizeof none) == 0 &&
           memcmp(follow->first + row, none, sizeof none) == 0)
        row += some;
    return row;
}

/* Members take up to their quotas in order; the rest is the last member's, and is returned. */
static int64_t first_family(allot__follow *follow, int32_t family, int64_t left)
{
    const allot__work *work = follow->work;
    allot__follow_family *it = &follow->families[family];
    int32_t first = allot__family_first(work, family),
            end = first + allot__family_size(work, family);
    it->leaves_lack = it->broad ? it->nets : 0;
    if (it->broad) {
        int64_t part = allot__least(it->nets, left);
        left -= part;
        it->leaves_lack -= part;
        it->broad->passed = true;
    }
    for (int32_t row = first; row < end && !it->broad; row++) {
        row = next_row(follow, row, end);
        if (row == end)
            break;
        int32_t part = (int32_t)allot__least(follow->net[row], left);
        left -= part;
        first_row(follow, row, part);
        it->leaves_lack += allot__family_of(work, row) == 0 ? follow->net[row] - part : 0;
    }
    if (family > 0) {
        set_spare(follow, family, work->spare[family] - it->spare_first + left);
        it->spare_first = left;
    }
    allot__bits_add(&follow->may, family);
    return left;
}

static int first_pass(allot__follow *follow)
{
    allot__work *work = follow->work;
    int64_t idle = allot__most(0, work->slots - work->sums[0].allocated);
    if (idle != work->idle)
        allot__bits_add(&follow->pass, 0);
    work->idle = idle;
    for (int32_t family; (family = allot__bits_next(&follow->pass, 0)) < follow->pass.bound;) {
        allot__bits_remove(&follow->pass, family);
        int64_t slots =
            family == 0 ? idle - follow->back_sum : follow->first[work->group->parent[family]];
        int64_t left = first_family(follow, family, slots);
        if (family == 0)
            follow->left = left;
        else if (left > follow->families[family].spare_quota)
            return ALLOT_EUSAGE;
    }
    return ALLOT_OK;
}

/* What may be taken in the second pass: by a family, and by its parent within its limit. */
static void count_lacks(allot__follow *follow)
{
    const allot__work *work = follow->work;
    int32_t end = work->tree->families;
    for (int32_t family; (family = allot__bits_last(&follow->may, end)) >= 0;) {
        allot__follow_family *it = &follow->families[family];
        int64_t may = it->leaves_lack + it->parents_may;
        allot__bits_remove(&follow->may, family);
        if (it->second > 0)
            allot__bits_add(&follow->second, family);
        if (family > 0) {
            int32_t parent = work->group->parent[family];
            int64_t limit = work->limit[parent] == ALLOT_NONE ? INT64_MAX : work->limit[parent];
            int64_t holds =
                work->sums[family].allocated + follow->first[parent] + follow->back[parent];
            may += it->spare_quota - it->spare_first;
            may = allot__least(may, allot__most(0, limit - holds));
        }
        if (may != it->may && family > 0) {
            follow->families[it->above].parents_may += may - it->may;
            allot__bits_add(&follow->may, it->above);
        }
        it->may = may;
    }
}

static void second_family(allot__follow *follow, int32_t family)
{
    const allot__work *work = follow->work;
    int32_t first = allot__family_first(work, family),
            end = first + allot__family_size(work, family);
    allot__follow_family *it = &follow->families[family];
    int64_t left = it->second;
    if (it->broad) {
        left -= allot__least(it->leaves_lack, left);
        it->broad->passed = true;
    }
    for (int32_t row = first; row < end && !it->broad; row++) {
        int32_t below = allot__family_of(work, row);
        int64_t lacks =
            below == 0 ? follow->net[row] - follow->first[row] : follow->families[below].may;
        int64_t part = allot__least(lacks, left);
        left -= part;
        allot__follow_receive(follow, row, (int64_t)follow->back[row] + follow->first[row] + part);
        if (below != 0 && part != follow->families[below].second) {
            follow->families[below].second = part;
            allot__bits_add(&follow->second, below);
        }
    }
    if (family > 0)
        set_spare(follow, family, it->spare_first + left);
}

/* What members of broad families have of both passes, in one order. */
static void receive_broad(allot__follow *follow)
{
    for (int32_t i = 0; i < follow->broad_count; i++) {
        allot__broad *broad = &follow->broad[i];
        const allot__follow_family *it = &follow->families[broad->family];
        if (it->broad && broad->passed) {
            broad->total = it->nets - it->leaves_lack + allot__least(it->leaves_lack, it->second);
            allot__broad_receive(follow, broad);
        }
    }
}

int allot__follow_distribute(allot__follow *follow)
{
    allot__work *work = follow->work;
    allot__follow_family *root = &follow->families[0];
    int status = first_pass(follow);
    if (status != ALLOT_OK)
        return status;
    count_lacks(follow);
    int64_t placed = allot__least(root->may, follow->left);
    if (placed != root->second)
        allot__bits_add(&follow->second, 0);
    root->second = placed;
    for (int32_t family; (family = allot__bits_next(&follow->second, 0)) < follow->second.bound;) {
        allot__bits_remove(&follow->second, family);
        second_family(follow, family);
    }
    receive_broad(follow);
    work->idle_left = follow->left - placed;
    if (work->sums[0].received != work->idle - work->idle_left)
        allot__bits_add(&follow->weighed, 0);
    work->sums[0].received = work->idle - work->idle_left;
    return ALLOT_OK;
}
