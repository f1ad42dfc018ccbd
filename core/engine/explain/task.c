/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* task.c: why a task goes or stays: the tasks that it was compared with, and what decided. */
#include "engine/explain/explain.h"

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

/* Has its leaf tasks with slots of several groups? */
static bool is_coupled(const inquiry *it)
{
    const uint8_t *coupled = it->about.work->coupled;
    return coupled && coupled[it->about.verdict.consumer];
}

/* ---- What it is ------------------------------------------------------------------------------ */

/* "4 slots of cpu and 1 slot of gpu"; with a single group "4 slots". */
static allot__sentence slots_of(const inquiry *it)
{
    allot_task task = {.also_count = 0};
    const allot_plan *plan = it->about.decision->plan;
    allot__sentence words = {.len = 0};
    allot_state_task_at(it->state, it->task, &task);
    ADD(&words, "{} slot{|s}", it->units->slots[it->unit]);
    if (task.also_count > 0)
        ADD(&words, " of {}", allot_plan_group_name(plan, task.group));
    for (int32_t i = 0; i < task.also_count; i++)
        ADD(&words, " and {} slot{|s} of {}", task.also[i].slots,
            allot_plan_group_name(plan, task.also[i].group));
    return words;
}

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

static const char *name_of(const inquiry *it, int32_t row)
{
    return allot__unit_id(it->state, it->units, it->queue->rows.base + row);
}

static void explain_what(const inquiry *it)
{
    const allot__task *task = allot__task_at(&it->state->tasks, it->task);
    const allot__label *host = allot__label_at(&it->state->tasks, task->host);
    const allot__label *session = allot__label_at(&it->state->tasks, task->session);
    int32_t count;
    allot__unit_tasks(it->units, it->unit, &count);
    SAY(&it->about,
        "{} runs on {} of {}{& on {.64}}{&, session {.64}}, {?for {} s|"
        "the state does not tell since when: it counts as running since 1970}.",
        task->thing.id, slots_of(it).text, allot__phrase_path(&it->about, task->consumer).text,
        host ? host->text : NULL, session ? session->text : NULL, task->started != 0,
        allot__ran(it->state->now, task->started));
    if (count > 1)
        SAY(&it->about,
            "{} tasks share that slot: they go or stay together, and their run time is counted as "
            "one, {} s (A-78).",
            count, allot__unit_ran(it->state, it->units, it->unit));
}

/* ---- Why it is not a candidate --------------------------------------------------------------- */

static int64_t source_at(const inquiry *it, allot_source source)
{
    int64_t room;
    return *allot__rowset_values(&it->rows.rows, source, it->at, 1, &room);
}

/* Can the value of a source still be read, now that the cycle is over? */
static bool known(const inquiry *it, allot_source source)
{
    const int64_t **functions = it->rows.rows.functions;
    if (source.kind == ALLOT_FROM_FUNCTION)
        return functions != NULL && functions[source.value];
    return source.kind != ALLOT_FROM_COLUMN || allot__unit_rows_ready(&it->rows, source.value);
}

static void explain_bounds(const inquiry *it, const allot__guard *guard)
{
    const char *name = allot__explain_source(&it->about, ALLOT_TASKS, guard->value);
    if (!known(it, guard->value))
        return;
    int64_t value = source_at(it, guard->value);
    bool flag = allot__explain_is_flag(&it->about, ALLOT_TASKS, guard->value);
    if (flag && (value < guard->min || value > guard->max))
        SAY(&it->about, "  Its {} is {}; where that is {} it may go.", name,
            allot__phrase_value(true, value).text, allot__phrase_value(true, !value).text);
    else if (value < guard->min)
        SAY(&it->about, "  Its {} is {}; from {} on, in {}, it may go.", name, value, guard->min,
            guard->min - value);
    else if (value > guard->max)
        SAY(&it->about, "  Its {} is {}; up to {} it may go.", name, value, guard->max);
    else
        SAY(&it->about, "Guard {} does not protect it: its {} is {}.", guard->label, name,
            allot__phrase_value(flag, value).text);
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

static bool explain_ineligible(const inquiry *it)
{
    uint8_t mark = mark_of(it);
    switch (mark) {
    case ALLOT__ELIGIBLE:
        return false;
    case ALLOT__INELIGIBLE_GOING:
        SAY(&it->about, "It is going already: a reclaim in flight names it (C-6).");
        return true;
    case ALLOT__INELIGIBLE_CLOSED:
        SAY(&it->about, "Its host is closed with reclaim: tasks there go, whatever the order and "
                        "whatever guards say (E-34).");
        return true;
    case ALLOT__INELIGIBLE_DRAINS:
        SAY(&it->about, "It stays: its host drains, so it may end by itself (E-34).");
        return true;
    default:
        SAY(&it->about, "It stays: guard {} protects it (C-8).",
            allot__explain_guard(&it->about, mark)->label);
        explain_bounds(it, allot__explain_guard(&it->about, mark));
        return true;
    }
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

static int64_t key_at(const inquiry *it, int32_t key, int32_t row)
{
    int64_t room;
    return *it->queue->pick.values(&it->queue->pick, key, row, 1, &room);
}

/* Explains which key distinguishes the two, and what would reverse their order. */
static void explain_key(const inquiry *it, int32_t other, bool goes)
{
    int32_t key;
    allot__victim_line_turn_back(&it->line, it->at, other);
    allot__pick_compare(&it->queue->pick, it->at, other, &key);
    if (key >= it->queue->order.count) {
        SAY(&it->about, "  All keys agree: the larger id goes first, {} against {} (C-8).",
            name_of(it, it->at), name_of(it, other));
        return;
    }
    const allot_key *by = &it->queue->order.keys[key];
    int64_t its = key_at(it, key, other);
    SAY(&it->about, "{}",
        allot__explain_decides(&it->about, by, key_at(it, key, it->at), its).text);
    if (goes)
        SAY(&it->about, "  {}",
            allot__explain_reverse(&it->about, by, its, name_of(it, other)).text);
}

/* Explains the keys, in the order in which they apply. */
static void explain_order(const inquiry *it)
{
    const allot__order *order = &it->queue->order;
    allot__sentence keys = allot__explain_keys(&it->about, ALLOT_TASKS, order);
    SAY(&it->about, "Candidates are ordered by {}; it is number {} of {} candidates.",
        order->count > 0 ? keys.text : "id", allot__victim_line_place(&it->line, it->at) + 1,
        it->line.all.count);
}

static void explain_gives(const inquiry *it)
{
    allot__phrase path = allot__phrase_path(&it->about, it->about.verdict.consumer);
    if (is_coupled(it))
        path =
            PHRASE("In {} {.200}", allot_plan_group_name(it->about.decision->plan, it->about.group),
                   allot__phrase_path(&it->about, it->about.verdict.consumer).text);
    if (it->queue->gone == 0)
        SAY(&it->about,
            "{} gives {} slot{|s} back; the tasks that go for that hold {} slot{|s} (C-8).",
            path.text, it->queue->owed, it->queue->picked.slots);
    else if (it->queue->picked.count > 0)
        SAY(&it->about,
            "{} gives {} slot{|s} back: first {} that no task uses; the tasks that go for the rest "
            "hold {} slot{|s} (C-8).",
            path.text, it->queue->owed, it->queue->gone, it->queue->picked.slots);
    else
        SAY(&it->about, "{} gives {} slot{|s} back that no task uses: they go first (C-8).",
            path.text, it->queue->owed);
}

/* If hosts are not all alike, says so: then not only the order decides (E-30). */
static bool explain_hosts_differ(const inquiry *it)
{
    if (!it->about.work->reach)
        return false;
    SAY(&it->about, "Hosts are not all alike: tasks on hosts that the claimants can use go before "
                    "others (E-30).");
    return true;
}

static void explain_going(const inquiry *it)
{
    int32_t next = allot__victim_line_last(&it->line) + 1;
    SAY(&it->about, "It is reclaimed.");
    explain_gives(it);
    explain_order(it);
    if (next < it->line.all.count) {
        int32_t other = it->line.all.rows[next];
        SAY(&it->about, "The first that stays is {}.", name_of(it, other));
        explain_key(it, other, true);
    } else {
        SAY(&it->about, "There is no candidate behind those that go.");
    }
    int64_t less = it->queue->owed - it->queue->gone - allot__victim_line_before(&it->line, it->at);
    if (explain_hosts_differ(it))
        less = 0;
    if (less > 0)
        SAY(&it->about, "It would stay if {} gave {} less.",
            allot__phrase_path(&it->about, it->about.verdict.consumer).text, less);
    const allot__vector *guards = &it->about.rules->policy->guards;
    for (size_t i = 0; i < guards->count; i++)
        explain_bounds(it, (const allot__guard *)guards->items + i);
}

static void explain_spared(const inquiry *it)
{
    SAY(&it->about, "It stays.");
    explain_gives(it);
    explain_order(it);
    if (explain_hosts_differ(it))
        return;
    if (it->queue->picked.count > 0) {
        int32_t place = allot__victim_line_last(&it->line);
        int32_t last = it->line.all.rows[place];
        if (allot__victim_line_place(&it->line, it->at) < place) {
            SAY(&it->about,
                "It stands before {}, but the others cover what is given without it: it is spared "
                "(C-8).",
                name_of(it, last));
            return;
        }
        SAY(&it->about, "The last that goes is {}.", name_of(it, last));
        explain_key(it, last, false);
    }
    SAY(&it->about, "It would go if {} gave {} more.",
        allot__phrase_path(&it->about, it->about.verdict.consumer).text,
        allot__victim_line_before(&it->line, it->at) + 1 + it->queue->idle - it->queue->owed);
}

/* ---- Goes or stays --------------------------------------------------------------------------- */

static void explain_alone(const inquiry *it)
{
    if (explain_ineligible(it))
        return;
    if (!it->queue || it->queue->picked.count + it->queue->gone == 0) {
        SAY(&it->about, "{} gives nothing back: nothing of it has to go.",
            allot__phrase_path(&it->about, it->about.verdict.consumer).text);
        return;
    }
    if (picked(it, it->at))
        explain_going(it);
    else
        explain_spared(it);
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

static bool is_chosen(const inquiry *it)
{
    const uint8_t *chosen = it->about.work->chosen;
    return chosen[it->task / 8] >> it->task % 8 & 1;
}

/* Explains what its leaf gives back in one group, and its place there. */
static int explain_in_group(const inquiry *it, int32_t group, bool *gives)
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
    if (status == ALLOT_OK)
        explain_gives(&there);
    if (status == ALLOT_OK && mark_of(&there) == ALLOT__ELIGIBLE)
        explain_order(&there);
    *gives = true;
    allot__arena_free(&arena);
    return status;
}

/* A leaf whose tasks have slots of several groups gives them back in all of these at once. */
static int explain_coupled(const inquiry *it)
{
    bool gives = false, chosen = is_chosen(it);
    if (chosen)
        SAY(&it->about, "It is reclaimed, with its slots of all groups (C-13).");
    else if (explain_ineligible(it))
        return ALLOT_OK;
    else
        SAY(&it->about, "It stays.");
    int status = ALLOT_OK;
    for (int32_t i = 0; i < it->about.decision->plan->group_count && status == ALLOT_OK; i++)
        status = explain_in_group(it, i, &gives);
    if (gives)
        SAY(&it->about,
            "From the last of the candidates on, each stays that fits into what is left of every "
            "group: {?it does not|it does} (C-13).",
            chosen);
    else
        SAY(&it->about, "{} gives nothing back: nothing of it has to go.",
            allot__phrase_path(&it->about, it->about.verdict.consumer).text);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int explain_running(inquiry *it)
{
    allot__arena arena;
    allot__arena_init(&arena, it->about.decision->plan->engine);
    int status = it->queue ? allot__victim_line_make(&it->keys, &arena, &it->line) : ALLOT_OK;
    if (status == ALLOT_OK)
        explain_what(it);
    if (status == ALLOT_OK && is_coupled(it))
        status = explain_coupled(it);
    else if (status == ALLOT_OK)
        explain_alone(it);
    allot__arena_free(&arena);
    return status;
}

int allot_explain_task(const allot_decision *decision, const char *id,
                       void (*line)(void *ud, const char *text), void *ud)
{
    if (!decision || !id || !line || decision->last < ALLOT_STAGE_ORDERS)
        return ALLOT_EUSAGE;
    inquiry it = {.state = decision->state, .about = {.line = line, .ud = ud}};
    it.task = allot__task_find(decision->state, id);
    if (it.task < 0)
        return ALLOT_ENOENT;
    find_leaf(&it, decision);
    if (allot__task_at(&it.state->tasks, it.task)->pending)
        return allot__explain_pending(&it.about, it.task);
    look(&it);
    return explain_running(&it);
}
