/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rows.c: host.rows and host.consumers: what a decision decided, row by row, for lua/allot/text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <allot/allot.h>

#include "script/module/module.h"
#include "script/module/tool.h"

typedef struct source {
    const allot_decision *decision;
    const allot_plan *plan;
    const allot_state *state;
} source;

/* ---- Fields of the table on top -------------------------------------------------------------- */

/* Appends {name = , slots = } to the list below the name, which is popped. */
static void add_slots(lua_State *L, int64_t slots)
{
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_setfield(L, -2, "name");
    FIELDS(L, "slots", slots);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* No field for an empty list, as below. */
static void set_places(lua_State *L, const allot_place *places, int32_t count)
{
    if (count == 0)
        return;
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        lua_pushstring(L, places[i].name);
        add_slots(L, places[i].slots);
    }
    lua_setfield(L, -2, "places");
}

static void set_resources(lua_State *L, const source *of, const allot_job *job)
{
    lua_createtable(L, job->resource_count, 0);
    for (int32_t i = 0; i < job->resource_count; i++) {
        allot_resource resource = {.name = NULL};
        allot_plan_resource_at(of->plan, job->resources[i].resource, &resource);
        lua_pushstring(L, resource.name);
        add_slots(L, job->resources[i].amount);
    }
    lua_setfield(L, -2, "resources");
}

static void set_tasks(lua_State *L, const source *of, const int32_t *tasks, int32_t count)
{
    allot_task task;
    if (count == 0)
        return;
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        lua_pushstring(L, allot_state_task_at(of->state, tasks[i], &task) ? "" : task.id);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "tasks");
}

/* The consumer's path and the group's name. */
static void set_where(lua_State *L, const source *of, int32_t group, int32_t consumer)
{
    FIELDS(L, "group", allot_plan_group_name(of->plan, group));
    allot__module_path(L, of->plan, consumer);
    lua_setfield(L, -2, "consumer");
}

/* ---- Rows: fields of the i-th; EUSAGE: there is none, ENOENT: it is left out ----------------- */

static int push_plan(lua_State *L, const source *of, int32_t i)
{
    FIELDS(L, "consumers queues leases now", allot_plan_consumers(of->plan),
           allot_plan_queues(of->plan), allot_plan_leases(of->plan),
           allot_decision_now(of->decision));
    return i == 0 ? ALLOT_OK : ALLOT_EUSAGE;
}

static int push_group(lua_State *L, const source *of, int32_t i)
{
    char owned[80];
    allot_totals totals;
    int status = allot_decision_totals(of->decision, i, &totals);
    if (status)
        return status;
    const allot_policy *policy = allot_plan_group_policy(of->plan, i);
    allot_ratio_text(&totals.owned, owned, sizeof owned);
    FIELDS(L, "name policy owned", allot_plan_group_name(of->plan, i),
           policy ? allot_policy_name(policy) : NULL, owned);
    FIELDS(L, "slots idle idle_left blocked granted held reclaimed", totals.slots, totals.idle,
           totals.idle_left, totals.blocked, totals.granted, totals.held, totals.reclaimed);
    FIELDS(L, "reserve demand allocated own_used lent borrowed shared planned", totals.reserve,
           totals.demand, totals.allocated, totals.own_used, totals.lent, totals.borrowed,
           totals.shared, totals.planned);
    FIELDS(L, "by_use?", totals.by_use);
    return ALLOT_OK;
}

static int push_grant(lua_State *L, const source *of, int32_t i)
{
    allot_grant grant;
    int status = allot_decision_grant(of->decision, i, &grant);
    if (status)
        return status;
    set_where(L, of, grant.group, grant.consumer);
    FIELDS(L, "slots unplaced", grant.slots, grant.unplaced);
    set_places(L, grant.places, grant.place_count);
    set_tasks(L, of, grant.tasks, grant.task_count);
    return ALLOT_OK;
}

/* "3 to /a, 1 to /b" */
static void set_claims(lua_State *L, const source *of, const allot_reclaim *reclaim)
{
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (int32_t k = 0; k < reclaim->claim_count; k++) {
        const allot_claim *claim = &reclaim->claims[k];
        size_t len = allot_plan_path(of->plan, claim->consumer, NULL, 0);
        char *at = luaL_prepbuffsize(&text, len + 40);
        int used = snprintf(at, 40, "%s%" PRId64 " to ", k > 0 ? ", " : "", claim->slots);
        allot_plan_path(of->plan, claim->consumer, at + used, len + 1);
        luaL_addsize(&text, (size_t)used + len);
    }
    luaL_pushresult(&text);
    lua_setfield(L, -2, "claims");
}

static int push_reclaim(lua_State *L, const source *of, int32_t i)
{
    allot_reclaim reclaim;
    int status = allot_decision_reclaim(of->decision, i, &reclaim);
    if (status)
        return status;
    set_where(L, of, reclaim.group, reclaim.consumer);
    FIELDS(L, "slots grace deadline allocated quota target lost unknown reason", reclaim.slots,
           reclaim.grace, reclaim.deadline, reclaim.allocated, reclaim.quota, reclaim.target,
           reclaim.lost, reclaim.unknown, reclaim.reason);
    set_tasks(L, of, reclaim.tasks, reclaim.task_count);
    if (reclaim.claim_count > 0)
        set_claims(L, of, &reclaim);
    return ALLOT_OK;
}

static int push_flight(lua_State *L, const source *of, int32_t i)
{
    allot_flight flight;
    int status = allot_decision_flight(of->decision, i, &flight);
    if (status)
        return status;
    set_where(L, of, flight.group, flight.consumer);
    FIELDS(L, "id slots returned phase", flight.id, flight.slots, flight.returned,
           allot_phase_name(flight.phase));
    if (flight.left != INT64_MAX)
        FIELDS(L, "left", flight.left);
    return ALLOT_OK;
}

static int push_kill(lua_State *L, const source *of, int32_t i)
{
    allot_kill kill;
    allot_flight flight;
    allot_task task;
    int status = allot_decision_kill(of->decision, i, &kill);
    if (status)
        return status;
    if (allot_decision_flight(of->decision, kill.flight, &flight) ||
        allot_state_task_at(of->state, kill.task, &task))
        return ALLOT_ENOENT;
    set_where(L, of, flight.group, task.consumer);
    FIELDS(L, "task", task.id);
    return ALLOT_OK;
}

static int push_queue(lua_State *L, const source *of, int32_t i)
{
    allot_queue queue;
    allot_queue_part part;
    int status = allot_plan_queue_at(of->plan, i, &queue);
    if (status == ALLOT_OK)
        status = allot_decision_queue(of->decision, i, &part);
    if (status)
        return status;
    FIELDS(L, "name pool priority slice pending running suspended started resumed grown preempted",
           queue.name, queue.slot_pool, queue.priority, part.slice, part.pending, part.running,
           part.suspended, part.started, part.resumed, part.grown, part.preempted);
    return ALLOT_OK;
}

static int push_pool(lua_State *L, const source *of, int32_t i)
{
    allot_pool_part part;
    int status = allot_decision_pool(of->decision, i, &part);
    if (status)
        return status;
    FIELDS(L, "name slots used free", allot_plan_pool_name(of->plan, i), part.slots, part.used,
           part.free);
    return ALLOT_OK;
}

static int push_resource(lua_State *L, const source *of, int32_t i)
{
    allot_resource resource;
    int status = allot_plan_resource_at(of->plan, i, &resource);
    if (status)
        return status;
    FIELDS(L, "name amount", resource.name, resource.amount);
    return ALLOT_OK;
}

/* `why`: the number of the reason for which it waits; 0: it does not. */
static int push_job(lua_State *L, const source *of, int32_t i)
{
    allot_job job;
    allot_pending_of of_job = {.why = ALLOT_PEND_NOT};
    int status = allot_state_job_at(of->state, i, &job);
    if (status)
        return status;
    allot_decision_pending(of->decision, i, &of_job);
    FIELDS(L, "state why text", allot_job_state_name((int)job.state), of_job.why,
           allot_pending_text((int)of_job.why));
    if (of_job.why == ALLOT_PEND_RESOURCE || of_job.why == ALLOT_PEND_RESOURCE_WAIT)
        FIELDS(L, "lacks", of_job.limit);
    set_resources(L, of, &job);
    return ALLOT_OK;
}

/* Is there such a job? It and its queue. */
static bool find_job(const source *of, int32_t i, allot_job *job, allot_queue *queue)
{
    return i >= 0 && allot_state_job_at(of->state, i, job) == ALLOT_OK &&
           allot_plan_queue_at(of->plan, job->queue, queue) == ALLOT_OK;
}

static int push_order(lua_State *L, const source *of, int32_t i)
{
    static const char *const kinds[ALLOT_ORDER_COUNT] = {"start", "resume", "grow", "suspend",
                                                         "kill"};
    allot_job_order order;
    allot_job job, by;
    allot_queue queue;
    int status = allot_decision_job_order(of->decision, i, &order);
    if (status)
        return status;
    if (!find_job(of, order.job, &job, &queue))
        return ALLOT_ENOENT;
    FIELDS(L, "job queue", job.id, queue.name);
    if (find_job(of, order.preemptor, &by, &queue))
        FIELDS(L, "by by_queue", by.id, queue.name);
    set_resources(L, of, &job);
    set_places(L, order.places, order.place_count);
    FIELDS(L, "kind action reason slots cancelled preempted closed held?", kinds[order.kind],
           allot_action_name((int)order.action), order.reason, order.slots, order.cancelled,
           order.preempted, order.closed, order.held);
    return ALLOT_OK;
}

static void set_side(lua_State *L, const char *key, const char *name, const allot_lease_side *side)
{
    lua_createtable(L, 0, 4);
    FIELDS(L, "name available used", name, side->available, side->used);
    if (side->demand >= 0)
        FIELDS(L, "demand", side->demand);
    lua_setfield(L, -2, key);
}

static int push_lease(lua_State *L, const source *of, int32_t i)
{
    allot_lease lease;
    allot_lease_part part;
    int status = allot_plan_lease_at(of->plan, i, &lease);
    if (status == ALLOT_OK)
        status = allot_decision_lease(of->decision, i, &part);
    if (status)
        return status;
    FIELDS(L, "name shared? size phase since", lease.name, lease.shared, part.size,
           allot_lease_phase_name((int)part.now.phase), part.now.since);
    set_side(L, "provider", lease.provider, &part.now.provider);
    set_side(L, "consumer", lease.consumer, &part.now.consumer);
    FIELDS(L, "moved to reason", part.moved, part.to_consumer ? "consumer" : "provider",
           part.reason);
    set_places(L, part.places, part.place_count);
    return ALLOT_OK;
}

static int push_window(lua_State *L, const source *of, int32_t i)
{
    char text[512];
    if (allot_plan_window_text(of->plan, i, text, sizeof text) == 0)
        return ALLOT_EUSAGE;
    FIELDS(L, "text", text);
    return ALLOT_OK;
}

/* ---- host.rows ------------------------------------------------------------------------------- */

static const struct kind {
    const char *name;
    int (*push)(lua_State *L, const source *of, int32_t i);
} kinds[] = {{"plan", push_plan},        {"groups", push_group},   {"grants", push_grant},
             {"reclaims", push_reclaim}, {"flights", push_flight}, {"kills", push_kill},
             {"queues", push_queue},     {"pools", push_pool},     {"resources", push_resource},
             {"jobs", push_job},         {"orders", push_order},   {"leases", push_lease},
             {"windows", push_window}};
enum { KINDS = sizeof kinds / sizeof *kinds, FIELDS = 8 };

/* Upvalues: the host's use; the kind and the last row, by number. */
static int next_row(lua_State *L)
{
    const allot__host_use *use = lua_touserdata(L, lua_upvalueindex(1));
    const struct kind *kind = &kinds[lua_tointeger(L, lua_upvalueindex(2))];
    const allot_decision *decision = use->host->decision;
    const source of = {decision, allot_decision_plan(decision), allot_decision_state(decision)};
    int32_t last = (int32_t)lua_tointeger(L, lua_upvalueindex(3));
    int status = ALLOT_ENOENT;
    lua_createtable(L, 0, FIELDS);
    while (status == ALLOT_ENOENT)
        status = kind->push(L, &of, ++last);
    if (status == ALLOT_EUSAGE)
        return 0;
    if (status)
        return luaL_error(L, "%s", allot_status_text(status));
    lua_pushinteger(L, last);
    lua_replace(L, lua_upvalueindex(3));
    return 1;
}

int allot__host_rows(lua_State *L)
{
    const allot__host_use *use = lua_touserdata(L, lua_upvalueindex(1));
    const char *names[KINDS + 1] = {NULL};
    for (int i = 0; i < KINDS; i++)
        names[i] = kinds[i].name;
    int kind = luaL_checkoption(L, 1, NULL, names);
    if (!use->host->decision)
        return luaL_error(L, "this host has no decision");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushinteger(L, kind);
    lua_pushinteger(L, -1); /* before the first */
    lua_pushcclosure(L, next_row, 3);
    return 1;
}

/* ---- host.consumers -------------------------------------------------------------------------- */

/* Columns of consumers, each a list on the stack once it has a value, from COLUMNS on. */
enum { COLUMNS = 2, NAME = COLUMNS, OWNED, PARTS, DEPTH, LIMIT, AMOUNTS };
#define OF(member) ALLOT__NUMBER_OF(allot_verdict, member)
static const allot__number amounts[] = {
    OF(reserve), OF(demand), OF(allocated), OF(own_used), OF(lent),    OF(borrowed), OF(shared),
    OF(planned), OF(usage),  OF(in_flight), OF(quota),    OF(granted), OF(held),     OF(reclaimed)};
#undef OF
enum { END = AMOUNTS + sizeof amounts / sizeof *amounts };

/* Pops the value into a column. */
static void set_cell(lua_State *L, int column, int32_t row, int32_t rows)
{
    if (lua_isnil(L, column)) {
        lua_createtable(L, rows, 0);
        lua_replace(L, column);
    }
    lua_rawseti(L, column, row);
}

static void set_number(lua_State *L, int column, int32_t row, int32_t rows, int64_t value)
{
    if (value == 0)
        return;
    lua_pushinteger(L, value);
    set_cell(L, column, row, rows);
}

/* "= 3 owned + 2 borrowed" */
static void push_parts(lua_State *L, const allot_decision *decision, int32_t group,
                       const allot_verdict *verdict, allot__text *text)
{
    text->len = 0;
    for (int32_t i = 0; i < verdict->parts; i++) {
        if (verdict->part[i] == 0)
            continue;
        allot__text_puts(text, text->len > 0 ? " + " : "= ");
        allot__text_int(text, verdict->part[i]);
        allot__text_puts(text, " ");
        allot__text_puts(text, allot_decision_part_label(decision, group, verdict->consumer, i));
    }
    if (text->failed)
        luaL_error(L, "%s", allot_status_text(ALLOT_ENOMEM));
    lua_pushlstring(L, text->len > 0 ? text->bytes : "", text->len);
}

static void set_consumer(lua_State *L, const allot_decision *decision, int32_t group,
                         const allot_verdict *verdict, int32_t row, allot__text *text)
{
    char owned[80];
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t rows = allot_plan_consumers(plan), consumer = verdict->consumer;
    int32_t limit = allot_plan_get(plan, group, consumer, ALLOT_LIMIT);
    lua_pushstring(L, allot_plan_name(plan, consumer));
    set_cell(L, NAME, row, rows);
    allot_ratio_text(&verdict->owned, owned, sizeof owned);
    lua_pushstring(L, owned);
    set_cell(L, OWNED, row, rows);
    push_parts(L, decision, group, verdict, text);
    set_cell(L, PARTS, row, rows);
    set_number(L, DEPTH, row, rows, allot_plan_depth(plan, consumer));
    if (limit != ALLOT_NONE) {
        lua_pushinteger(L, limit);
        set_cell(L, LIMIT, row, rows);
    }
    for (int i = 0; i < END - AMOUNTS; i++)
        set_number(L, AMOUNTS + i, row, rows, allot__number_of(&amounts[i], verdict));
}

static bool is_empty(const allot_verdict *it)
{
    return it->demand == 0 && it->quota == 0 && it->allocated == 0 && it->in_flight == 0 &&
           it->received == 0;
}

int allot__host_consumers(lua_State *L)
{
    static const char *const texts[] = {"name", "owned", "parts", "depth", "limit"};
    const allot__host_use *use = lua_touserdata(L, lua_upvalueindex(1));
    const allot_decision *decision = use->host->decision;
    const allot_plan *plan = allot_decision_plan(decision);
    int32_t group = (int32_t)luaL_checkinteger(L, 1) - 1, rows = 0;
    bool all = lua_toboolean(L, 2);
    allot_verdict verdict;
    luaL_checkstack(L, END + LUA_MINSTACK, NULL);
    lua_settop(L, 0);
    allot__text *text = allot__text_push(L, use->engine);
    lua_settop(L, END - 1);
    for (int32_t i = allot_plan_next(plan, ALLOT_ROOT); i != ALLOT_ROOT;
         i = allot_plan_next(plan, i))
        if (allot_decision_verdict(decision, group, i, &verdict) == ALLOT_OK &&
            (all || !is_empty(&verdict)))
            set_consumer(L, decision, group, &verdict, ++rows, text);
    lua_createtable(L, 0, END - COLUMNS);
    for (int i = COLUMNS; i < END; i++) {
        lua_pushvalue(L, i);
        lua_setfield(L, -2, i < AMOUNTS ? texts[i - COLUMNS] : amounts[i - AMOUNTS].key);
    }
    lua_pushinteger(L, rows);
    return 2;
}
