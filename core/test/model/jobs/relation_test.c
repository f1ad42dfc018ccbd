/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* relation_test.c: who may preempt whom (P-1 ... P-7, A-1). */
#include "test/support/queue_fixture.h"

static const char *const any[] = {"", NULL};
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void seal(fixture *it)
{
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
}

/* Whom a queue may preempt, as a text of their names. */
static const char *victims_of(const fixture *it, const char *name)
{
    static char text[200];
    text[0] = '\0';
    for (int32_t i = 0; i < allot_plan_queues(it->plan); i++) {
        allot_queue low;
        allot_plan_queue_at(it->plan, i, &low);
        if (allot_plan_may_preempt(it->plan, allot_plan_queue_find(it->plan, name), i))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", low.name);
    }
    return text;
}

/* PV-1: four queues; medium prefers low. */
static void lists_restrict(void)
{
    fixture it;
    queues_begin(&it);
    queue_preempting(&it, "high", 99, any, NULL);
    allot_queue medium = queue_named("medium", 10);
    allot_prefers low[] = {{"normal", 0}, {"low", 1}};
    medium.low = low;
    medium.low_count = 2;
    CHECK_EQ(queue_add(&it, &medium), ALLOT_OK);
    queue_preempting(&it, "normal", 5, LIST("low"), LIST("high", "medium"));
    queue_preempting(&it, "low", 1, NULL, NULL);
    seal(&it);
    CHECK_STR(victims_of(&it, "high"), "medium normal low ");
    CHECK_STR(victims_of(&it, "medium"), "normal low ");
    CHECK_STR(victims_of(&it, "normal"), "low ");
    CHECK_STR(victims_of(&it, "low"), "");
    int32_t of = allot_plan_queue_find(it.plan, "medium");
    CHECK_EQ(allot_plan_preference(it.plan, of, allot_plan_queue_find(it.plan, "low")), 1);
    CHECK_EQ(allot_plan_preference(it.plan, of, allot_plan_queue_find(it.plan, "normal")), 0);
    CHECK_EQ(allot_report_count(it.report), 0);
    fixture_end(&it);
}

/* PV-2: each side alone is enough, neither is not (P-3, P-5). */
static void either_side_says_it(void)
{
    fixture it;
    queues_begin(&it);
    queue_preempting(&it, "A", 99, NULL, NULL);
    queue_preempting(&it, "B", 10, any, any);
    queue_preempting(&it, "C", 1, NULL, NULL);
    seal(&it);
    CHECK_STR(victims_of(&it, "A"), "B ");
    CHECK_STR(victims_of(&it, "B"), "C ");
    CHECK_STR(victims_of(&it, "C"), "");
    fixture_end(&it);
}

/* PV-3: levels are those that the preemptor's list gives. */
static void levels_are_the_lists(void)
{
    fixture it;
    queues_begin(&it);
    allot_queue top = queue_named("top", 20);
    allot_prefers low[] = {{"q1", 0}, {"q2", 1}, {"q3", 2}, {"q4", 2}, {"q5", 0}};
    const int32_t priorities[] = {4, 9, 8, 3, 2};
    top.low = low;
    top.low_count = 5;
    CHECK_EQ(queue_add(&it, &top), ALLOT_OK);
    for (int32_t i = 0; i < 5; i++)
        queue_preempting(&it, low[i].queue, priorities[i], NULL, NULL);
    seal(&it);
    for (int32_t i = 0; i < 5; i++) {
        CHECK_EQ(allot_plan_preference(it.plan, 0, i + 1), low[i].level);
        CHECK_EQ(allot_plan_may_preempt(it.plan, 0, i + 1), 1);
    }
    fixture_end(&it);
}

/* PV-4, A-1: the list of who may preempt it is the only say. */
static void an_allow_list_wins(void)
{
    fixture it;
    queues_begin(&it);
    queue_preempting(&it, "L", 1, NULL, LIST("X"));
    queue_preempting(&it, "X", 5, NULL, NULL);
    queue_preempting(&it, "Y", 9, any, NULL);
    seal(&it);
    CHECK_STR(victims_of(&it, "X"), "L ");
    CHECK_STR(victims_of(&it, "Y"), "X ");
    fixture_end(&it);
}

/* a list restricts only its own queue's initiative. */
static void an_open_queue_stays_open(void)
{
    fixture it;
    queues_begin(&it);
    queue_preempting(&it, "high", 9, LIST("b"), NULL);
    queue_preempting(&it, "a", 1, NULL, any);
    queue_preempting(&it, "b", 1, NULL, NULL);
    queue_preempting(&it, "c", 1, NULL, NULL);
    seal(&it);
    CHECK_STR(victims_of(&it, "high"), "a b ");
    fixture_end(&it);
}

/* P-6: equal priority never preempts; nor does lower, whatever lists say. */
static void priority_is_strict(void)
{
    fixture it;
    queues_begin(&it);
    queue_preempting(&it, "a", 5, LIST("b", "c"), NULL);
    queue_preempting(&it, "b", 5, any, LIST("a"));
    queue_preempting(&it, "c", 6, NULL, LIST("a"));
    seal(&it);
    CHECK_STR(victims_of(&it, "a"), "");
    CHECK_STR(victims_of(&it, "b"), "");
    CHECK_STR(victims_of(&it, "c"), "");
    CHECK(finds(it.report, "W-preemption", "queues[0].preemptive[0]"));
    CHECK(finds(it.report, "W-preemption", "queues[0].preemptive[1]"));
    CHECK(finds(it.report, "W-preemption", "queues[2].preemptable[0]"));
    CHECK(finds(it.report, "W-preemption", "queues[1].preemptable[0]"));
    CHECK_EQ(allot_report_count(it.report), 4);
    fixture_end(&it);
}

/* More queues than a word of bits has. */
static void many_queues(void)
{
    enum { COUNT = 150 };
    fixture it;
    queues_begin(&it);
    for (int32_t i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%d", (int)i);
        queue_preempting(&it, name, i, i % 3 ? NULL : any, i % 5 ? NULL : any);
    }
    seal(&it);
    for (int32_t high = 0; high < COUNT; high++) {
        for (int32_t low = 0; low < COUNT; low++) {
            int wanted = high > low && (high % 3 == 0 || low % 5 == 0);
            if (allot_plan_may_preempt(it.plan, high, low) != wanted)
                CHECK_EQ(high * 1000 + low, -1);
        }
    }
    CHECK_EQ(allot_plan_may_preempt(it.plan, COUNT, 0), 0);
    CHECK_EQ(allot_plan_may_preempt(it.plan, 0, -1), 0);
    fixture_end(&it);
}

/* ---- Ranges ---------------------------------------------------------------------------------- */

enum { SOME = 9 };
static const char *const names[SOME] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};

static int32_t draw(uint64_t *seed, int32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((*seed >> 33) % (uint64_t)below);
}

static bool names_it(const allot_queue *list, bool of_low, const char *name)
{
    for (int32_t i = 0; i < (of_low ? list->low_count : list->high_count); i++)
        if (strcmp(of_low ? list->low[i].queue : list->high[i], name) == 0)
            return true;
    return false;
}

/* Every test, word by word, as the rules say. */
static bool all_hold(const int32_t *tests, int32_t n, const allot_queue *high,
                     const allot_queue *low)
{
    bool all = !high->slot_pool && !low->slot_pool;
    for (int32_t i = 0; i < n; i++) {
        bool open = low->preemptable && low->high_count == 0;
        bool said = high->preemptive && (high->low_count == 0 || names_it(high, true, low->name));
        bool says = open || (low->high_count > 0 ? names_it(low, false, high->name) : said);
        all = all && (tests[i] == ALLOT_REFUSED_PRIORITY     ? high->priority > low->priority
                      : tests[i] == ALLOT_REFUSED_SLOT_SHARE ? high->slot_share > low->slot_share
                      : tests[i] == ALLOT_REFUSED_QUEUES     ? says
                                                             : true);
    }
    return all;
}

static void add_random(fixture *it, uint64_t *seed, const char *name)
{
    allot_queue queue = queue_named(name, 1 + draw(seed, 5));
    allot_prefers low[3];
    const char *high[3];
    for (int32_t k = 0; k < 3; k++) {
        do
            low[k] = (allot_prefers){names[draw(seed, SOME)], draw(seed, 3)};
        while (strcmp(low[k].queue, name) == 0);
        do
            high[k] = names[draw(seed, SOME)];
        while (strcmp(high[k], name) == 0);
    }
    queue.preemptive = draw(seed, 2);
    queue.preemptable = draw(seed, 2);
    queue.low = low;
    queue.low_count = queue.preemptive ? draw(seed, 4) : 0;
    queue.high = high;
    queue.high_count = queue.preemptable && draw(seed, 2) ? draw(seed, 4) : 0;
    queue.slot_pool = draw(seed, 6) == 0 ? "pool" : NULL;
    queue.slot_share = queue.slot_pool ? 1 + draw(seed, 5) : 0;
    CHECK_EQ(queue_add(it, &queue), ALLOT_OK);
}

static bool has(const allot__ranges *ranges, int32_t queue, int32_t other)
{
    const int32_t *range, *range_end;
    bool found = false;
    allot__ranges_at(ranges, queue, &range, &range_end);
    for (; range < range_end; range += 2)
        for (int32_t place = range[0]; place < range[1]; place++)
            found = found || ranges->order[place] == other;
    return found;
}

static int wrong_pairs(const fixture *it, const int32_t *tests, int32_t n)
{
    const allot__relation *relation = it->plan->relation;
    int wrong = 0;
    for (int32_t i = 0; i < SOME * SOME; i++) {
        allot_queue high, low;
        int32_t a = i / SOME, b = i % SOME;
        allot_plan_queue_at(it->plan, a, &high);
        allot_plan_queue_at(it->plan, b, &low);
        bool wanted = a != b && all_hold(tests, n, &high, &low);
        wrong += wanted != (allot_plan_may_preempt(it->plan, a, b) == 1);
        wrong += wanted && !allot_plan_preempted(it->plan, b);
        wrong += wanted != has(&relation->low, a, b) || wanted != has(&relation->high, b, a);
    }
    return wrong;
}

/* Ranges say what the tests say of each pair; a circle is not sealed. */
static void ranges_are_the_pairs(void)
{
    static const int32_t tests[][2] = {{ALLOT_REFUSED_PRIORITY, ALLOT_REFUSED_QUEUES},
                                       {ALLOT_REFUSED_QUEUES, ALLOT_REFUSED_PRIORITY},
                                       {ALLOT_REFUSED_PRIORITY, ALLOT_REFUSED_PRIORITY},
                                       {ALLOT_REFUSED_QUEUES, ALLOT_REFUSED_QUEUES},
                                       {ALLOT_REFUSED_SLOT_SHARE, ALLOT_REFUSED_PRIORITY}};
    int sealed = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        const int32_t *of = tests[seed % 5];
        uint64_t state = seed * 1000003;
        fixture it;
        fixture_begin(&it);
        allot_policy *policy;
        CHECK_EQ(allot_policy_new(it.engine, "tests", &policy), ALLOT_OK);
        CHECK_EQ(allot_policy_tests(policy, of, 2), ALLOT_OK);
        for (int32_t i = 0; i < SOME; i++)
            add_random(&it, &state, names[i]);
        CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, policy), ALLOT_OK);
        int status = allot_plan_seal(it.plan, it.report);
        sealed += status == ALLOT_OK;
        if (status == ALLOT_OK && !CHECK_EQ(wrong_pairs(&it, of, 2), 0))
            printf("#   seed %d\n", (int)seed);
        allot_policy_free(policy);
        fixture_end(&it);
    }
    CHECK(sealed > 300);
}

/* ---- A policy's own relation ----------------------------------------------------------------- */

typedef struct asked {
    int (*may)(int32_t high, int32_t low);
    int status;
    long calls;
} asked;

static int compute(void *ud, int32_t function, const allot_batch *batch, int64_t *out,
                   allot_report *report)
{
    (void)ud, (void)function, (void)batch, (void)out, (void)report;
    return ALLOT_ESCRIPT;
}

static int relate(void *ud, int32_t function, const allot_plan *plan, int32_t high, int32_t low,
                  int32_t *out, allot_report *report)
{
    asked *it = ud;
    allot_queue queue;
    it->calls++;
    CHECK_EQ(function, 5);
    CHECK_EQ(allot_plan_queue_at(plan, high, &queue), ALLOT_OK);
    CHECK(high != low);
    *out = it->may(high, low);
    if (it->status)
        allot_report_say(report, ALLOT_ERROR, "E-script", "it failed");
    return it->status;
}

static void asking_begin(fixture *it, asked *asked)
{
    memset(it, 0, sizeof *it);
    CHECK_EQ(allot_engine_new(oom_alloc, &it->memory, &it->engine), ALLOT_OK);
    CHECK_EQ(allot_report_new(it->engine, &it->report), ALLOT_OK);
    CHECK_EQ(allot_policy_new(it->engine, "asks", &it->policy), ALLOT_OK);
    CHECK_EQ(allot_plan_new(it->engine, &it->plan), ALLOT_OK);
    allot_provider provider = {.ud = asked, .compute = compute, .relate = relate};
    CHECK_EQ(allot_policy_provider(it->policy, &provider), ALLOT_OK);
    CHECK_EQ(allot_policy_preempts(it->policy, 5), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it->plan, ALLOT_ALL, it->policy), ALLOT_OK);
    for (int32_t i = 0; i < 4; i++)
        queue_preempting(it, ((const char *const[]){"a", "b", "c", "d"})[i], 1, NULL, NULL);
}

static int down(int32_t high, int32_t low)
{
    return high == low + 1 ? 7 : 0;
}

static void a_policy_says_who(void)
{
    fixture it;
    asked asked = {.may = down};
    asking_begin(&it, &asked);
    seal(&it);
    CHECK_EQ(asked.calls, 4 * 3);
    CHECK_STR(victims_of(&it, "a"), "");
    CHECK_STR(victims_of(&it, "d"), "c ");
    CHECK_EQ(it.plan->queues->preempts, true);
    fixture_end(&it);
}

/* d -> c -> b -> d, and a is only preempted by it. */
static int round_about(int32_t high, int32_t low)
{
    return high == low + 1 || (high == 1 && low == 3);
}

static void a_circle_is_told(void)
{
    fixture it;
    asked asked = {.may = round_about};
    asking_begin(&it, &asked);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-cycle");
    CHECK(strstr(allot_report_at(it.report, 0)->message, "c -> b -> d -> c") ||
          strstr(allot_report_at(it.report, 0)->message, "b -> d -> c -> b") ||
          strstr(allot_report_at(it.report, 0)->message, "d -> c -> b -> d"));
    CHECK_EQ(allot_report_count(it.report), 1);
    asked.may = down;
    seal(&it);
    fixture_end(&it);
}

static void a_failing_policy_fails_sealing(void)
{
    fixture it;
    asked asked = {.may = down, .status = ALLOT_EBUDGET};
    asking_begin(&it, &asked);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EBUDGET);
    CHECK_EQ(asked.calls, 1);
    fixture_end(&it);
}

/* Under a policy that lets no job preempt, lists do not matter. */
static void nobody_preempts(void)
{
    fixture it;
    fixture_begin(&it);
    allot_policy *calm;
    CHECK_EQ(allot_policy_new(it.engine, "calm", &calm), ALLOT_OK);
    CHECK_EQ(allot_policy_preempts(calm, ALLOT_NOBODY), ALLOT_OK);
    CHECK_EQ(allot_plan_policy(it.plan, ALLOT_ALL, calm), ALLOT_OK);
    queue_preempting(&it, "high", 9, any, NULL);
    queue_preempting(&it, "low", 1, NULL, any);
    seal(&it);
    CHECK_STR(victims_of(&it, "high"), "");
    allot_policy_free(calm);
    fixture_end(&it);
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* From 08:00 on another policy holds, under which b preempts a. */
static void windows_may_change_it(void)
{
    fixture it;
    asked asked = {.may = down};
    asking_begin(&it, &asked);
    allot_policy *other;
    allot_window window = {.from = 8 * 3600, .to = 17 * 3600, .days = 127, .zone = -1};
    int32_t number;
    CHECK_EQ(allot_policy_new(it.engine, "other", &other), ALLOT_OK);
    CHECK_EQ(allot_policy_fewest(other, ALLOT_MINI_JOB), ALLOT_OK);
    CHECK_EQ(allot_plan_window(it.plan, &window, &number), ALLOT_OK);
    CHECK_EQ(allot_plan_window_policy(it.plan, number, other), ALLOT_OK);
    seal(&it);
    const allot_plan *night, *day;
    CHECK_EQ(allot_plan_at(it.plan, 0, &night), ALLOT_OK);
    CHECK_EQ(allot_plan_at(it.plan, 12 * 3600, &day), ALLOT_OK);
    CHECK_EQ(allot_plan_may_preempt(night, 1, 0), 1);
    CHECK_EQ(allot_plan_may_preempt(day, 1, 0), 0); /* nobody is preemptive */
    CHECK(night->relation != day->relation);
    CHECK_EQ(allot_plan_queues(day), 4);
    allot_policy_free(other);
    fixture_end(&it);
}

static void other_windows_share_it(void)
{
    fixture it;
    asked asked = {.may = down};
    asking_begin(&it, &asked);
    allot_window window = {.from = 8 * 3600, .to = 17 * 3600, .days = 127, .zone = -1};
    int32_t number;
    CHECK_EQ(allot_plan_window(it.plan, &window, &number), ALLOT_OK);
    CHECK_EQ(allot_plan_window_slots(it.plan, number, 7), ALLOT_OK);
    seal(&it);
    const allot_plan *day;
    CHECK_EQ(allot_plan_at(it.plan, 12 * 3600, &day), ALLOT_OK);
    CHECK(day != it.plan);
    CHECK(day->relation == it.plan->relation);
    CHECK_EQ(asked.calls, 4 * 3);
    fixture_end(&it);
}

static void a_window_with_a_policy_that_does_not_dispatch(void)
{
    fixture it;
    asked asked = {.may = down};
    asking_begin(&it, &asked);
    allot_policy *other;
    allot_window window = {.from = 8 * 3600, .to = 17 * 3600, .days = 127, .zone = -1};
    int32_t number;
    CHECK_EQ(allot_policy_new(it.engine, "hybrid", &other), ALLOT_OK);
    CHECK_EQ(allot_plan_window(it.plan, &window, &number), ALLOT_OK);
    CHECK_EQ(allot_plan_window_policy(it.plan, number, other), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-policy");
    CHECK_EQ(allot_report_at(it.report, 0)->window, 1);
    allot_policy_free(other);
    fixture_end(&it);
}

int main(void)
{
    RUN(lists_restrict);
    RUN(either_side_says_it);
    RUN(levels_are_the_lists);
    RUN(an_allow_list_wins);
    RUN(an_open_queue_stays_open);
    RUN(priority_is_strict);
    RUN(many_queues);
    RUN(ranges_are_the_pairs);
    RUN(a_policy_says_who);
    RUN(nobody_preempts);
    RUN(a_circle_is_told);
    RUN(a_failing_policy_fails_sealing);
    RUN(windows_may_change_it);
    RUN(other_windows_share_it);
    RUN(a_window_with_a_policy_that_does_not_dispatch);
    return check_done();
}
