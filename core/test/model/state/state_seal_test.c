/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_seal_test.c: a state checked whole, and what follows from what was set. */
#include "model/state/state.h"

#include "test/support/fixture.h"

typedef struct scene {
    fixture base;
    allot_plan *plan;
    allot_report *report;
    allot_state *state;
    int32_t x, y, b;
} scene;

static void begin(scene *it)
{
    fixture_begin(&it->base);
    it->plan = it->base.plan;
    it->report = it->base.report;
    int32_t group;
    CHECK_EQ(allot_plan_group(it->plan, "cpu", &group), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it->plan, "gpu", &group), ALLOT_OK);
    fixture_add(it->plan, "/a");
    it->b = fixture_add(it->plan, "/b"); /* before /a/x as a handle, behind it in plan order */
    it->x = fixture_add(it->plan, "/a/x");
    it->y = fixture_add(it->plan, "/a/y");
    CHECK_EQ(allot_plan_slots(it->plan, 0, 30), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(it->plan, 1, 40), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it->plan, "h1", 0, 8), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it->plan, "h2", 0, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->plan, it->report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->plan, &it->state), ALLOT_OK);
}

static void end(scene *it)
{
    allot_state_free(it->state);
    fixture_end(&it->base);
}

static void add_task(scene *it, const char *id, int32_t group, int32_t consumer, int64_t slots)
{
    allot_task task = {.id = id, .group = group, .consumer = consumer, .slots = slots};
    CHECK_EQ(allot_state_task(it->state, &task), ALLOT_OK);
}

/* Seals, looks at a group's size, opens again. */
static int64_t size_of(scene *it, int32_t group)
{
    CHECK_EQ(allot_state_seal(it->state, it->report), ALLOT_OK);
    int64_t slots = allot_state_slots_get(it->state, group);
    CHECK_EQ(allot_state_open(it->state), ALLOT_OK);
    return slots;
}

static void open_hosts_make_the_size(void)
{
    scene it;
    begin(&it);
    CHECK_EQ(size_of(&it, 0), 12);
    CHECK_EQ(size_of(&it, 1), 40); /* no hosts: as planned */
    CHECK_EQ(allot_state_host(it.state, "h1", -1, 1), ALLOT_OK);
    CHECK_EQ(size_of(&it, 0), 4);
    CHECK_EQ(allot_state_host(it.state, "h2", 6, 0), ALLOT_OK);
    CHECK_EQ(size_of(&it, 0), 6);
    CHECK_EQ(allot_state_host(it.state, "new", 5, 0), ALLOT_OK);
    CHECK_EQ(size_of(&it, 0), 11);
    CHECK_EQ(allot_state_host(it.state, "h2", 6, 1), ALLOT_OK); /* said again */
    CHECK_EQ(allot_state_host(it.state, "new", 5, 1), ALLOT_OK);
    CHECK_EQ(size_of(&it, 0), 0); /* all closed is not the planned size */
    CHECK_EQ(allot_state_slots(it.state, 0, 25), ALLOT_OK);
    CHECK_EQ(size_of(&it, 0), 25);
    CHECK_EQ(size_of(&it, 0), 25);
    CHECK_EQ(allot_state_slots(it.state, 1, 0), ALLOT_OK);
    CHECK_EQ(size_of(&it, 1), 0);
    end(&it);
}

static void hosts_beyond_all_amounts_are_refused(void)
{
    scene it;
    begin(&it);
    CHECK_EQ(allot_state_host(it.state, "h1", ALLOT_AMOUNT_MAX, 0), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-slots");
    CHECK_STR(allot_report_at(it.report, 0)->message,
              "the open hosts of cpu have 1000000004 slots, at most 1000000000 are allowed");
    CHECK_EQ(allot_state_host(it.state, "h2", -1, 1), ALLOT_OK); /* it is still open */
    CHECK_EQ(size_of(&it, 0), ALLOT_AMOUNT_MAX);
    end(&it);
}

static int64_t held(const scene *it, int32_t group, int32_t consumer)
{
    return allot_state_allocated_get(it->state, group, consumer);
}

static void allocated_defaults_to_the_tasks(void)
{
    scene it;
    begin(&it);
    add_task(&it, "1", 0, it.x, 2);
    add_task(&it, "2", 0, it.x, 3);
    add_task(&it, "3", 1, it.x, 4);
    add_task(&it, "4", 0, it.b, 1);
    CHECK_EQ(allot_state_allocated(it.state, 0, it.b, 9), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
    CHECK(held(&it, 0, it.x) == 5 && held(&it, 1, it.x) == 4);
    CHECK(held(&it, 0, it.b) == 9 && held(&it, 1, it.b) == 0 && held(&it, 0, it.y) == 0);
    for (int i = 0; i < 3; i++) { /* opening and sealing changes nothing */
        CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
        CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
        CHECK(held(&it, 0, it.x) == 5 && held(&it, 0, it.b) == 9);
    }
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    add_task(&it, "5", 0, it.x, 6); /* what was derived is derived anew */
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
    CHECK_EQ(held(&it, 0, it.x), 11);
    CHECK_EQ(allot_report_count(it.report), 0);
    end(&it);
}

static void allocated_covers_the_tasks(void)
{
    scene it;
    begin(&it);
    add_task(&it, "1", 0, it.x, 2);
    add_task(&it, "2", 0, it.x, 3);
    add_task(&it, "3", 0, it.b, 3);
    CHECK_EQ(allot_state_allocated(it.state, 0, it.x, 4), ALLOT_OK);
    CHECK_EQ(allot_state_allocated(it.state, 0, it.b, 0), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 2);
    const allot_diagnostic *first = allot_report_at(it.report, 0),
                           *second = allot_report_at(it.report, 1);
    CHECK_STR(first->code, "E-allocated");
    CHECK_STR(first->path, "/a/x");
    CHECK_STR(first->message, "allocated is 4, at least 5, what its tasks hold, is needed");
    CHECK(first->consumer == it.x && first->group == 0 && first->field == ALLOT_ALLOCATED);
    CHECK_STR(second->path, "/b");
    CHECK_EQ(allot_state_allocated(it.state, 0, it.x, 5), ALLOT_OK);
    CHECK_EQ(allot_state_allocated(it.state, 0, it.b, 3), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
    end(&it);
}

static void tasks_beyond_all_amounts_are_refused(void)
{
    scene it;
    begin(&it);
    add_task(&it, "1", 1, it.y, ALLOT_AMOUNT_MAX);
    add_task(&it, "2", 1, it.y, ALLOT_AMOUNT_MAX);
    add_task(&it, "3", 1, it.y, ALLOT_AMOUNT_MAX);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.report, 0), "E-allocated");
    CHECK_EQ(allot_report_at(it.report, 0)->group, 1);
    CHECK_STR(allot_report_at(it.report, 0)->message,
              "its tasks hold 3000000000 slots, at most 1000000000 are allowed");
    end(&it);
}

static void claims_fit_their_reclaim(void)
{
    scene it;
    begin(&it);
    CHECK_EQ(allot_state_allocated(it.state, 0, it.x, 9), ALLOT_OK);
    allot_claim claims[] = {{it.b, 2}, {it.y, 2}};
    allot_in_flight reclaim = {.consumer = it.x, .slots = 4, .claims = claims, .claim_count = 2};
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_OK);
    reclaim.slots = 3;
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_EINVALID);
    CHECK_EQ(allot_report_total(it.report, ALLOT_ERROR), 1);
    const allot_diagnostic *found = allot_report_at(it.report, 0);
    CHECK_STR(found->code, "E-claims");
    CHECK_STR(found->path, "reclaims[1].for");
    CHECK_STR(found->message, "4 slots are claimed, at most 3, what is given back, are allowed");
    CHECK_EQ(found->consumer, it.x);
    end(&it);
}

static void giving_back_more_than_is_held_is_a_warning(void)
{
    scene it;
    begin(&it);
    CHECK_EQ(allot_state_allocated(it.state, 0, it.x, 5), ALLOT_OK);
    allot_in_flight reclaim = {.consumer = it.x, .slots = 3};
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_OK);
    CHECK_EQ(size_of(&it, 0), 12);
    CHECK_EQ(allot_report_count(it.report), 0);
    CHECK_EQ(allot_state_in_flight(it.state, &reclaim), ALLOT_OK);
    CHECK_EQ(allot_state_seal(it.state, it.report), ALLOT_OK);
    CHECK_EQ(allot_report_total(it.report, ALLOT_WARNING), 1);
    const allot_diagnostic *found = allot_report_at(it.report, 0);
    CHECK_STR(found->code, "W-in-flight");
    CHECK_STR(found->path, "/a/x");
    CHECK_STR(found->message, "6 slots are being given back, but it holds 5");
    CHECK_EQ(found->severity, ALLOT_WARNING);
    end(&it);
}

int main(void)
{
    RUN(open_hosts_make_the_size);
    RUN(hosts_beyond_all_amounts_are_refused);
    RUN(allocated_defaults_to_the_tasks);
    RUN(allocated_covers_the_tasks);
    RUN(tasks_beyond_all_amounts_are_refused);
    RUN(claims_fit_their_reclaim);
    RUN(giving_back_more_than_is_held_is_a_warning);
    return check_done();
}
