/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* arrange_test.c: tasks that change from seal to seal are arranged as if all were arranged anew. */
#include <stdio.h>

#include "model/state/state.h"

#include "test/support/fixture.h"

enum { GROUPS = 2, LEAVES = 12, TASKS = 200, ROUNDS = 500 };

typedef struct scene {
    fixture base;
    allot_state *state;
    int32_t leaf[LEAVES];
    uint32_t seed;
    int32_t names, sessions;
    int32_t kept; /* seals that arranged single leaves */
} scene;

static int32_t draw(scene *it, int32_t below)
{
    it->seed = it->seed * 1664525 + 1013904223;
    return (int32_t)((it->seed >> 8) % (uint32_t)below);
}

static void begin(scene *it, uint32_t seed)
{
    int32_t group;
    memset(it, 0, sizeof *it);
    it->seed = seed;
    fixture_begin(&it->base);
    CHECK_EQ(allot_plan_group(it->base.plan, "cpu", &group), ALLOT_OK);
    CHECK_EQ(allot_plan_group(it->base.plan, "gpu", &group), ALLOT_OK);
    for (int32_t i = 0; i < LEAVES; i++) {
        char path[16];
        snprintf(path, sizeof path, "/l%d", (int)i);
        it->leaf[i] = fixture_add(it->base.plan, path);
    }
    for (group = 0; group < GROUPS; group++)
        CHECK_EQ(allot_plan_slots(it->base.plan, group, 100), ALLOT_OK);
    CHECK_EQ(allot_plan_seal(it->base.plan, it->base.report), ALLOT_OK);
    CHECK_EQ(allot_state_new(it->base.plan, &it->state), ALLOT_OK);
}

static void end(scene *it)
{
    allot_state_free(it->state);
    fixture_end(&it->base);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Sessions are of the leaf and group that their number says. */
static void name_session(const scene *it, int32_t number, allot_session *out, char *id)
{
    snprintf(id, 16, "s%d", (int)number);
    *out = (allot_session){.id = id,
                           .consumer = it->leaf[number * 7 % LEAVES],
                           .group = number % GROUPS,
                           .scheduling = ALLOT_PRIORITY,
                           .priority = 1 + number % 5};
}

static void add_session(scene *it)
{
    char id[16];
    allot_session session;
    name_session(it, it->sessions++, &session, id);
    CHECK_EQ(allot_state_session(it->state, &session), ALLOT_OK);
}

static void end_session(scene *it)
{
    char id[16];
    snprintf(id, sizeof id, "s%d", (int)draw(it, it->sessions + 1));
    allot_state_end(it->state, ALLOT_ITEM_SESSION, id);
}

static void add_task(scene *it)
{
    char id[16], session[16];
    allot_session of;
    allot_task task = {.id = id,
                       .consumer = it->leaf[draw(it, LEAVES)],
                       .group = draw(it, GROUPS),
                       .slots = draw(it, 3) == 0 ? 1 + draw(it, 9) : 1,
                       .priority = draw(it, 3),
                       .submitted = 1 + draw(it, 5)};
    snprintf(id, sizeof id, "%c%d", 'a' + (char)draw(it, 26), (int)it->names++);
    if (draw(it, 2) == 0)
        task.state = ALLOT_TASK_PENDING;
    else
        task.started = 1 + draw(it, 50);
    if (draw(it, 3) == 0) { /* sometimes of a session that is not there yet */
        int32_t more = draw(it, 100) == 0 ? 2 * LEAVES : 0;
        name_session(it, draw(it, it->sessions + 1 + more), &of, session);
        task.session = session;
        task.consumer = of.consumer;
        task.group = of.group;
    }
    CHECK_EQ(allot_state_task(it->state, &task), ALLOT_OK);
}

/* Ends, starts or stops a task. */
static void change_task(scene *it)
{
    int32_t count = (int32_t)allot__task_count(&it->state->tasks);
    int32_t number = count > 0 ? draw(it, count) : 0, how = draw(it, 3);
    const allot__thing *thing = allot__things_at(&it->state->tasks.things, number);
    if (!thing)
        return;
    bool waits = allot__task_at(&it->state->tasks, number)->pending;
    if (how == 0)
        CHECK_EQ(allot_state_task_end(it->state, thing->id), ALLOT_OK);
    else if (waits)
        allot__task_start(it->state, number, 1 + draw(it, 50), -1);
    else
        allot__task_stop(it->state, thing->id, how == 1);
}

static void set_row(scene *it)
{
    int32_t group = draw(it, GROUPS), leaf = it->leaf[draw(it, LEAVES)];
    CHECK_EQ(allot_state_demand(it->state, group, leaf, draw(it, 4) - 1), ALLOT_OK);
    if (draw(it, 8) == 0)
        CHECK_EQ(allot_state_allocated(it->state, group, leaf, 100000), ALLOT_OK);
}

static void change(scene *it)
{
    for (int32_t i = draw(it, 8); i >= 0; i--) {
        int32_t what = draw(it, 40);
        size_t live = allot__task_count(&it->state->tasks) - it->state->tasks.things.gone;
        if (what == 0)
            add_session(it);
        else if (what == 1 && draw(it, 40) == 0)
            end_session(it);
        else if (what < 8)
            set_row(it);
        else if (what < 24 && live < TASKS)
            add_task(it);
        else
            change_task(it);
    }
}

/* ---- The same, arranged anew ----------------------------------------------------------------- */

static const char *id_of(const allot_state *state, int32_t task)
{
    return allot__task_at(&state->tasks, task)->thing.id;
}

static const char *session_of(const allot_state *state, int32_t session)
{
    return session < 0 ? "" : ((const allot_session *)state->tasks.sessions.items)[session].id;
}

static void compare_units(const allot_state *a, const allot_state *b, int32_t group, int32_t leaf)
{
    const allot__units *x = &a->tasks.units[group], *y = &b->tasks.units[group];
    int32_t i = allot__units_first(x, leaf), k = allot__units_first(y, leaf);
    int32_t count = allot__units_end(x, leaf) - i;
    CHECK_EQ(allot__units_held(x, leaf), allot__units_held(y, leaf));
    if (!CHECK_EQ(count, allot__units_end(y, leaf) - k))
        return;
    for (; count > 0; count--, i++, k++) {
        CHECK_STR(id_of(a, x->tasks[i]), id_of(b, y->tasks[k]));
        CHECK(x->slots[i] == y->slots[k] && x->started[i] == y->started[k]);
        CHECK_STR(session_of(a, x->session[i]), session_of(b, y->session[k]));
    }
}

static void compare_waiting(const allot_state *a, const allot_state *b, int32_t group, int32_t leaf)
{
    int32_t count, other;
    const int32_t *x = allot__waiting_of(&a->tasks, group, leaf, &count);
    const int32_t *y = allot__waiting_of(&b->tasks, group, leaf, &other);
    if (!CHECK_EQ(count, other) || count == 0)
        return;
    for (int32_t i = 0; i < count; i++) {
        CHECK_STR(id_of(a, x[i]), id_of(b, y[i]));
        CHECK_EQ(allot__waiting_slots(&a->tasks, group, leaf)[i],
                 allot__waiting_slots(&b->tasks, group, leaf)[i]);
    }
}

static void compare_sessions(const allot_state *a, const allot_state *b, int32_t group,
                             int32_t leaf)
{
    const allot__units *x = &a->tasks.units[group], *y = &b->tasks.units[group];
    int32_t i = x->session_first ? x->session_first[leaf] : 0;
    int32_t k = y->session_first ? y->session_first[leaf] : 0;
    int32_t count = x->session_first ? x->session_first[leaf + 1] - i : 0;
    CHECK_EQ(x->session_count, y->session_count);
    if (!CHECK_EQ(count, y->session_first ? y->session_first[leaf + 1] - k : 0))
        return;
    for (; count > 0; count--, i++, k++) {
        CHECK_STR(session_of(a, x->sessions[i]), session_of(b, y->sessions[k]));
        CHECK_EQ(a->tasks.session_held[x->sessions[i]], b->tasks.session_held[y->sessions[k]]);
    }
}

static void compare(const scene *it)
{
    const allot_state *a = it->state;
    allot_state *b;
    allot_report *report;
    CHECK_EQ(allot_report_new(it->base.engine, &report), ALLOT_OK);
    CHECK_EQ(allot_state_copy(a, it->base.plan, NULL, &b), ALLOT_OK);
    CHECK_EQ(allot_state_seal(b, report), ALLOT_OK);
    CHECK_EQ(allot_report_total(it->base.report, ALLOT_WARNING),
             allot_report_total(report, ALLOT_WARNING));
    for (int32_t group = 0; group < GROUPS; group++) {
        CHECK_EQ(a->groups[group].asking, b->groups[group].asking);
        for (int32_t i = 0; i < LEAVES; i++) {
            int32_t leaf = it->leaf[i];
            compare_units(a, b, group, leaf);
            compare_waiting(a, b, group, leaf);
            compare_sessions(a, b, group, leaf);
            CHECK_EQ(a->groups[group].asks[leaf], b->groups[group].asks[leaf]);
            CHECK_EQ(allot_state_demand_get(a, group, leaf),
                     allot_state_demand_get(b, group, leaf));
            CHECK_EQ(allot_state_allocated_get(a, group, leaf),
                     allot_state_allocated_get(b, group, leaf));
        }
    }
    allot_state_free(b);
    allot_report_free(report);
}

/* Was a leaf arranged by itself since all were? */
static bool one_by_one(const allot_state *state)
{
    const allot__tasks *tasks = &state->tasks;
    bool some = false;
    for (int32_t group = 0; group < GROUPS && tasks->units; group++)
        some = some || tasks->units[group].limit || (tasks->waiting && tasks->waiting[group].limit);
    return some;
}

static void leaves_are_arranged_one_by_one(void)
{
    scene it;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        begin(&it, seed);
        for (int32_t round = 0; round < ROUNDS && check__.failed_checks == 0; round++) {
            change(&it);
            CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
            it.kept += one_by_one(it.state);
            compare(&it);
            CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
            allot_report_clear(it.base.report);
        }
        CHECK(it.kept > ROUNDS / 4);
        end(&it);
    }
}

/* Where a leaf has no session, a task may name any; with its first session that is told. */
static void a_first_session_doubts_what_tasks_name(void)
{
    scene it;
    for (int32_t waits = 0; waits < 2; waits++) {
        begin(&it, 1);
        allot_session session = {
            .id = "y", .consumer = it.leaf[0], .scheduling = ALLOT_PRIORITY, .priority = 1};
        allot_task task = {.id = "t", .consumer = it.leaf[1], .slots = 1, .session = "x"};
        task.state = waits ? ALLOT_TASK_PENDING : ALLOT_TASK_RUNNING;
        CHECK_EQ(allot_state_session(it.state, &session), ALLOT_OK);
        CHECK_EQ(allot_state_task(it.state, &task), ALLOT_OK);
        CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
        CHECK_EQ(allot_report_count(it.base.report), 0);
        CHECK_EQ(allot_state_open(it.state), ALLOT_OK);
        session.id = "z";
        session.consumer = it.leaf[1];
        CHECK_EQ(allot_state_session(it.state, &session), ALLOT_OK);
        CHECK_EQ(allot_state_seal(it.state, it.base.report), ALLOT_OK);
        CHECK_STR(fixture_code(it.base.report, 0), "W-session");
        end(&it);
    }
}

int main(void)
{
    RUN(a_first_session_doubts_what_tasks_name);
    RUN(leaves_are_arranged_one_by_one);
    return check_done();
}
