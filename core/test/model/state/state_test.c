/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_test.c: filling a state. */
#include "model/state/state.h"

#include "test/support/fixture.h"

typedef struct scene {
    fixture base;
    allot_plan *plan;
    allot_state *state;
    int32_t a, x, b; /* /a, its leaf /a/x, the leaf /b */
} scene;

static void begin(scene *it)
{
    fixture_begin(&it->base);
    it->plan = it->base.plan;
    int32_t group;
    CHECK_EQ(allot_plan_group(it->plan, "cpu", &group), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it->plan, "gpu", &group), ALLOT_OK);
    it->a = fixture_add(it->plan, "/a");
    it->x = fixture_add(it->plan, "/a/x");
    it->b = fixture_add(it->plan, "/b");
    fixture_set(it->plan, "/a/x", ALLOT_OWNED, 30);
    CHECK_EQ(allot_plan_host(it->plan, "h1", 0, 8), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->plan, it->base.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->plan, &it->state), ALLOT_OK);
}

static void end(scene *it)
{
    allot_state_free(it->state);
    fixture_end(&it->base);
}

static int add_task(scene *it, const char *id, int32_t consumer, int64_t slots)
{
    allot_task task = {.id = id, .consumer = consumer, .slots = slots, .session = "s"};
    return allot_state_task(it->state, &task);
}

static void a_state_is_of_a_sealed_plan(void)
{
    fixture it;
    fixture_begin(&it);
    allot_state *state = NULL;
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_new(NULL, &state), ALLOT_EUSAGE);
    CHECK_EQ(allot_plan_seal(it.plan, it.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it.plan, NULL), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_new(it.plan, &state), ALLOT_OK); /* of no consumers */
    CHECK_EQ(allot_state_seal(state, it.report), ALLOT_OK);
    allot_state_free(state);
    allot_state_free(NULL);
    fixture_end(&it);
}

static void amounts_are_of_leaves_and_in_range(void)
{
    scene it;
    begin(&it);
    CHECK_EQ(allot_state_demand(it.state, 0, it.x, -1), ALLOT_OK); /* not set */
    CHECK_EQ(allot_state_demand(it.state, 0, it.x, ALLOT_AMOUNT_MAX), ALLOT_OK);
    CHECK_EQ(allot_state_demand(it.state, 0, it.x, ALLOT_AMOUNT_MAX + 1), ALLOT_ERANGE);
    CHECK_EQ(allot_state_demand(it.state, 0, it.x, -2), ALLOT_ERANGE);
    CHECK_EQ(allot_state_demand(it.state, 0, it.a, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_demand(it.state, 0, 3, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_demand(it.state, 0, -1, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_demand(it.state, 2, it.x, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_demand(it.state, ALLOT_ALL, it.x, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_allocated(it.state, 1, it.b, 7), ALLOT_OK);
    CHECK_EQ(allot_state_allocated(it.state, 1, it.b, -1), ALLOT_ERANGE);
    CHECK_EQ(allot_state_allocated(it.state, 1, it.a, 0), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_slots(it.state, 0, -2), ALLOT_ERANGE);
    CHECK_EQ(allot_state_slots(it.state, 2, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_now(it.state, INT64_MIN), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
    CHECK_EQ(allot_state_demand_get(it.state, 0, it.x), ALLOT_AMOUNT_MAX);
    CHECK_EQ(allot_state_demand_get(it.state, 1, it.x), 0);
    CHECK_EQ(allot_state_allocated_get(it.state, 1, it.b), 7);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, it.b), 0);
    CHECK_EQ(allot_state_demand_get(it.state, 0, 3), 0);
    CHECK(allot_state_now_get(it.state) == INT64_MIN);
    end(&it);
}

static void tasks_are_checked_and_copied(void)
{
    scene it;
    begin(&it);
    char id[257];
    memset(id, 'i', sizeof id);
    id[256] = '\0';
    CHECK_EQ(add_task(&it, id, it.x, 1), ALLOT_ENAME);
    id[255] = '\0';
    CHECK_EQ(add_task(&it, id, it.x, 1), ALLOT_OK);
    CHECK_EQ(add_task(&it, id, it.b, 2), ALLOT_EEXIST);
    id[0] = 'j';
    CHECK_EQ(add_task(&it, id, it.x, 2), ALLOT_OK);
    CHECK_EQ(add_task(&it, "", it.x, 1), ALLOT_ENAME);
    CHECK_EQ(add_task(&it, NULL, it.x, 1), ALLOT_ENAME);
    CHECK_EQ(add_task(&it, "t", it.a, 1), ALLOT_EUSAGE);
    CHECK_EQ(add_task(&it, "t", it.x, 0), ALLOT_ERANGE);
    CHECK_EQ(add_task(&it, "t", it.x, ALLOT_AMOUNT_MAX + 1), ALLOT_ERANGE);
    CHECK_EQ(allot_state_task(it.state, NULL), ALLOT_EUSAGE);
    allot_task other = {.id = "t", .consumer = it.x, .group = 2, .slots = 1};
    CHECK_EQ(allot_state_task(it.state, &other), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, it.x), 3);
    CHECK_EQ(allot_state_tasks(it.state), 2);
    allot_task first, second;
    CHECK_EQ(allot_state_task_at(it.state, 0, &first), ALLOT_OK);
    CHECK_EQ(allot_state_task_at(it.state, 1, &second), ALLOT_OK);
    CHECK(first.id[0] == 'i' && second.id[0] == 'j' && !first.host);
    CHECK_STR(second.session, "s");
    end(&it);
}

static void reclaims_are_checked_and_copied(void)
{
    scene it;
    begin(&it);
    allot_claim claims[] = {{it.b, 2}, {it.x, 1}};
    allot_in_flight reclaim = {.id = "r",
                               .consumer = it.x,
                               .slots = 3,
                               .deadline = INT64_MAX,
                               .claims = claims,
                               .claim_count = 2};
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_OK);
    reclaim.consumer = it.a;
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_EUSAGE);
    reclaim.consumer = it.x;
    claims[1].consumer = 99; /* nobody; a parent may claim, for its own reserve */
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_EUSAGE);
    claims[1] = (allot_claim){it.b, -1};
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_ERANGE);
    reclaim.claims = NULL;
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_EUSAGE);
    reclaim = (allot_in_flight){.consumer = it.b, .group = 1, .slots = 1};
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_OK);
    CHECK_EQ(allot_state_reclaims(it.state), 2);
    allot_in_flight kept, other;
    CHECK_EQ(allot_state_reclaim_at(it.state, 0, &kept), ALLOT_OK);
    CHECK_EQ(allot_state_reclaim_at(it.state, 1, &other), ALLOT_OK);
    CHECK_STR(kept.id, "r");
    CHECK(kept.claim_count == 2 && kept.deadline == INT64_MAX);
    CHECK(kept.claims[1].consumer == it.x && kept.claims[1].slots == 1);
    CHECK(!other.id && other.claim_count == 0);
    end(&it);
}

static void hosts_are_known_or_sized(void)
{
    scene it;
    begin(&it);
    CHECK_EQ(allot_state_host(it.state, "h1", -1, 1), ALLOT_OK);
    CHECK_EQ(allot_state_host(it.state, "h2", -1, 0), ALLOT_ENOENT);
    CHECK_EQ(allot_state_host(it.state, "h2", 4, 0), ALLOT_OK);
    CHECK_EQ(allot_state_host(it.state, "h2", -2, 0), ALLOT_ERANGE);
    CHECK_EQ(allot_state_host(it.state, "", 1, 0), ALLOT_ENAME);
    end(&it);
}

static void a_sealed_state_is_opened_to_change(void)
{
    scene it;
    begin(&it);
    CHECK_EQ(allot_state_open(it.state), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_slots_get(it.state, 0), 0); /* not before it is sealed */
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_EUSAGE);
    allot_in_flight reclaim = {.consumer = it.b, .slots = 1};
    CHECK_EQ(allot_state_now(it.state, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_slots(it.state, 0, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_demand(it.state, 0, it.x, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_allocated(it.state, 0, it.x, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_host(it.state, "h1", -1, 1), ALLOT_EUSAGE);
    CHECK_EQ(add_task(&it, "t", it.x, 1), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_EUSAGE);
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK_EQ(allot_state_demand(it.state, 0, it.x, 1), ALLOT_OK);
    end(&it);
}

int main(void)
{
    RUN(a_state_is_of_a_sealed_plan);
    RUN(amounts_are_of_leaves_and_in_range);
    RUN(tasks_are_checked_and_copied);
    RUN(reclaims_are_checked_and_copied);
    RUN(hosts_are_known_or_sized);
    RUN(a_sealed_state_is_opened_to_change);
    return check_done();
}
