/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: why a task goes or stays: the tasks that it was compared with, and what decided. */
#include "engine/explain/facts.h"
#include "engine/victims/claimant.h"

/* A task and the units that it is compared with. */
typedef struct inquiry {
    allot__explanation about;  /* of the leaf */
    const allot__queue *queue; /* NULL: its leaf names no tasks */
    const allot__units *units;
    const allot_state *state;
    int32_t task, unit;
    int32_t at;              /* its row among the leaf's units */
    allot__unit_rows rows;   /* to read columns */
    allot__queue keys;       /* the keys of `queue`, each by itself */
    allot__victim_line line; /* of `keys`: all candidates */
} inquiry;

/* ---- What it is ------------------------------------------------------------------------------ */

/* The unit of a task. */
static int32_t unit_of(const allot__units *units, const allot__task *task, int32_t number)
{
    for (int32_t unit = units->first[task->consumer]; unit < units->end[task->consumer]; unit++) {
        int32_t count;
        const int32_t *tasks = allot__unit_tasks(units, unit, &count);
        for (int32_t i = 0; i < count; i++)
            if (tasks[i] == number)
                return unit;
    }
    return -1;
}

static void put_slots(const inquiry *it, int32_t group, int64_t slots)
{
    OBJECT(&it->about, NULL, "slots group", slots,
           allot_plan_group_name(it->about.decision->plan, group));
}

static void explain_what(const inquiry *it)
{
    const allot__explanation *about = &it->about;
    const allot__task *of = allot__task_at(&it->state->tasks, it->task);
    const allot__label *host = allot__label_at(&it->state->tasks, of->host);
    const allot__label *session = allot__label_at(&it->state->tasks, of->session);
    allot_task task = {.also_count = 0};
    int32_t count;
    allot_state_task_at(it->state, it->task, &task);
    FACTS(about, "id path", of->thing.id, allot__path(about, of->consumer).text);
    allot__facts_open(about, "slots", "[");
    put_slots(it, task.group, it->units->slots[it->unit]);
    for (int32_t i = 0; i < task.also_count; i++)
        put_slots(it, task.also[i].group, task.also[i].slots);
    allot__facts_end(about, "]");
    FACTS(about, "host session", host ? host->text : NULL, session ? session->text : NULL);
    if (of->started != 0)
        FACTS(about, "ran", allot__ran(it->state->now, of->started));
    allot__unit_tasks(it->units, it->unit, &count);
    FACTS(about, "sharing sharing_ran", count, allot__unit_ran(it->state, it->units, it->unit));
}

/* ---- Guards ---------------------------------------------------------------------------------- */

/* Can the value of a source still be read, now that the cycle is over? */
static bool known(const inquiry *it, allot_source source)
{
    const int64_t **functions = it->rows.rows.functions;
    if (source.kind == ALLOT_FROM_FUNCTION)
        return functions != NULL && functions[source.value];
    return source.kind != ALLOT_FROM_COLUMN || allot__unit_rows_ready(&it->rows, source.value);
}

static void put_guard(const inquiry *it, const char *name, const allot__guard *guard)
{
    const allot__explanation *about = &it->about;
    int64_t room;
    allot__facts_open(about, name, "{");
    FACTS(about, "label", guard->label);
    if (known(it, guard->value)) {
        FACTS(about, "name flag? value min max",
              allot__explain_source(about, ALLOT_TASKS, guard->value),
              allot__explain_is_flag(about, ALLOT_TASKS, guard->value),
              *allot__rowset_values(&it->rows.rows, guard->value, it->at, 1, &room), guard->min,
              guard->max);
    }
    allot__facts_end(about, "}");
}

/* Why it is not a candidate, or that it is one. */
static uint8_t mark_of(const inquiry *it)
{
    const uint8_t *ineligible = it->about.decided->victims.ineligible;
    if (ineligible)
        return ineligible[it->unit];
    bool going = allot__unit_going(it->state, it->units, it->unit);
    return going ? ALLOT__INELIGIBLE_GOING : ALLOT__ELIGIBLE;
}

static void put_mark(const inquiry *it)
{
    static const char *const marks[ALLOT__INELIGIBLE_GUARD] = {
        [ALLOT__INELIGIBLE_GOING] = "going",
        [ALLOT__INELIGIBLE_CLOSED] = "closed",
        [ALLOT__INELIGIBLE_DRAINS] = "drains"};
    uint8_t mark = mark_of(it);
    const allot__guard *guard = allot__explain_guard(&it->about, mark);
    if (guard)
        put_guard(it, "guard", guard);
    else
        FACTS(&it->about, "mark", marks[mark]);
}

/* ---- Its place in the order ------------------------------------------------------------------ */

static bool picked(const inquiry *it, int32_t row)
{
    const allot__picked *list = &it->queue->picked;
    for (int32_t i = 0; i < list->count; i++)
        if (list->rows[i] == row)
            return true;
    return false;
}

static const char *name_of(const inquiry *it, int32_t row)
{
    return allot__unit_id(it->state, it->units, it->queue->rows.base + row);
}

static int64_t key_at(const inquiry *it, int32_t key, int32_t row)
{
    int64_t room;
    return *it->queue->pick.values(&it->queue->pick, key, row, 1, &room);
}

/* Another task, and the key that distinguishes the two. */
static void put_other(const inquiry *it, int32_t other)
{
    int32_t key;
    FACTS(&it->about, "other own", name_of(it, other), name_of(it, it->at));
    allot__victim_line_turn_back(&it->line, it->at, other);
    allot__pick_compare(&it->queue->pick, it->at, other, &key);
    if (key < it->queue->order.count)
        allot__explain_key(&it->about, "key", &it->queue->order.keys[key], key_at(it, key, it->at),
                           key_at(it, key, other));
}

/* What its leaf gives back, and with `place` where the task stands among the candidates. */
static void put_queue(const inquiry *it, bool place)
{
    const allot__explanation *about = &it->about;
    const allot__queue *queue = it->queue;
    FACTS(about, "owed idle picked picked_slots", queue->owed, queue->gone, queue->picked.count,
          queue->picked.slots);
    if (!place)
        return;
    allot__explain_keys(about, ALLOT_TASKS, &queue->order);
    FACTS(about, "number candidates", allot__victim_line_place(&it->line, it->at) + 1,
          it->line.all.count);
}

static void put_going(const inquiry *it)
{
    const allot__explanation *about = &it->about;
    const allot__vector *guards = &about->rules->policy->guards;
    int32_t next = allot__victim_line_last(&it->line) + 1;
    int64_t before = allot__victim_line_before(&it->line, it->at);
    if (next < it->line.all.count)
        put_other(it, it->line.all.rows[next]);
    FACTS(about, "less", it->queue->owed - it->queue->gone - before);
    allot__facts_open(about, "guards", "[");
    for (size_t i = 0; i < guards->count; i++)
        put_guard(it, NULL, (const allot__guard *)guards->items + i);
    allot__facts_end(about, "]");
}

static void put_staying(const inquiry *it)
{
    const allot__queue *queue = it->queue;
    int32_t last = queue->picked.count > 0 ? allot__victim_line_last(&it->line) : -1;
    FACTS(&it->about, "spared?", last >= 0 && allot__victim_line_place(&it->line, it->at) < last);
    if (last >= 0 && !it->about.work->reach)
        put_other(it, it->line.all.rows[last]);
    FACTS(&it->about, "more",
          allot__victim_line_before(&it->line, it->at) + 1 + queue->idle - queue->owed);
}

/* ---- Goes or stays --------------------------------------------------------------------------- */

static void explain_alone(const inquiry *it)
{
    bool gives = it->queue && it->queue->picked.count + it->queue->gone > 0;
    if (mark_of(it) != ALLOT__ELIGIBLE || !gives)
        return;
    put_queue(it, true);
    FACTS(&it->about, "differ? goes?", it->about.work->reach != NULL, picked(it, it->at));
    if (picked(it, it->at))
        put_going(it);
    else
        put_staying(it);
}

/* ---- By claimant ----------------------------------------------------------------------------- */

/* Why the task goes or stays for one claimant; *goes: it goes. */
static int explain_taking(const inquiry *it, const allot__taking *taking, bool *goes)
{
    inquiry there = *it;
    const allot__explanation *about = &it->about;
    const allot__work *work = about->work;
    const allot__guard *guard = allot__explain_guard(about, taking->from[it->at]);
    allot__arena arena;
    allot__arena_init(&arena, work->plan->engine);
    there.keys = taking->queue;
    allot__queue_split(&there.keys);
    there.queue = &there.keys;
    there.rows = there.keys.rows;
    int status = allot__victim_line_make(&there.keys, &arena, &there.line);
    *goes = picked(&there, it->at);
    if (status == ALLOT_OK) {
        allot__facts_open(about, NULL, "{");
        FACTS(about, "path claimant", allot__path(about, about->verdict.consumer).text,
              allot__path(about, allot__handle(work, taking->claimant)).text);
        put_queue(&there, !guard);
        FACTS(about, "goes?", *goes);
        if (guard)
            put_guard(&there, "guard", guard);
        else
            (*goes ? put_going : put_staying)(&there);
        allot__facts_end(about, "}");
    }
    allot__arena_free(&arena);
    return status;
}

/* For each claimant that its leaf gives slots to, up to the one that it goes for; false in *left:
 * it goes for one. */
static int explain_claimants(const inquiry *it, bool *left)
{
    const allot__giving *giving =
        allot__claimants_given(&it->about.decided->victims, it->about.row);
    const allot__taking *taking = giving ? giving->first : NULL;
    bool goes = false;
    int status = ALLOT_OK;
    if (taking && mark_of(it) == ALLOT__ELIGIBLE) {
        allot__facts_open(&it->about, "claimants", "[");
        for (; taking && !goes && status == ALLOT_OK; taking = taking->next)
            status = explain_taking(it, taking, &goes);
        allot__facts_end(&it->about, "]");
    }
    *left = !goes;
    return status;
}

/* Finds the leaf of the task, which has a number for each of its groups. */
static void find_leaf(inquiry *it, const allot_decision *decision)
{
    const allot__task *task = allot__task_at(&decision->state->tasks, it->task);
    const allot__decided *decided = &decision->groups[task->group];
    int32_t row = allot__row(decision->plan, task->group, task->consumer);
    it->about.decision = decision;
    it->about.decided = decided;
    it->about.work = &decided->work;
    it->about.rules = allot__rules_at(&decided->work, row);
    it->about.group = task->group;
    it->about.row = row;
    it->about.verdict.consumer = task->consumer;
}

/* Finds its unit and queue, if it runs. */
static void look(inquiry *it)
{
    const allot__task *task = allot__task_at(&it->state->tasks, it->task);
    const allot__decided *decided = it->about.decided;
    it->units = allot__units_of(&decided->work);
    it->unit = unit_of(it->units, task, it->task);
    it->at = it->unit - it->units->first[task->consumer];
    const allot__queue *queue = allot__victims_queue(&decided->victims, it->about.row);
    if (queue) {
        it->keys = *queue;
        allot__queue_split(&it->keys);
        it->queue = &it->keys;
        it->rows = it->queue->rows;
    } else {
        allot__unit_rows_init(&it->rows, &decided->work);
        allot__unit_rows_turn(&it->rows, task->consumer);
    }
}

/* ---- Of several groups ----------------------------------------------------------------------- */

/* What its leaf gives back in one group, and its place there. */
static int explain_in_group(const inquiry *it, int32_t group)
{
    inquiry there = {.state = it->state, .about = it->about};
    allot__arena arena;
    there.task = allot__task_in(&it->state->tasks, it->task, group);
    if (there.task < 0)
        return ALLOT_OK;
    find_leaf(&there, it->about.decision);
    look(&there);
    if (!there.queue || there.queue->owed == 0)
        return ALLOT_OK;
    allot__arena_init(&arena, it->about.decision->plan->engine);
    int status = allot__victim_line_make(&there.keys, &arena, &there.line);
    if (status == ALLOT_OK) {
        allot__facts_open(&there.about, NULL, "{");
        FACTS(&there.about, "group path", allot_plan_group_name(it->state->plan, group),
              allot__path(&there.about, there.about.verdict.consumer).text);
        put_queue(&there, mark_of(&there) == ALLOT__ELIGIBLE);
        allot__facts_end(&there.about, "}");
    }
    allot__arena_free(&arena);
    return status;
}

/* A leaf whose tasks have slots of several groups gives them back in all of these at once. */
static int explain_coupled(const inquiry *it)
{
    const uint8_t *chosen = it->about.work->chosen;
    int status = ALLOT_OK;
    FACTS(&it->about, "goes?", chosen[it->task / 8] >> it->task % 8 & 1);
    allot__facts_open(&it->about, "groups", "[");
    for (int32_t i = 0; i < it->about.decision->plan->group_count && status == ALLOT_OK; i++)
        status = explain_in_group(it, i);
    allot__facts_end(&it->about, "]");
    return status;
}

/* ---- Inside its leaf ------------------------------------------------------------------------- */

/* The pending task that takes its place; false: none does. */
static bool put_inside(const inquiry *it)
{
    const allot_decision *decision = it->about.decision;
    int32_t first = allot__task_first(&it->state->tasks, it->task);
    allot_reclaim reclaim;
    for (int32_t i = 0; i < allot_decision_reclaims(decision); i++) {
        allot_decision_reclaim(decision, i, &reclaim);
        for (int32_t k = 0; reclaim.pending >= 0 && k < reclaim.task_count; k++)
            if (reclaim.tasks[k] == first) {
                FACTS(&it->about, "inside",
                      allot__task_at(&it->state->tasks, reclaim.pending)->thing.id);
                return true;
            }
    }
    return false;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int explain_running(inquiry *it)
{
    const uint8_t *coupled = it->about.work->coupled;
    bool left = false;
    allot__arena arena;
    allot__arena_init(&arena, it->about.decision->plan->engine);
    int status = it->queue ? allot__victim_line_make(&it->keys, &arena, &it->line) : ALLOT_OK;
    if (status == ALLOT_OK) {
        explain_what(it);
        put_mark(it);
        if (put_inside(it))
            status = ALLOT_OK;
        else if (coupled && coupled[it->about.verdict.consumer])
            status = explain_coupled(it);
        else
            status = explain_claimants(it, &left);
        if (left)
            explain_alone(it);
    }
    allot__arena_free(&arena);
    return status;
}

int allot__facts_task(const allot_decision *decision, const char *id, allot__text *to)
{
    if (decision->last < ALLOT_STAGE_ORDERS)
        return ALLOT_EUSAGE;
    inquiry it = {.state = decision->state, .about = {.to = to}};
    it.task = allot__task_find(decision->state, id);
    if (it.task < 0)
        return ALLOT_ENOENT;
    find_leaf(&it, decision);
    if (allot__task_at(&it.state->tasks, it.task)->pending)
        return allot__explain_pending(&it.about, it.task);
    look(&it);
    return explain_running(&it);
}
