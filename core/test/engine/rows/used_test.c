/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* used_test.c: the column of use, which goes by doubles where they are certain, against exact use.
 */
#include "engine/rows/used.h"

#include "engine/decision/decision.h"
#include "test/support/fixture.h"

enum { LEAVES = 700, CASES = 200, STEPS = 30 };

static uint64_t seed = 11;

static int64_t draw(int64_t from, int64_t to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)((seed >> 20) % (uint64_t)(to - from + 1));
}

/* Of all sizes alike. */
static int64_t amount(int bits)
{
    return draw(0, ((int64_t)1 << draw(0, bits)) - 1);
}

/* A first level of leaves, of which every 90th has three children. */
static int32_t make_plan(fixture *it)
{
    static const int32_t periods[] = {0, 1, 7, 3600, 86400, 604800, 1000000000};
    const allot_decay decay = {.period = periods[draw(0, 6)], .parts = draw(0, 1) ? 2 : 10};
    fixture_begin(it);
    CHECK_EQ(allot_plan_decay(it->plan, &decay), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(it->plan, 0, 1000), ALLOT_OK);
    for (int32_t i = 0; i < LEAVES; i++) {
        char path[32];
        snprintf(path, sizeof path, "/n%d", (int)i);
        int32_t leaf = fixture_add(it->plan, path);
        CHECK_EQ(allot_plan_set(it->plan, ALLOT_ALL, leaf, ALLOT_RANK, draw(0, 5)), ALLOT_OK);
        for (int32_t k = 0; k < 3 && i % 90 == 0; k++) {
            snprintf(path, sizeof path, "/n%d/%c", (int)i, (char)('a' + k));
            CHECK(fixture_add(it->plan, path) >= 0);
        }
    }
    CHECK_EQ(allot_plan_seal(it->plan, NULL), ALLOT_OK);
    return decay.period;
}

static void state_use(allot_state *state, int32_t leaf, int64_t now)
{
    allot_stated_leaf row;
    CHECK_EQ(allot_state_row_get(state, 0, leaf, &row), ALLOT_OK);
    row.usage = amount(draw(0, 2) ? 24 : 62);
    row.usage_rest = draw(0, 1) ? draw(0, 999999) : 0;
    row.usage_at = draw(0, 9) ? now - amount(30) + (draw(0, 20) ? 0 : 9) : now;
    row.allocated = -1;
    CHECK_EQ(allot_state_row_set(state, 0, leaf, &row), ALLOT_OK);
}

/* Changes some leaves, and the time. `calm`: more than 0, time goes on by a few such spans alone.
 */
static void change(allot_state *state, int64_t *now, bool first, int32_t calm)
{
    const allot_plan *plan = allot_state_plan(state);
    int64_t many = first ? LEAVES : amount(5), ahead = draw(0, 3) ? 0 : amount(20);
    *now += calm > 0 ? draw(0, (int64_t)calm * 6) : first || draw(0, 9) ? amount(24) : -amount(12);
    CHECK_EQ(allot_state_now(state, *now + (first ? 0 : ahead)), ALLOT_OK);
    for (int64_t i = 0; i < many; i++) {
        int32_t leaf = (int32_t)(first ? i : draw(0, LEAVES - 1));
        if (!allot__plan_leaf(plan, leaf))
            continue;
        CHECK_EQ(allot_state_allocated(state, 0, leaf, draw(0, 3) ? amount(8) : 0), ALLOT_OK);
        if (first ? draw(0, 3) > 0 : calm == 0 && draw(0, 9) == 0)
            state_use(state, leaf, *now);
    }
    CHECK_EQ(allot_state_now(state, *now), ALLOT_OK);
}

/* Each leaf's use is exact, and each parent's the sum of its children's. */
static bool is_exact(const allot_decision *decision)
{
    const allot__work *work = &decision->groups[0].work;
    bool good = work->used != NULL;
    for (int32_t row = 0; row < work->tree->rows && good; row++) {
        int32_t family = allot__family_of(work, row);
        int64_t usage = 0;
        for (int32_t i = work->tree->first[family]; family > 0 && i < work->tree->first[family + 1];
             i++)
            usage += work->used->usage[i];
        if (family == 0)
            usage = allot__usage_now(work->state, 0, allot__handle(work, row)).slot_seconds;
        good = work->used->usage[row] == (usage < ALLOT__USAGE_MOST ? usage : ALLOT__USAGE_MOST);
        if (!good)
            printf("# row %d: %lld, not %lld\n", (int)row, (long long)work->used->usage[row],
                   (long long)usage);
    }
    return good;
}

static void use_is_exact(void)
{
    for (int32_t i = 0; i < CASES && check__.failed_checks == 0; i++) {
        fixture it;
        allot_state *state = NULL;
        int32_t period = make_plan(&it), calm = i % 2 ? period : 0;
        CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK);
        int64_t now = 1700000000;
        for (int32_t k = 0; k < STEPS && check__.failed_checks == 0; k++) {
            allot_decision *decision = NULL;
            change(state, &now, k == 0, calm);
            CHECK_EQ(allot_state_seal(state, NULL), ALLOT_OK);
            CHECK_EQ(allot_cycle(it.plan, state, NULL, &decision), ALLOT_OK);
            CHECK_EQ(allot__decision_figures(decision), ALLOT_OK);
            CHECK(is_exact(decision));
            allot_decision_free(decision);
            CHECK_EQ(allot_state_open(state), ALLOT_OK);
        }
        allot_state_free(state);
        fixture_end(&it);
    }
}

int main(void)
{
    RUN(use_is_exact);
    return check_done();
}
