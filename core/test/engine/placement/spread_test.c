/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* spread_test.c: stacked and balanced, against taking slots one at a time. */
#include "engine/placement/place.h"

#include "test/support/check.h"

enum { MOST = 12 };

typedef struct scene {
    int32_t free[MOST], plain[MOST], hosts[MOST];
    int32_t count;
} scene;

static uint32_t seed = 20240501;

static int32_t below(uint32_t bound)
{
    seed = seed * 1664525 + 1013904223;
    return (int32_t)((seed >> 8) % bound);
}

static void piece(void *ud, int32_t host, int32_t slots)
{
    scene *it = ud;
    CHECK(slots > 0 && slots <= it->free[host]);
    it->free[host] -= slots;
}

/* One slot from the host with most free, the first of several. */
static int64_t one_by_one(scene *it, int64_t want)
{
    for (; want > 0; want--) {
        int32_t best = 0;
        for (int32_t i = 1; i < it->count; i++)
            best = it->plain[i] > it->plain[best] ? i : best;
        if (it->plain[best] == 0)
            break;
        it->plain[best]--;
    }
    return want;
}

static int64_t first_fit(scene *it, int64_t want)
{
    for (int32_t i = 0; i < it->count; i++) {
        int32_t part = it->plain[i] < want ? it->plain[i] : (int32_t)want;
        it->plain[i] -= part;
        want -= part;
    }
    return want;
}

static allot__choice make(scene *it)
{
    allot__choice choice = {.hosts = it->hosts, .free = it->free};
    it->count = 1 + below(MOST);
    for (int32_t i = 0; i < it->count; i++) {
        it->free[i] = it->plain[i] = 1 + below(9);
        it->hosts[choice.count++] = i;
        choice.total += it->free[i];
    }
    return choice;
}

typedef int64_t spread(allot__choice *choice, int64_t want, allot__piece *piece, void *ud);

/* The same choice serves several wants, as it does several rows. */
static void agree(spread *fast, int64_t (*plain)(scene *, int64_t))
{
    for (int32_t turn = 0; turn < 3000; turn++) {
        scene it;
        allot__choice choice = make(&it);
        for (int32_t i = 0; i < 5; i++) {
            int64_t want = below(i % 2 == 0 ? 4 : 30);
            if (!CHECK_EQ(fast(&choice, want, piece, &it), plain(&it, want)) ||
                !CHECK(memcmp(it.free, it.plain, (size_t)it.count * sizeof *it.free) == 0))
                return;
        }
    }
}

static void stacked_is_first_fit(void)
{
    agree(allot__stack, first_fit);
}

static void balanced_is_one_at_a_time_from_the_emptiest(void)
{
    agree(allot__balance, one_by_one);
}

static void large_hosts_take_no_longer(void)
{
    scene it = {.count = 2, .free = {1000000000, 999999999}};
    int32_t hosts[] = {0, 1};
    allot__choice choice = {
        .hosts = hosts, .count = 2, .free = it.free, .total = INT64_C(1999999999)};
    CHECK_EQ(allot__balance(&choice, 1000000000, piece, &it), 0);
    CHECK_EQ(it.free[0], 499999999);
    CHECK_EQ(it.free[1], 500000000);
}

int main(void)
{
    RUN(stacked_is_first_fit);
    RUN(balanced_is_one_at_a_time_from_the_emptiest);
    RUN(large_hosts_take_no_longer);
    return check_done();
}
