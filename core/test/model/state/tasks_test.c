/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tasks_test.c: tasks and sessions by leaf, and slots that several tasks share. */
#include "model/state/state.h"

#include <time.h>

#include "test/support/fixture.h"

typedef struct scene {
    fixture base;
    allot_state *state;
    int32_t a, b;
} scene;

static void begin(scene *it)
{
    fixture_begin(&it->base);
    it->a = fixture_add(it->base.plan, "/a");
    it->b = fixture_add(it->base.plan, "/b");
    CHECK_EQ(allot_plan_slots(it->base.plan, 0, 100), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it->base.plan, "h1", 0, 8), ALLOT_OK);
    CHECK_EQ(allot_plan_host(it->base.plan, "h2", 0, 4), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->base.plan, it->base.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->base.plan, &it->state), ALLOT_OK);
}

static void end(scene *it)
{
    allot_state_free(it->state);
    fixture_end(&it->base);
}

static void add(scene *it, allot_task task)
{
    task.slots = task.slots ? task.slots : 1;
    CHECK_EQ(allot_state_task(it->state, &task), ALLOT_OK);
}

static void add_session(scene *it, allot_session session)
{
    session.priority = session.priority ? session.priority : 1;
    CHECK_EQ(allot_state_session(it->state, &session), ALLOT_OK);
}

static const allot__units *seal(scene *it)
{
    CHECK_EQ(allot_state_seal(it->state, it->base.report), ALLOT_OK);
    return &it->state->tasks.units[0];
}

static void units_of_a_leaf_stand_together(void)
{
    scene it;
    begin(&it);
    add(&it, (allot_task){.id = "t0", .consumer = it.b, .started = 5, .host = "h2"});
    add(&it, (allot_task){.id = "t1", .consumer = it.a, .slots = 3, .started = 7, .host = "h9"});
    add(&it, (allot_task){.id = "t2", .consumer = it.b, .started = 9, .preempted = 2});
    const allot__units *units = seal(&it);
    CHECK_EQ(units->count, 3);
    CHECK_EQ(units->first[it.a], 0);
    CHECK_EQ(units->first[it.b], 1);
    CHECK_EQ(units->first[2], 3);
    CHECK(!units->begin);
    CHECK_EQ(units->tasks[0], 1);
    CHECK_EQ(units->tasks[1], 0);
    CHECK_EQ(units->tasks[2], 2);
    CHECK_EQ(units->slots[0], 3);
    CHECK_EQ(units->started[1], 5);
    CHECK_EQ(units->session[0], -1);
    CHECK_EQ(units->site[1], 1);
    CHECK_EQ(units->site[2], -1);
    CHECK_EQ(units->site[0], 2); /* behind the plan's two */
    CHECK_STR(it.state->tasks.sites[2].name, "h9");
    CHECK_EQ(it.state->tasks.sites[2].slots, -1);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, it.b), 2);
    end(&it);
}

static void a_shared_slot_counts_once(void)
{
    scene it;
    begin(&it);
    add(&it, (allot_task){.id = "t0", .consumer = it.a, .host = "h1", .slot = "1", .started = 4});
    add(&it, (allot_task){.id = "t1", .consumer = it.a, .host = "h2", .slot = "1"});
    add(&it, (allot_task){.id = "t2", .consumer = it.b, .host = "h1", .slot = "1"});
    add(&it, (allot_task){.id = "t3", .consumer = it.a, .host = "h1"});
    add(&it, (allot_task){.id = "t4",
                          .consumer = it.a,
                          .host = "h1",
                          .slot = "1",
                          .started = 9,
                          .slots = 2,
                          .preempted = 1});
    const allot__units *units = seal(&it);
    int32_t count;
    CHECK_EQ(units->count, 4);
    CHECK_EQ(units->first[it.b], 3);
    const int32_t *tasks = allot__unit_tasks(units, 0, &count);
    CHECK_EQ(count, 2);
    CHECK_EQ(tasks[0], 0);
    CHECK_EQ(tasks[1], 4);
    CHECK_EQ(units->started[0], 9);
    CHECK_EQ(units->slots[0], 2);
    CHECK_EQ(allot__unit_tasks(units, 1, &count)[0], 1);
    CHECK_EQ(allot__unit_tasks(units, 2, &count)[0], 3);
    CHECK_EQ(allot__unit_tasks(units, 3, &count)[0], 2);
    CHECK_EQ(allot_state_allocated_get(it.state, 0, it.a), 4);
    end(&it);
}

static void sessions_are_found_and_held(void)
{
    scene it;
    begin(&it);
    add(&it, (allot_task){.id = "t0", .consumer = it.a, .session = "s2", .slots = 2});
    add_session(&it, (allot_session){.id = "s1", .consumer = it.b});
    add_session(&it, (allot_session){.id = "s2", .consumer = it.a, .preemption_rank = 1});
    add_session(&it, (allot_session){.id = "s3", .consumer = it.a, .preemption_rank = 9});
    add(&it,
        (allot_task){.id = "t1", .consumer = it.a, .session = "s2", .host = "h1", .slot = "x"});
    add(&it,
        (allot_task){.id = "t2", .consumer = it.a, .session = "s3", .host = "h1", .slot = "x"});
    const allot__units *units = seal(&it);
    CHECK_EQ(units->session_count, 3);
    CHECK_EQ(units->session_first[it.b], 2);
    CHECK_EQ(units->sessions[0], 1);
    CHECK_EQ(units->sessions[1], 2);
    CHECK_EQ(units->sessions[2], 0);
    CHECK_EQ(units->session[0], 1);
    CHECK_EQ(units->session[1], 2); /* the shared slot counts for the best rank on it */
    CHECK_EQ(it.state->tasks.session_held[1], 2);
    CHECK_EQ(it.state->tasks.session_held[2], 1);
    CHECK_STR(allot_state_session_at(it.state, 2)->id, "s3");
    allot_session again = {.id = "s1", .consumer = it.a, .priority = 1};
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK_EQ(allot_state_session(it.state, &again), ALLOT_EEXIST);
    end(&it);
}

static void sessions_are_checked(void)
{
    scene it;
    begin(&it);
    add_session(&it, (allot_session){.id = "s1", .consumer = it.a});
    add_session(&it, (allot_session){.id = "s2", .consumer = it.a, .scheduling = ALLOT_PRIORITY});
    add_session(&it, (allot_session){.id = "s3", .consumer = it.b, .scheduling = ALLOT_PRIORITY});
    add(&it, (allot_task){.id = "t0", .consumer = it.a, .session = "s3"});
    add(&it, (allot_task){.id = "t1", .consumer = it.a, .session = "s4"});
    CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_EINVALID);
    CHECK_STR(fixture_code(it.base.report, 0), "E-scheduling");
    CHECK_STR(allot_report_at(it.base.report, 0)->path, "sessions[1].scheduling");
    CHECK_STR(fixture_code(it.base.report, 1), "E-session");
    CHECK_STR(allot_report_at(it.base.report, 1)->path, "tasks[0].session");
    CHECK_STR(fixture_code(it.base.report, 2), "W-session");
    CHECK_EQ(allot_report_count(it.base.report), 3);
    end(&it);
}

static void a_state_opened_again_takes_more(void)
{
    scene it;
    begin(&it);
    add(&it, (allot_task){.id = "t0", .consumer = it.a});
    const allot__units *units = seal(&it);
    CHECK_EQ(units->count, 1);
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    CHECK(seal(&it) == units); /* nothing new: nothing is arranged again */
    CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
    add(&it, (allot_task){.id = "t1", .consumer = it.b, .host = "h2"});
    CHECK_EQ(allot_state_host_load(it.state, "h2", 7), ALLOT_OK);
    CHECK_EQ(allot_state_host_exclusive(it.state, "h1", it.b), ALLOT_OK);
    CHECK_EQ(allot_state_host_load(it.state, "h3", 7), ALLOT_ENOENT);
    units = seal(&it);
    CHECK_EQ(units->count, 2);
    CHECK_EQ(it.state->tasks.sites[1].load, 7);
    CHECK_EQ(it.state->tasks.sites[1].slots, 4);
    CHECK_EQ(it.state->tasks.sites[1].exclusive_to, ALLOT_ROOT);
    CHECK_EQ(it.state->tasks.sites[0].exclusive_to, it.b);
    end(&it);
}

static void tasks_are_told_as_they_were_added(void)
{
    scene it;
    begin(&it);
    const char *const tags[] = {"interactive", "gold"};
    add(&it, (allot_task){.id = "t0", .consumer = it.a, .started = -3, .session = "s"});
    add(&it, (allot_task){.id = "t1", .consumer = it.b, .slot = "7", .tags = tags, .tag_count = 2});
    allot_task task;
    CHECK_EQ(allot_state_task_at(it.state, 1, &task), ALLOT_OK);
    CHECK_STR(task.id, "t1");
    CHECK_STR(task.slot, "7");
    CHECK_EQ(task.tag_count, 2);
    CHECK_STR(task.tags[1], "gold");
    CHECK_EQ(allot_state_task_at(it.state, 0, &task), ALLOT_OK);
    CHECK_EQ(task.started, -3);
    CHECK_STR(task.session, "s");
    CHECK(!task.host && !task.tags);
    CHECK_EQ(allot_state_task_at(it.state, 2, &task), ALLOT_EUSAGE);
    allot_task other = {.id = "t0", .consumer = it.b, .slots = 1};
    CHECK_EQ(allot_state_task(it.state, &other), ALLOT_EEXIST);
    other.id = "t2";
    other.preempted = -1;
    CHECK_EQ(allot_state_task(it.state, &other), ALLOT_ERANGE);
    CHECK_EQ(allot_state_tasks(it.state), 2);
    end(&it);
}

/* ---- Memory ---- */

static int fill(allot_state *state, int32_t leaf)
{
    const char *const tags[] = {"x"};
    allot_session session = {.id = "s", .consumer = leaf, .priority = 5, .demand = -1};
    int status;
    OOM_RETRY(status, allot_state_session(state, &session));
    for (int i = 0; i < 3 && status == ALLOT_OK; i++) {
        char id[2] = {(char)('a' + i), 0};
        allot_task task = {.id = id,
                           .consumer = leaf,
                           .slots = 1,
                           .session = "s",
                           .host = i ? "h" : "i",
                           .slot = "0",
                           .tags = tags,
                           .tag_count = i};
        task.tag_count = i > 0;
        OOM_RETRY(status, allot_state_task(state, &task));
    }
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_state_seal(state, NULL));
    return status;
}

static int scenario(allot_engine *engine)
{
    allot_plan *plan = NULL;
    allot_policy *policy = NULL;
    allot_state *state = NULL;
    int32_t leaf = 0;
    allot_attribute tag = {.name = "x", .type = ALLOT_TAG, .max = 1};
    int status = allot_policy_new(engine, "p", &policy);
    if (status == ALLOT_OK)
        status = allot_policy_task_attribute(policy, &tag);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, &plan);
    if (status == ALLOT_OK)
        OOM_RETRY(status, allot_plan_policy(plan, ALLOT_ALL, policy));
    if (status == ALLOT_OK)
        status = allot_plan_add(plan, ALLOT_ROOT, "a", 1, &leaf);
    if (status == ALLOT_OK)
        status = allot_plan_seal(plan, NULL);
    if (status == ALLOT_OK)
        status = allot_state_new(plan, &state);
    if (status == ALLOT_OK)
        status = fill(state, leaf);
    if (status == ALLOT_OK) {
        const allot__units *units = &state->tasks.units[0];
        CHECK_EQ(units->count, 2);
        CHECK_EQ(units->attributes[0][0], 0);
        CHECK_EQ(units->attributes[0][1], 1);
    }
    allot_state_free(state);
    allot_plan_free(plan);
    allot_policy_free(policy);
    return status;
}

static void out_of_memory_leaves_nothing(void)
{
    CHECK(oom_each(scenario));
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void a_million_tasks_are_kept_small(void)
{
    enum { MILLION = 1000000, IDS = 8 };
    scene it;
    begin(&it);
    size_t before = it.base.memory.bytes;
    int wrong = 0;
    double start = seconds();
    for (int i = 0; i < MILLION; i++) {
        char id[16], host[16];
        snprintf(id, sizeof id, "t%06d", i);
        snprintf(host, sizeof host, "n%d", i % 1000);
        allot_task task = {.id = id,
                           .consumer = i % 2 ? it.a : it.b,
                           .slots = 1,
                           .started = i,
                           .session = "s",
                           .host = host};
        wrong += allot_state_task(it.state, &task) != ALLOT_OK;
    }
    double added = seconds();
    CHECK_EQ(wrong, 0);
    seal(&it);
    double kept = (double)(it.base.memory.bytes - before) / MILLION - IDS;
    printf("# %.1f bytes a task beside its id, %.2f s to add a million, %.2f to seal\n", kept,
           added - start, seconds() - added);
    CHECK(kept > 90 && kept <= 115);
    end(&it);
}

int main(void)
{
    RUN(units_of_a_leaf_stand_together);
    RUN(a_shared_slot_counts_once);
    RUN(sessions_are_found_and_held);
    RUN(sessions_are_checked);
    RUN(a_state_opened_again_takes_more);
    RUN(tasks_are_told_as_they_were_added);
    RUN(out_of_memory_leaves_nothing);
    RUN(a_million_tasks_are_kept_small);
    return check_done();
}
