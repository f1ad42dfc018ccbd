/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* units.c: columns of units, looked up in the model and in tables of sessions and sites. */
#include "engine/victims/units.h"

#include <string.h>

const char *allot__unit_id(const allot_state *state, const allot__units *units, int32_t unit)
{
    int32_t count;
    const int32_t *tasks = allot__unit_tasks(units, unit, &count);
    const char *id = allot__task_at(&state->tasks, tasks[0])->thing.id;
    for (int32_t i = 1; i < count; i++) {
        const char *other = allot__task_at(&state->tasks, tasks[i])->thing.id;
        id = strcmp(other, id) > 0 ? other : id;
    }
    return id;
}

bool allot__unit_going(const allot_state *state, const allot__units *units, int32_t unit)
{
    int32_t count;
    const int32_t *tasks = allot__unit_tasks(units, unit, &count);
    bool going = false;
    for (int32_t i = 0; i < count; i++)
        going = going || allot__task_named(&state->tasks, tasks[i]);
    return going;
}

int64_t allot__ran(int64_t now, int64_t then)
{
    int64_t ran;
    bool ages = __builtin_sub_overflow(now, then, &ran);
    return then >= now ? 0 : ages ? INT64_MAX : ran;
}

int64_t allot__unit_ran(const allot_state *state, const allot__units *units, int32_t unit)
{
    int32_t count;
    if (!units->begin || units->begin[unit + 1] - units->begin[unit] == 1)
        return allot__ran(state->now, units->started[unit]);
    const int32_t *tasks = allot__unit_tasks(units, unit, &count);
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++) {
        int64_t ran = allot__ran(state->now, allot__task_at(&state->tasks, tasks[i])->started);
        sum = INT64_MAX - sum < ran ? INT64_MAX : sum + ran;
    }
    return sum;
}

/* Is a consumer exclusive (H-14), by its own column or a parent's: alone on its hosts? */
static bool is_exclusive(const allot__work *work, int32_t row)
{
    const int32_t *exclusive = work->group->columns[ALLOT_EXCLUSIVE];
    while (row >= 0 && exclusive[row] == 0)
        row = allot__above(work, row);
    return row >= 0;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

bool allot__session_column(int32_t column)
{
    return column == ALLOT_TASK_PREEMPTION_RANK || column == ALLOT_TASK_PRIORITY ||
           column == ALLOT_TASK_CREATED || column == ALLOT_TASK_JOINED ||
           column == ALLOT_TASK_SESSION_OVER;
}

/* Is a column the same for all units on a host? */
static bool site_column(int32_t column)
{
    return column == ALLOT_TASK_HOST || column == ALLOT_TASK_LOAD;
}

/* On an exclusive host, the importance of the most important session there (XV-4). */
static int64_t site_importance(const allot__site *site)
{
    return site->important > 0 ? site->important : 0;
}

static int64_t session_value(const allot__work *work, int32_t column, int32_t number)
{
    const allot__tasks *tasks = &work->state->tasks;
    const allot_session *session = (const allot_session *)tasks->sessions.items + number;
    switch (column) {
    case ALLOT_TASK_PREEMPTION_RANK:
        return session->preemption_rank;
    case ALLOT_TASK_PRIORITY:
        return session->priority;
    case ALLOT_TASK_CREATED:
        return session->created;
    case ALLOT_TASK_JOINED:
        return session->scheduling == ALLOT_PRIORITY ? session->created : 0;
    case ALLOT_TASK_SESSION_OVER:
        return tasks->session_held[number] -
               (work->session_quota ? work->session_quota[number] : 0);
    default: /* ALLOT_TASK_IMPORTANCE */
        return session->scheduling == ALLOT_PRIORITY ? session->priority : session->preemption_rank;
    }
}

static int make_session_table(allot__unit_rows *rows, int32_t column)
{
    const allot__work *work = rows->rows.work;
    size_t count = work->state->tasks.sessions.count;
    int64_t *table = allot__arena_take(work->arena, count + 1, sizeof *table);
    if (!table)
        return ALLOT_ENOMEM;
    table[0] = column == ALLOT_TASK_PRIORITY; /* without a session: 1, else 0 */
    for (size_t i = 0; i < count; i++)
        table[i + 1] = session_value(work, column, (int32_t)i);
    rows->of_session[column] = table;
    return ALLOT_OK;
}

int64_t allot__lot_of(int64_t seed, const char *name)
{
    size_t len = strlen(name);
    uint64_t hash = (uint64_t)allot__hash(1, name, len) << 32 | allot__hash(2, name, len);
    return (int64_t)(allot__mixed(hash ^ allot__mixed((uint64_t)seed)) >> 11);
}

static int make_site_table(allot__unit_rows *rows, int32_t column)
{
    const allot__work *work = rows->rows.work;
    const allot__tasks *tasks = &work->state->tasks;
    int64_t seed = work->group->options[ALLOT_OPTION_SEED];
    int64_t *table = allot__arena_take(work->arena, (size_t)tasks->site_count + 1, sizeof *table);
    if (!table)
        return ALLOT_ENOMEM;
    table[0] = column == ALLOT_TASK_HOST ? ALLOT__LOT_LAST : 0;
    for (int32_t i = 0; i < tasks->site_count; i++) {
        const allot__site *site = &tasks->sites[i];
        table[i + 1] = column == ALLOT_TASK_IMPORTANCE ? site_importance(site)
                       : column == ALLOT_TASK_LOAD     ? (site->load > 0 ? site->load : 0)
                       : seed == 0                     ? i
                                                       : allot__lot_of(seed, site->name);
    }
    rows->of_site[column] = table;
    return ALLOT_OK;
}

static bool site_exclusive(const allot__unit_rows *rows, int32_t site)
{
    return site >= 0 &&
           (rows->guarded ||
            (rows->shared && rows->rows.work->state->tasks.sites[site].exclusive_to != ALLOT_ROOT));
}

/* How a leaf's sessions are scheduled; proportionally if there are none. */
static allot_scheduling scheduling_of(const allot__unit_rows *rows, int32_t leaf)
{
    const allot__units *units = rows->units;
    const allot_session *sessions = rows->rows.work->state->tasks.sessions.items;
    bool any =
        units->session_count > 0 && units->session_first[leaf + 1] > units->session_first[leaf];
    return any ? sessions[units->sessions[units->session_first[leaf]]].scheduling
               : ALLOT_PROPORTIONAL;
}

static int make_table(allot__unit_rows *rows, int32_t column)
{
    bool importance = column == ALLOT_TASK_IMPORTANCE;
    int status = ALLOT_OK;
    if ((importance || allot__session_column(column)) && !rows->of_session[column])
        status = make_session_table(rows, column);
    bool sites = site_column(column) || (importance && !allot__unit_rows_ready(rows, column));
    return status == ALLOT_OK && sites && !rows->of_site[column] ? make_site_table(rows, column)
                                                                 : status;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static const int64_t *look_up(const int64_t *table, const int32_t *of, int32_t n, int64_t *room)
{
    for (int32_t i = 0; i < n; i++)
        room[i] = table[of[i] + 1];
    return room;
}

static const int64_t *widen(const int32_t *values, int32_t n, int64_t *room)
{
    for (int32_t i = 0; i < n; i++)
        room[i] = values[i];
    return room;
}

static const int64_t *importance(const allot__unit_rows *rows, int32_t unit, int32_t n,
                                 int64_t *room)
{
    const allot__units *units = rows->units;
    look_up(rows->of_session[ALLOT_TASK_IMPORTANCE], units->session + unit, n, room);
    for (int32_t i = 0; i < n && rows->scheduling == ALLOT_PRIORITY; i++)
        room[i] = units->session[unit + i] < 0 ? 1 : room[i];
    for (int32_t i = 0; i < n && (rows->guarded || rows->shared); i++) {
        int32_t site = units->site[unit + i];
        if (site_exclusive(rows, site))
            room[i] = rows->of_site[ALLOT_TASK_IMPORTANCE][site + 1];
    }
    return room;
}

/* Of several tasks the latest, or the most. */
static const int64_t *of_tasks(const allot__unit_rows *rows, int32_t column, int32_t unit,
                               int32_t n, int64_t *room)
{
    const allot__tasks *all = &rows->rows.work->state->tasks;
    for (int32_t i = 0; i < n; i++) {
        int32_t count;
        const int32_t *tasks = allot__unit_tasks(rows->units, unit + i, &count);
        room[i] = INT64_MIN;
        for (int32_t k = 0; k < count; k++) {
            const allot__task *task = allot__task_at(all, tasks[k]);
            int64_t of = column == ALLOT_TASK_SUBMITTED ? task->submitted
                         : column == ALLOT_TASK_PREEMPTED
                             ? task->preempted
                             : allot__waited(rows->rows.work->state->now, task->submitted);
            room[i] = of > room[i] ? of : room[i];
        }
    }
    return room;
}

static const int64_t *lots(const allot__unit_rows *rows, int32_t unit, int32_t n, int64_t *room)
{
    const allot__work *work = rows->rows.work;
    int64_t seed = work->group->options[ALLOT_OPTION_SEED];
    for (int32_t i = 0; i < n; i++) {
        room[i] =
            seed == 0 ? 0 : allot__lot_of(seed, allot__unit_id(work->state, rows->units, unit + i));
    }
    return room;
}

static const int64_t *least_ran(const allot__unit_rows *rows, int32_t unit, int32_t n,
                                int64_t *room)
{
    const int64_t *started = rows->units->started + unit;
    int64_t now = rows->rows.work->state->now;
    for (int32_t i = 0; i < n; i++)
        room[i] = allot__ran(now, started[i]);
    return room;
}

static const int64_t *ran(const allot__unit_rows *rows, int32_t unit, int32_t n, int64_t *room)
{
    const allot_state *state = rows->rows.work->state;
    if (rows->units->begin) {
        for (int32_t i = 0; i < n; i++)
            room[i] = allot__unit_ran(state, rows->units, unit + i);
        return room;
    }
    return least_ran(rows, unit, n, room);
}

/* Columns of jobs: those that count down are unbounded, all others are 0. */
static const int64_t *of_jobs(int32_t column, int32_t n, int64_t *room)
{
    bool left = column >= ALLOT_TASK_PREEMPTIONS_LEFT && column <= ALLOT_TASK_FINISH_TIME_LEFT;
    bool counts = column == ALLOT_TASK_REMAINING || left;
    for (int32_t i = 0; i < n; i++)
        room[i] = counts ? ALLOT_AMOUNT_MAX : 0;
    return room;
}

static const int64_t *read_column(const allot__rowset *rowset, int32_t column, int32_t first,
                                  int32_t n, int64_t *room)
{
    const allot__unit_rows *rows = (const allot__unit_rows *)(const void *)rowset;
    const allot__units *units = rows->units;
    int32_t unit = rows->base + first;
    if (allot__session_column(column))
        return look_up(rows->of_session[column], units->session + unit, n, room);
    if (site_column(column))
        return look_up(rows->of_site[column], units->site + unit, n, room);
    switch (column) {
    case ALLOT_TASK_SLOTS:
        return widen(units->slots + unit, n, room);
    case ALLOT_TASK_STARTED:
        return units->started + unit;
    case ALLOT_TASK_SUBMITTED:
    case ALLOT_TASK_PREEMPTED:
    case ALLOT_TASK_WAITED:
        return of_tasks(rows, column, unit, n, room);
    case ALLOT_TASK_IMPORTANCE:
        return importance(rows, unit, n, room);
    case ALLOT_TASK_RAN:
        return ran(rows, unit, n, room);
    case ALLOT_TASK_LEAST_RAN:
    case ALLOT_TASK_UNINTERRUPTED:
        return least_ran(rows, unit, n, room);
    case ALLOT_TASK_LOT:
        return lots(rows, unit, n, room);
    default: {
        int32_t own = column - ALLOT_TASK_COLUMN_COUNT;
        if (own < 0)
            return of_jobs(column, n, room);
        int32_t number = allot__task_attribute_of(rowset->work->plan, rowset->rules->policy, own);
        return widen(units->attributes[number] + unit, n, room);
    }
    }
}

/* ---- Leaves ---------------------------------------------------------------------------------- */

static int32_t first_task(const allot__rowset *rowset, int32_t row)
{
    const allot__unit_rows *rows = (const allot__unit_rows *)(const void *)rowset;
    int32_t count;
    return allot__task_first(&rowset->work->state->tasks,
                             *allot__unit_tasks(rows->units, rows->base + row, &count));
}

void allot__unit_rows_init(allot__unit_rows *rows, const allot__work *work)
{
    const allot__tasks *tasks = &work->state->tasks;
    *rows = (allot__unit_rows){
        .rows = {.work = work, .kind = ALLOT_TASKS, .column = read_column, .item = first_task},
        .units = allot__units_of(work)};
    for (int32_t i = 0; i < tasks->site_count; i++)
        rows->shared = rows->shared || tasks->sites[i].exclusive_to != ALLOT_ROOT;
}

void allot__unit_rows_turn(allot__unit_rows *rows, int32_t leaf)
{
    const allot__work *work = rows->rows.work;
    int32_t row = allot__row(work->plan, work->index, leaf);
    rows->base = rows->units->first[leaf];
    rows->rows.leaf = leaf;
    rows->rows.count = rows->units->end[leaf] - rows->base;
    rows->rows.rules = allot__rules_at(work, row);
    rows->guarded = is_exclusive(work, row);
    rows->scheduling = scheduling_of(rows, leaf);
}

int allot__unit_rows_leaf(allot__unit_rows *rows, int32_t leaf)
{
    allot__unit_rows_turn(rows, leaf);
    return allot__rowset_begin(&rows->rows);
}

bool allot__unit_rows_ready(const allot__unit_rows *rows, int32_t column)
{
    if (column == ALLOT_TASK_IMPORTANCE) {
        return rows->of_session[column] != NULL &&
               (rows->of_site[column] != NULL || !(rows->guarded || rows->shared));
    }
    return allot__session_column(column) ? rows->of_session[column] != NULL
           : site_column(column)         ? rows->of_site[column] != NULL
                                         : true;
}

int allot__unit_rows_prepare(allot__unit_rows *rows, allot_source source)
{
    if (source.kind == ALLOT_FROM_COLUMN)
        return make_table(rows, source.value);
    int status = ALLOT_OK;
    if (source.kind == ALLOT_FROM_FUNCTION) {
        const allot__vector *functions = &rows->rows.rules->policy->functions;
        const allot__function *function = (const allot__function *)functions->items + source.value;
        for (int32_t i = 0; i < function->count && status == ALLOT_OK; i++)
            status = make_table(rows, function->columns[i]);
    }
    return status == ALLOT_OK ? allot__rowset_prepare(&rows->rows, source) : status;
}
