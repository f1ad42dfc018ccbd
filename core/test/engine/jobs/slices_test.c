/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* slices_test.c: slices of a pool, by the published figures and by what must always hold. */
#include "engine/jobs/slices.h"

#include "test/support/check.h"

enum { MOST = 12, MANY = 1000000 };

typedef struct pool {
    allot__slice_row rows[MOST];
    int32_t count;
} pool;

static pool pool_of(int32_t count, const int32_t *shares, const int64_t *wants)
{
    pool out = {.count = count};
    for (int32_t i = 0; i < count; i++)
        out.rows[i] = (allot__slice_row){.queue = i, .share = shares[i], .wants = wants[i]};
    return out;
}

static void check_slices(pool *p, int64_t base, bool again, const int64_t *wanted)
{
    allot__slices_cut(p->rows, p->count, base, again, NULL);
    for (int32_t i = 0; i < p->count; i++)
        CHECK_EQ(p->rows[i].slice, wanted[i]);
}

#define SLICES(again, base, count, shares, wants, ...)                                             \
    do {                                                                                           \
        pool p = pool_of(count, (int32_t[])shares, (int64_t[])wants);                              \
        check_slices(&p, base, again, (int64_t[]){__VA_ARGS__});                                   \
    } while (0)
#define OF(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void published_slices(void)
{
    SLICES(true, 12, 3, OF(50, 30, 20), OF(MANY, MANY, MANY), 6, 4, 2);  /* QV-1 */
    SLICES(true, 15, 3, OF(50, 30, 20), OF(MANY, MANY, MANY), 8, 5, 2);  /* QV-2 */
    SLICES(true, 15, 3, OF(50, 30, 20), OF(MANY, 0, MANY), 11, 0, 4);    /* QV-3 */
    SLICES(true, 15, 3, OF(50, 30, 20), OF(0, 0, MANY), 0, 0, 15);       /* QV-4 */
    SLICES(true, 15, 3, OF(30, 30, 30), OF(MANY, MANY, MANY), 5, 5, 5);  /* QV-5 */
    SLICES(true, 21, 3, OF(50, 30, 20), OF(MANY, MANY, MANY), 11, 7, 3); /* QV-6 */
    SLICES(true, 4, 2, OF(30, 30), OF(MANY, MANY), 2, 2);                /* QV-9 */
    SLICES(true, 100, 2, OF(50, 50), OF(40, MANY), 40, 60);              /* QV-13 */
    SLICES(true, 8, 3, OF(50, 30, 20), OF(MANY, MANY, MANY), 4, 3, 1);   /* QV-14 */
    SLICES(true, 12, 2, OF(10, 10), OF(MANY, MANY), 6, 6);               /* QV-14 */
}

/* QV-7: ten queues of 10 % on 21 slots, the first seven get 3 each. */
static void ten_equal_queues(void)
{
    SLICES(true, 21, 10, OF(10, 10, 10, 10, 10, 10, 10, 10, 10, 10),
           OF(MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY, MANY), 3, 3, 3, 3, 3, 3, 3, 0,
           0, 0);
}

/* QV-10: lines of the log; what is less there is what a queue wanted. */
static void lines_of_the_log(void)
{
    SLICES(true, 15, 3, OF(50, 30, 20), OF(8, 5, 2), 8, 5, 2);
    SLICES(true, 15, 3, OF(30, 30, 30), OF(MANY, 2, 0), 13, 2, 0);
    SLICES(true, 15, 3, OF(30, 30, 30), OF(5, 5, 1), 5, 5, 1);
    SLICES(true, 15, 3, OF(50, 30, 20), OF(8, 5, 0), 8, 5, 0);
}

/* QV-12: others take k of the 12 slots. */
static void others_shrink_the_pool(void)
{
    for (int64_t k = 0; k <= 12; k++) {
        pool p = pool_of(3, (int32_t[]){50, 30, 20}, (int64_t[]){MANY, MANY, MANY});
        allot__slices_cut(p.rows, p.count, 12 - k, true, NULL);
        int64_t first = (12 - k + 1) / 2;
        CHECK_EQ(p.rows[0].slice, first);
        CHECK_EQ(p.rows[0].slice + p.rows[1].slice + p.rows[2].slice, 12 - k);
    }
}

/* one pass alone leaves the rest to jobs by priority. */
static void without_a_second_pass(void)
{
    SLICES(false, 15, 3, OF(50, 30, 20), OF(MANY, 0, MANY), 8, 0, 3);
}

/* who is above its slice keeps that; the others' slices do not shrink by it. */
static void what_is_used_stays(void)
{
    pool p = pool_of(3, (int32_t[]){50, 30, 20}, (int64_t[]){MANY, MANY, MANY});
    p.rows[1].used = 9;
    check_slices(&p, 12, true, (int64_t[]){6, 9, 2});
    CHECK_EQ(p.rows[1].first, 9);
    CHECK_EQ(p.rows[2].first, 2);
}

static uint64_t seed = 11;

static int64_t amount(int64_t most)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (int64_t)((seed >> 11) % (uint64_t)(most + 1));
}

/* Slot by slot, as the rule says it: who is next is asked for each one. */
static void plainly(allot__slice_row *rows, int32_t count, int64_t base)
{
    bool more = true;
    while (base > 0 && more) {
        int64_t left = base;
        more = false;
        for (int32_t i = 0; i < count; i++) {
            int64_t part = 0; /* below ceil(base * share / 100) */
            while (part * 100 < base * rows[i].share && left > 0 && rows[i].slice < rows[i].wants) {
                rows[i].slice++;
                part++;
                left--;
                more = true;
            }
        }
        base = left;
    }
}

static void random_pools_go_by_the_rule(void)
{
    for (int32_t round = 0; round < 20000; round++) {
        pool a = {.count = 1 + (int32_t)amount(MOST - 1)};
        int64_t base = amount(round % 3 ? 30 : 400), given = 0, wanted = 0;
        for (int32_t i = 0; i < a.count; i++)
            a.rows[i] = (allot__slice_row){.share = 1 + (int32_t)amount(99), .wants = amount(60)};
        pool b = a;
        plainly(b.rows, b.count, base);
        allot__slices_cut(a.rows, a.count, base, true, NULL);
        bool good = true;
        for (int32_t i = 0; i < a.count; i++) {
            good = good && a.rows[i].slice == b.rows[i].slice && a.rows[i].first <= a.rows[i].slice;
            given += a.rows[i].slice;
            wanted += a.rows[i].wants;
        }
        if (!CHECK(good && given == (wanted < base ? wanted : base)))
            return;
    }
}

int main(void)
{
    RUN(published_slices);
    RUN(ten_equal_queues);
    RUN(lines_of_the_log);
    RUN(others_shrink_the_pool);
    RUN(without_a_second_pass);
    RUN(what_is_used_stays);
    RUN(random_pools_go_by_the_rule);
    return check_done();
}
