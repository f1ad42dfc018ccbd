/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* profile_test.c: profiles of free slots, against an array with an entry a second. */
#include "engine/jobs/profile.h"
#include "test/support/fixture.h"

enum { SECONDS = 60 };

static uint64_t seed = 1;

static int32_t draw(int32_t from, int32_t to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int32_t)((seed >> 33) % (uint64_t)(to - from + 1));
}

typedef struct world {
    oom memory;
    allot_engine *engine;
    allot__arena arena;
    allot__profile profile;
    int64_t free[SECONDS + 1]; /* the last: for ever */
} world;

static void begin(world *at)
{
    memset(at, 0, sizeof *at);
    CHECK_EQ(allot_engine_new(oom_alloc, &at->memory, &at->engine), ALLOT_OK);
    allot__arena_init(&at->arena, at->engine);
    int64_t free = draw(0, 5);
    CHECK_EQ(allot__profile_put(&at->arena, &at->profile, 0, free), ALLOT_OK);
    for (int32_t s = 0, more; s <= SECONDS; s++) {
        more = s > 0 && draw(0, 6) == 0 ? draw(1, 4) : 0;
        free += more;
        if (more > 0)
            CHECK_EQ(allot__profile_put(&at->arena, &at->profile, s, free), ALLOT_OK);
        at->free[s] = free;
    }
}

static void end(world *at)
{
    allot__arena_free(&at->arena);
    allot_engine_free(at->engine);
}

static void take(world *at, int32_t from, int32_t until, int64_t slots)
{
    CHECK_EQ(allot__profile_take(&at->arena, &at->profile, from,
                                 until > SECONDS ? ALLOT__FOREVER : until, slots),
             ALLOT_OK);
    for (int32_t s = from; s <= SECONDS && s < until; s++)
        at->free[s] -= slots;
}

static void a_part_has_the_least_of_its_seconds(void)
{
    for (int32_t run = 0; run < 2000; run++) {
        world at;
        begin(&at);
        for (int32_t i = draw(0, 6); i > 0; i--) {
            int32_t from = draw(0, SECONDS - 1);
            take(&at, from, from + draw(1, 40), draw(1, 3));
        }
        int32_t from = draw(0, SECONDS - 1), until = from + draw(1, 30);
        int64_t least = INT64_MAX, enough = draw(0, 1) ? draw(-3, 12) : INT64_MIN;
        for (int32_t s = from; s < until; s++) {
            int64_t free = at.free[s < SECONDS ? s : SECONDS];
            least = free < least ? free : least;
        }
        allot__profile_part part = allot__profile_look(&at.profile, from, until, enough);
        if (least >= enough)
            CHECK_EQ(part.least, least);
        CHECK((part.least >= enough) == (least >= enough));
        /* Whatever begins before `next` and is as long has no more. */
        for (int32_t s = from; s < SECONDS && s < part.next; s++) {
            int64_t most = INT64_MAX;
            for (int32_t k = s; k < s + until - from; k++) {
                int64_t free = at.free[k < SECONDS ? k : SECONDS];
                most = free < most ? free : most;
            }
            CHECK(most <= least || most < enough);
        }
        end(&at);
    }
}

static void memory_may_run_out(void)
{
    world at;
    begin(&at);
    for (int32_t i = 0; i < 5000 && !at.memory.failed; i++) {
        at.memory.fail_at = at.memory.calls + 1;
        int status = allot__profile_take(&at.arena, &at.profile, i, i + 1, 1);
        CHECK(status == ALLOT_OK || status == ALLOT_ENOMEM);
    }
    at.memory.fail_at = 0;
    end(&at);
}

int main(void)
{
    RUN(a_part_has_the_least_of_its_seconds);
    RUN(memory_may_run_out);
    return check_done();
}
