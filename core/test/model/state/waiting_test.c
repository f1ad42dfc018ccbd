/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* waiting_test.c: tasks that wait, and tasks of several groups (C-13). */
#include "model/state/state.h"

#include "test/support/fixture.h"

enum { CPU, GPU };

typedef struct scene {
    fixture base;
    allot_state *state;
    int32_t a, b;
} scene;

static void begin(scene *it)
{
    int32_t group;
    fixture_begin(&it->base);
    CHECK_EQ(allot_plan_group(it->base.plan, "cpu", &group), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it->base.plan, "gpu", &group), ALLOT_OK);
    it->a = fixture_add(it->base.plan, "/a");
    it->b = fixture_add(it->base.plan, "/b");
    CHECK_EQ(allot_plan_slots(it->base.plan, CPU, 100), ALLOT_OK);
    CHECK_EQ(allot_plan_slots(it->base.plan, GPU, 10), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->base.plan, it->base.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->base.plan, &it->state), ALLOT_OK);
}

static void end(scene *it)
{
    allot_state_free(it->state);
    fixture_end(&it->base);
}

static int add(scene *it, allot_task task)
{
    task.slots = task.slots ? task.slots : 1;
    return allot_state_task(it->state, &task);
}

static void seal(scene *it)
{
    CHECK_EQ(allot_state_seal(it->state, it->base.report), ALLOT_OK);
}

static void what_waits_is_no_unit(void)
{
    scene it;
    begin(&it);
    add(&it, (allot_task){.id = "r", .consumer = it.a, .slots = 3});
    add(&it, (allot_task){.id = "p", .consumer = it.a, .slots = 5, .state = ALLOT_TASK_PENDING});
    seal(&it);
    CHECK_EQ(it.state->tasks.units[CPU].count, 1);
    CHECK_EQ(it.state->tasks.waiting[CPU].count, 1);
    CHECK_EQ(it.state->tasks.waiting[GPU].count, 0);
    CHECK_EQ(allot_state_allocated_get(it.state, CPU, it.a), 3);
    CHECK_EQ(allot_state_demand_get(it.state, CPU, it.a), 8);
    CHECK_EQ(allot_state_demand_get(it.state, CPU, it.b), 0);
    end(&it);
}

static void demand_that_is_set_stays(void)
{
    scene it;
    begin(&it);
    add(&it, (allot_task){.id = "p", .consumer = it.a, .slots = 5, .state = ALLOT_TASK_PENDING});
    CHECK_EQ(allot_state_demand(it.state, CPU, it.a, 2), ALLOT_OK);
    seal(&it);
    CHECK_EQ(allot_state_demand_get(it.state, CPU, it.a), 2);
    end(&it);
}

static void they_stand_in_the_order_of_their_start(void)
{
    scene it;
    begin(&it);
    const allot_task tasks[] = {{.id = "d", .submitted = 9},
                                {.id = "c", .submitted = 5},
                                {.id = "b", .submitted = 5},
                                {.id = "a", .submitted = 9, .priority = 3},
                                {.id = "e", .submitted = 1}};
    const int32_t order[] = {3, 4, 2, 1, 0};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        allot_task task = tasks[i];
        task.consumer = it.b;
        task.state = ALLOT_TASK_PENDING;
        CHECK_EQ(add(&it, task), ALLOT_OK);
    }
    seal(&it);
    const allot__waiting *waiting = &it.state->tasks.waiting[CPU];
    CHECK_EQ(waiting->first[it.b], 0);
    CHECK_EQ(waiting->first[it.b + 1], 5);
    for (size_t i = 0; i < 5; i++)
        CHECK_EQ(waiting->tasks[i], order[i]);
    end(&it);
}

static void a_task_of_several_groups_is_in_each(void)
{
    scene it;
    begin(&it);
    const allot_task_slots gpu = {GPU, 2};
    add(&it, (allot_task){.id = "x", .consumer = it.a});
    add(&it, (allot_task){.id = "m", .consumer = it.a, .slots = 4, .also = &gpu, .also_count = 1});
    add(&it, (allot_task){.id = "w",
                          .consumer = it.a,
                          .slots = 6,
                          .also = &gpu,
                          .also_count = 1,
                          .state = ALLOT_TASK_PENDING});
    seal(&it);
    const allot__tasks *tasks = &it.state->tasks;
    CHECK_EQ(allot_state_allocated_get(it.state, CPU, it.a), 5);
    CHECK_EQ(allot_state_allocated_get(it.state, GPU, it.a), 2);
    CHECK_EQ(allot_state_demand_get(it.state, CPU, it.a), 11);
    CHECK_EQ(allot_state_demand_get(it.state, GPU, it.a), 4);
    CHECK_EQ(allot_state_tasks(it.state), 5);
    CHECK_EQ(allot__task_in(tasks, 1, GPU), 2);
    CHECK_EQ(allot__task_in(tasks, 2, CPU), 1);
    CHECK_EQ(allot__task_in(tasks, 0, GPU), -1);
    CHECK_EQ(allot__task_first(tasks, 4), 3);
    CHECK_EQ(allot__task_place(tasks, 3), 2);
    allot_task task;
    CHECK_EQ(allot_state_task_at(it.state, 3, &task), ALLOT_OK);
    CHECK_EQ(task.state, ALLOT_TASK_PENDING);
    CHECK_EQ(task.priority, 1);
    CHECK_EQ(task.also_count, 1);
    CHECK_EQ(task.also[0].group, GPU);
    CHECK_EQ(task.also[0].slots, 2);
    CHECK_EQ(allot_state_task_at(it.state, 4, &task), ALLOT_ENOENT);
    end(&it);
}

static void it_goes_out_of_each(void)
{
    scene it;
    begin(&it);
    const allot_task_slots gpu = {GPU, 2};
    add(&it, (allot_task){.id = "w",
                          .consumer = it.a,
                          .also = &gpu,
                          .also_count = 1,
                          .state = ALLOT_TASK_PENDING});
    add(&it, (allot_task){.id = "m", .consumer = it.b, .also = &gpu, .also_count = 1});
    CHECK_EQ(allot_state_task_end(it.state, "w"), ALLOT_OK);
    seal(&it);
    CHECK(!it.state->tasks.waiting);
    CHECK_EQ(allot_state_tasks(it.state), 2);
    CHECK_EQ(allot__task_first(&it.state->tasks, 1), 0);
    CHECK_EQ(allot_state_demand_get(it.state, GPU, it.a), 0);
    CHECK_EQ(allot_state_allocated_get(it.state, GPU, it.b), 2);
    end(&it);
}

static void what_no_task_can_be_is_refused(void)
{
    scene it;
    begin(&it);
    const allot_task_slots twice[] = {{GPU, 1}, {GPU, 2}}, own = {CPU, 1}, none = {GPU, 0};
    const allot_task p = {.id = "p", .consumer = it.a, .state = ALLOT_TASK_PENDING};
    allot_task task = p;
    task.host = "h";
    CHECK_EQ(add(&it, task), ALLOT_EUSAGE);
    task = p;
    task.slot = "0";
    CHECK_EQ(add(&it, task), ALLOT_EUSAGE);
    task = p;
    task.priority = 10001;
    CHECK_EQ(add(&it, task), ALLOT_ERANGE);
    task = p;
    task.also = twice;
    task.also_count = 2;
    CHECK_EQ(add(&it, task), ALLOT_EUSAGE);
    task.also = &own;
    task.also_count = 1;
    CHECK_EQ(add(&it, task), ALLOT_EUSAGE);
    task.also = &none;
    CHECK_EQ(add(&it, task), ALLOT_ERANGE);
    CHECK_EQ(allot_state_tasks(it.state), 0);
    end(&it);
}

/* A reclaim of a group that names a task of several: its number there. One that waits is gone. */
static void reclaims_name_it_in_their_group(void)
{
    scene it;
    begin(&it);
    const allot_task_slots gpu = {GPU, 2};
    const char *const named[] = {"m", "w"};
    add(&it, (allot_task){.id = "m", .consumer = it.a, .also = &gpu, .also_count = 1});
    add(&it, (allot_task){.id = "w", .consumer = it.a, .state = ALLOT_TASK_PENDING});
    allot_in_flight flight = {
        .consumer = it.a, .group = GPU, .slots = 2, .tasks = named, .task_count = 2};
    CHECK_EQ(allot_state_in_flight(it.state, &flight), ALLOT_OK);
    flight.group = CPU;
    CHECK_EQ(allot_state_in_flight(it.state, &flight), ALLOT_OK);
    seal(&it);
    const int32_t *list = it.state->flight_tasks.items;
    CHECK_EQ(list[0], 1);
    CHECK_EQ(list[1], -1);
    CHECK_EQ(list[2], 0);
    end(&it);
}

static void a_copy_tells_the_same(void)
{
    scene it;
    begin(&it);
    const allot_task_slots gpu = {GPU, 2};
    add(&it, (allot_task){.id = "w",
                          .consumer = it.a,
                          .slots = 3,
                          .also = &gpu,
                          .also_count = 1,
                          .priority = 7,
                          .state = ALLOT_TASK_PENDING});
    seal(&it);
    allot_state *copy;
    allot_task task;
    CHECK_EQ(allot_state_copy(it.state, it.base.plan, NULL, &copy), ALLOT_OK);
    CHECK_EQ(allot_state_seal(copy, NULL), ALLOT_OK);
    CHECK_EQ(allot_state_task_at(copy, 0, &task), ALLOT_OK);
    CHECK_EQ(task.priority, 7);
    CHECK_EQ(task.also[0].slots, 2);
    CHECK_EQ(allot_state_demand_get(copy, GPU, it.a), 2);
    allot_state_free(copy);
    end(&it);
}

/* Who wants nothing, as is stated, does not want what its tasks would have. */
static void a_copy_wants_nothing_either(void)
{
    scene it;
    begin(&it);
    add(&it, (allot_task){.id = "p", .consumer = it.a, .slots = 5, .state = ALLOT_TASK_PENDING});
    CHECK_EQ(allot_state_demand(it.state, CPU, it.a, 0), ALLOT_OK);
    seal(&it);
    allot_state *copy;
    CHECK_EQ(allot_state_copy(it.state, it.base.plan, NULL, &copy), ALLOT_OK);
    CHECK_EQ(allot_state_seal(copy, NULL), ALLOT_OK);
    CHECK_EQ(allot_state_demand_get(copy, CPU, it.a), 0);
    allot_state_free(copy);
    end(&it);
}

int main(void)
{
    RUN(what_waits_is_no_unit);
    RUN(demand_that_is_set_stays);
    RUN(they_stand_in_the_order_of_their_start);
    RUN(a_task_of_several_groups_is_in_each);
    RUN(it_goes_out_of_each);
    RUN(what_no_task_can_be_is_refused);
    RUN(reclaims_name_it_in_their_group);
    RUN(a_copy_tells_the_same);
    RUN(a_copy_wants_nothing_either);
    return check_done();
}
