/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state_copy.c: a state under another plan: copies all that was set, by names.
 *
 * A state consists of what its setters were given, so a copy is made by the same setters, and
 * checked as every state is.
 */
#include <string.h>

#include <allot/stated.h>

#include "model/jobs/queue.h"
#include "model/state/job.h"
#include "model/state/state.h"

typedef struct copying {
    const allot_state *from;
    allot_state *to;
    allot_report *report;
    const allot_plan_map *map;
    bool moves; /* the source is no longer needed */
    char *room; /* scratch for the item being copied */
    size_t room_size;
} copying;

/* ---- Who is who ------------------------------------------------------------------------------ */

/* ENOENT: the other plan lacks what the state names; reported. */
static int lacks(const copying *it, const char *what, const char *name)
{
    allot_report_say(it->report, ALLOT_ERROR, "E-unknown-path",
                     "the state names the %s %.200s, but the plan that is to decide about it "
                     "has none of that name",
                     what, name);
    return ALLOT_ENOENT;
}

static int no_consumer(const copying *it, int32_t consumer)
{
    char path[256];
    allot_plan_path(it->from->plan, consumer, path, sizeof path);
    return lacks(it, "consumer", path);
}

static int move_consumer(const copying *it, int32_t consumer, int32_t *out)
{
    *out = consumer == ALLOT_ROOT ? ALLOT_ROOT : it->map->consumers[consumer];
    return consumer != ALLOT_ROOT && *out < 0 ? no_consumer(it, consumer) : ALLOT_OK;
}

static int move_group(const copying *it, int32_t group, int32_t *out)
{
    *out = it->map->groups[group];
    return *out >= 0 ? ALLOT_OK : lacks(it, "group", allot_plan_group_name(it->from->plan, group));
}

static int move_attribute(const copying *it, int32_t attribute, int32_t *out)
{
    allot_attribute of = {0};
    allot_plan_task_attribute_at(it->from->plan, attribute, &of);
    *out = it->map->attributes[attribute];
    return *out >= 0 ? ALLOT_OK : lacks(it, "attribute of tasks", of.name);
}

static int move_resource(const copying *it, int32_t resource, int32_t *out)
{
    allot_resource of = {0};
    allot_plan_resource_at(it->from->plan, resource, &of);
    *out = allot_plan_resource_find(it->to->plan, of.name);
    return *out >= 0 ? ALLOT_OK : lacks(it, "resource", of.name);
}

/* Moves a number of an item; a queue's number is a consumer's. */
static int move_number(void *ud, allot_member_type type, void *number)
{
    int32_t *of = number;
    if (type == ALLOT_MEMBER_GROUP || type == ALLOT_MEMBER_SLOTS)
        return move_group(ud, *of, of);
    if (type == ALLOT_MEMBER_AMOUNTS)
        return move_resource(ud, *of, of);
    return (type == ALLOT_MEMBER_VALUES ? move_attribute : move_consumer)(ud, *of, of);
}

/* ---- What consumers want and hold ------------------------------------------------------------ */

static bool has_leaf(const copying *it, int32_t consumer)
{
    int32_t other = it->map->consumers[consumer];
    return other >= 0 && allot__plan_leaf(it->to->plan, other);
}

static int copy_row(copying *it, int32_t group, int32_t to, int32_t consumer)
{
    allot_stated_leaf row;
    int32_t other;
    if (allot_state_row_get(it->from, group, consumer, &row) != ALLOT_OK)
        return ALLOT_OK; /* a parent */
    bool nothing = row.demand <= 0 && row.allocated <= 0;
    if (nothing && (to < 0 || !has_leaf(it, consumer)))
        return ALLOT_OK;
    int status = move_group(it, group, &to);
    if (status == ALLOT_OK)
        status = move_consumer(it, consumer, &other);
    if (status == ALLOT_OK)
        status = allot_state_row_set(it->to, to, other, &row);
    return status == ALLOT_EUSAGE ? no_consumer(it, consumer) : status; /* a parent there */
}

/* Have all rows of a group the same numbers in both plans? */
static bool same_rows(const copying *it, int32_t group)
{
    return it->map->same && it->from->plan->tree.rows == it->to->plan->tree.rows &&
           !it->from->plan->groups[group].group_row && !it->to->plan->groups[group].group_row;
}

/* Copies all columns unchanged; NULL stays NULL. ENOMEM. */
static int copy_columns(const copying *it, int32_t group)
{
    const allot__group_state *from = &it->from->groups[group];
    allot__group_state *to = &it->to->groups[group];
    size_t rows = (size_t)it->from->plan->tree.rows;
    const struct {
        const void *from;
        void *to; /* a pointer to the column */
        size_t count, size;
    } columns[] = {{from->set, &to->set, rows / 8 + 1, 1},
                   {from->demanded, &to->demanded, rows / 8 + 1, 1},
                   {from->demand, &to->demand, rows, sizeof *to->demand},
                   {from->allocated, &to->allocated, rows, sizeof *to->allocated},
                   {from->unlisted, &to->unlisted, rows, sizeof *to->unlisted},
                   {from->reclaimed_at, &to->reclaimed_at, rows, sizeof *to->reclaimed_at},
                   {from->waiting_since, &to->waiting_since, rows, sizeof *to->waiting_since}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        void **column = columns[i].to;
        if (!columns[i].from || columns[i].count == 0)
            continue;
        if (!*column)
            *column = allot__new(it->to->engine, columns[i].count, columns[i].size);
        if (!*column)
            return ALLOT_ENOMEM;
        memcpy(*column, columns[i].from, columns[i].count * columns[i].size);
    }
    return ALLOT_OK;
}

static int copy_groups(copying *it)
{
    int status = ALLOT_OK;
    bool queues = allot__queue_count(it->from->plan) > 0;
    for (int32_t i = 0; i < it->from->plan->group_count && status == ALLOT_OK; i++) {
        int32_t to = it->map->groups[i];
        if (it->from->groups[i].stated >= 0 && (status = move_group(it, i, &to)) == ALLOT_OK)
            status = allot_state_slots(it->to, to, it->from->groups[i].stated);
        bool whole = same_rows(it, i);
        if (whole && status == ALLOT_OK)
            status = copy_columns(it, i);
        for (int32_t c = 0; c < it->from->plan->tree.rows && !queues && !whole; c++)
            if (status == ALLOT_OK)
                status = copy_row(it, i, to, c);
    }
    return status;
}

/* Use under a law by which it does not fade there ends now, and goes on by the other. */
static int copy_leaf_usage(copying *it)
{
    const allot_plan *plan = it->from->plan;
    const allot__decay *from = plan->fades, *to = it->to->plan->fades;
    bool same = from && to && from->by.period == to->by.period && from->by.parts == to->by.parts;
    for (int32_t g = 0; g < plan->group_count; g++) {
        const allot__usage *usage = it->from->groups[g].usage;
        allot__usage *there =
            it->map->groups[g] < 0 ? NULL : it->to->groups[it->map->groups[g]].usage;
        for (int32_t i = 0; usage && there && i < plan->tree.rows; i++)
            if (allot__plan_leaf(plan, i) && has_leaf(it, i))
                there[it->map->consumers[i]] = same ? usage[i] : allot__usage_now(it->from, g, i);
    }
    it->to->above_stale = true;
    if (it->from->usage_at_set && to)
        allot_state_usage_at(it->to, it->from->usage_at);
    return it->from->begun ? allot_state_begin(it->to) : ALLOT_OK;
}

/* ---- Hosts, sessions, loans, flights --------------------------------------------------------- */

/* Slots that come from the plan come from the other plan there. */
static int copy_hosts(copying *it)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_state_hosts(it->from) && status == ALLOT_OK; i++) {
        allot_stated_host host;
        allot_state_host_at(it->from, i, &host);
        if (host.planned && allot_plan_host_find(it->to->plan, host.name) < 0)
            return lacks(it, "host", host.name);
        host.slots = host.planned ? -1 : host.slots;
        status = move_consumer(it, host.exclusive_to, &host.exclusive_to);
        if (status == ALLOT_OK)
            status = allot_state_host_set(it->to, &host);
    }
    return status;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Makes room for at least `size` bytes of an item's strings and lists. ENOMEM. */
static int make_room(copying *it, size_t size)
{
    if (size <= it->room_size)
        return ALLOT_OK;
    char *room = allot__new(it->to->engine, 2 * size, 1);
    if (!room)
        return ALLOT_ENOMEM;
    allot__free(it->to->engine, it->room, it->room_size, 1);
    it->room = room;
    it->room_size = 2 * size;
    return ALLOT_OK;
}

static int add_item(copying *it, allot_item kind, const void *item)
{
    return kind == ALLOT_ITEM_LOAN ? allot_state_loan(it->to, item)
                                   : allot_state_add(it->to, kind, item);
}

static int copy_item(copying *it, allot_item kind, const allot_any_item *item)
{
    const allot_members *members = allot_members_of(kind);
    allot_any_item copy;
    if (it->map->same)
        return add_item(it, kind, item);
    int status = make_room(it, allot_item_room(members, item) + 1);
    if (status != ALLOT_OK)
        return status;
    allot_item_copy(members, item, &copy, it->room);
    status = allot_item_numbers(members, &copy, move_number, it);
    return status == ALLOT_OK ? add_item(it, kind, &copy) : status;
}

/* ---- Lists that go over ---------------------------------------------------------------------- */

/* Does the number exist in the other plan, with the same role? */
static int fits_number(void *ud, allot_member_type type, void *number)
{
    const copying *it = ud;
    const allot_task_value *value = number;
    int32_t there = *(const int32_t *)number;
    allot_attribute of;
    int status = move_number(ud, type, &there);
    if (status != ALLOT_OK)
        return status;
    if (type == ALLOT_MEMBER_LEAF && !allot__plan_leaf(it->to->plan, there))
        return no_consumer(it, *(const int32_t *)number);
    if (type != ALLOT_MEMBER_VALUES)
        return ALLOT_OK;
    allot_plan_task_attribute_at(it->to->plan, there, &of);
    bool in_range = of.type != ALLOT_TAG && value->value >= of.min && value->value <= of.max;
    return in_range ? ALLOT_OK : ALLOT_ERANGE;
}

/* Does every number exist in the other plan? */
static int check_lists(copying *it)
{
    allot_any_item item;
    int status = ALLOT_OK;
    for (allot_item kind = ALLOT_ITEM_TASK; kind <= ALLOT_ITEM_LOAN; kind++) {
        int32_t count = allot_state_count(it->from, kind);
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
            if (allot_state_item_at(it->from, kind, i, &item) == ALLOT_OK)
                status = allot_item_numbers(allot_members_of(kind), &item, fits_number, it);
    }
    return status;
}

/* A task has a block for each of its groups; the first owns what few tasks have. */
static void move_task(copying *it, allot__task *task)
{
    task->consumer = it->map->consumers[task->consumer];
    task->group = it->map->groups[task->group];
    if (task->rest && task->part <= 1)
        allot_item_numbers(allot_members_of(ALLOT_ITEM_TASK),
                           (void *)(uintptr_t)allot__task_rest(task), move_number, it);
}

static void move_job(copying *it, allot__job *job)
{
    const allot_members *members = allot_members_of(ALLOT_ITEM_JOB);
    allot_job told = allot__job_told(it->from, job);
    allot_item_numbers(members, &told, move_number, it);
    job->queue = told.queue;
    if (allot__item_has_rest(members->items, members->count, &told))
        *(allot_job *)(uintptr_t)job->more = told;
}

/* Moves the numbers in all blocks, which are known there. */
static void move_numbers(copying *it)
{
    for (allot_item kind = ALLOT_ITEM_TASK; kind <= ALLOT_ITEM_LOAN; kind++)
        for (int32_t i = 0; i < allot_state_count(it->from, kind); i++) {
            const allot__things *things = allot__state_things(it->from, kind);
            allot__thing *thing = things ? allot__things_at(things, i) : NULL;
            if (things && !thing)
                continue;
            if (kind == ALLOT_ITEM_TASK)
                move_task(it, (allot__task *)(void *)thing);
            else if (kind == ALLOT_ITEM_JOB)
                move_job(it, (allot__job *)(void *)thing);
            else
                allot_item_numbers(allot_members_of(kind),
                                   thing ? allot__thing_item(thing)
                                         : (void *)(uintptr_t)allot_state_loan_at(it->from, i),
                                   move_number, it);
        }
}

static void take_lists(copying *it)
{
    allot_state *from = (allot_state *)(uintptr_t)it->from, *to = it->to;
    allot__jobs_rename(to, from, true);
    if (!it->map->same)
        move_numbers(it);
    allot__flights_lose(from);
    allot__tasks_release(from);
    to->tasks = from->tasks;
    to->sessions = from->sessions;
    to->all_jobs = from->all_jobs;
    to->reclaims = from->reclaims;
    to->loans = from->loans;
    allot__users_carry(to, from, true);
    to->sessions_stale = to->jobs_stale = to->flights_stale = true;
    memset(&from->tasks, 0, sizeof from->tasks);
    from->sessions = from->all_jobs = from->reclaims = (allot__things){.gone = 0};
    memset(&from->loans, 0, sizeof from->loans);
}

static int move_lists(copying *it)
{
    int status = it->map->same ? ALLOT_OK : check_lists(it);
    if (status == ALLOT_OK)
        status = allot__jobs_rename(it->to, it->from, false);
    if (status == ALLOT_OK)
        status = allot__users_carry(it->to, it->from, false);
    if (status == ALLOT_OK)
        take_lists(it);
    return status;
}

/* ---- Lists that are copied ------------------------------------------------------------------- */

static int copy_lists(copying *it)
{
    allot_any_item item;
    int status = ALLOT_OK;
    if (it->moves)
        return move_lists(it);
    for (allot_item kind = ALLOT_ITEM_TASK; kind <= ALLOT_ITEM_LOAN; kind++) {
        int32_t count = allot_state_count(it->from, kind);
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
            if (allot_state_item_at(it->from, kind, i, &item) ==
                ALLOT_OK) /* else ended, or a part */
                status = copy_item(it, kind, &item);
    }
    return status == ALLOT_OK ? allot__users_carry(it->to, it->from, true) : status;
}

/* ---- Queues, resources, contracts ------------------------------------------------------------ */

static int copy_usage(copying *it)
{
    const allot__jobs *jobs = it->from->jobs;
    int status = ALLOT_OK;
    for (int32_t q = 0; q < allot__queue_count(it->from->plan) && status == ALLOT_OK; q++) {
        int32_t queue = it->map->consumers[q];
        if (jobs->usage && jobs->usage[q].told && queue >= 0)
            status = allot_state_usage(it->to, queue, jobs->usage[q].slot_seconds,
                                       jobs->usage[q].millionths);
    }
    return status;
}

static int copy_preempted(copying *it)
{
    const allot__jobs *jobs = it->from->jobs;
    allot_resource of;
    int status = ALLOT_OK;
    for (int32_t i = 0;
         jobs->preempted_at && i < allot_plan_resources(it->from->plan) && status == ALLOT_OK;
         i++) {
        if (jobs->preempted_at[i] == INT64_MIN)
            continue;
        allot_plan_resource_at(it->from->plan, i, &of);
        int32_t other = allot_plan_resource_find(it->to->plan, of.name);
        if (other >= 0)
            status = allot_state_resource_preempted(it->to, other, jobs->preempted_at[i]);
    }
    return status;
}

static int copy_leases(copying *it)
{
    allot_lease of;
    allot_lease_now now;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_plan_leases(it->from->plan) && status == ALLOT_OK; i++) {
        if (allot_state_lease_at(it->from, i, &now) != ALLOT_OK)
            continue;
        allot_plan_lease_at(it->from->plan, i, &of);
        int32_t other = allot_plan_lease_find(it->to->plan, of.name);
        status = other < 0 ? lacks(it, "lease", of.name) : allot_state_lease(it->to, other, &now);
    }
    return status;
}

static int copy_use(copying *it)
{
    if (!it->from->jobs)
        return ALLOT_OK;
    int status = copy_usage(it);
    return status == ALLOT_OK ? copy_preempted(it) : status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int copy_all(copying *it)
{
    static int (*const steps[])(copying * it) = {copy_groups, copy_leaf_usage, copy_hosts,
                                                 copy_use,    copy_leases,     copy_lists};
    int status = allot_state_now(it->to, it->from->now);
    if (status == ALLOT_OK)
        status = allot_state_now_rounded(it->to, it->from->now_rounded);
    if (status == ALLOT_OK && it->from->last_set)
        status = allot_state_last(it->to, it->from->last);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == ALLOT_OK; i++)
        status = steps[i](it);
    if (status == ALLOT_ERANGE || status == ALLOT_EUSAGE || status == ALLOT_EEXIST) {
        allot_report_say(it->report, ALLOT_ERROR, "E-unsupported",
                         "the other plan cannot have such a state: %s", allot_status_text(status));
        status = ALLOT_EINVALID;
    }
    return status;
}

static int make(const allot_state *state, const allot_plan *plan, bool moves, allot_report *report,
                allot_state **out)
{
    allot_state *made = NULL;
    int status = allot_state_new(plan, &made);
    if (status)
        return status;
    allot_plan_map *map = NULL;
    copying it = {.from = state, .to = made, .report = report};
    it.moves = moves && made->engine->alloc == state->engine->alloc &&
               made->engine->ud == state->engine->ud &&
               (allot__queue_count(plan) > 0) == (allot__queue_count(state->plan) > 0);
    status = allot_plan_map_new(made->engine, state->plan, made->plan, &map);
    it.map = map;
    if (status == ALLOT_OK)
        status = copy_all(&it);
    allot_plan_map_free(made->engine, map);
    allot__free(made->engine, it.room, it.room_size, 1);
    if (status)
        allot_state_free(made);
    else
        *out = made;
    return status;
}

int allot_state_copy(const allot_state *state, const allot_plan *plan, allot_report *report,
                     allot_state **out)
{
    return state && plan && out ? make(state, plan, false, report, out) : ALLOT_EUSAGE;
}

int allot_state_move(allot_state *state, const allot_plan *plan, allot_report *report,
                     allot_state **out)
{
    return state && plan && out ? make(state, plan, true, report, out) : ALLOT_EUSAGE;
}
