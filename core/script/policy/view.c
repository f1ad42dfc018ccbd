/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* view.c: objects that a script's functions read: rows, queues, sides of leases, jobs; and the
 * columns of rows. */
#include "script/sandbox/library.h"
#include "script/sandbox/script.h"
#include "script/policy/read.h"
#include <string.h>

/* Upvalues of both: the view, its ud, its number, the numbers of the fields by
 * name. */
static int read_field(lua_State *L)
{
    const allot__view *view = lua_touserdata(L, lua_upvalueindex(1));
    lua_settop(L, 2);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(4)) == LUA_TNIL) {
        lua_pushvalue(L, lua_upvalueindex(4));
        return allot__library_unknown(L, NULL, view->field, 4, 2);
    }
    if (!view->push(L, lua_touserdata(L, lua_upvalueindex(2)),
                    (int)lua_tointeger(L, lua_upvalueindex(3)), (int)lua_tointeger(L, -1)))
        return luaL_error(L, "%s can only be read while its function runs", view->name);
    return 1;
}

static int refuse_change(lua_State *L)
{
    const allot__view *view = lua_touserdata(L, lua_upvalueindex(1));
    return luaL_error(L, "%s is only read; it cannot be changed", view->name);
}

static void push_known(lua_State *L, int64_t number, bool known)
{
    if (known)
        lua_pushinteger(L, number);
    else
        lua_pushnil(L);
}

void allot__view_push(lua_State *L, const allot__view_field *field, const void *thing)
{
    const void *at = (const char *)thing + field->at;
    const allot_record_name *name = at;
    int64_t number = field->type == ALLOT__FIELD_KNOWN || field->type == ALLOT__FIELD_LONG
                         ? *(const int64_t *)at
                         : 0;
    switch (field->type) {
    case ALLOT__FIELD_TEXT:
        lua_pushstring(L, *(const char *const *)at);
        break;
    case ALLOT__FIELD_SMALL:
        lua_pushinteger(L, *(const int32_t *)at);
        break;
    case ALLOT__FIELD_FLAG:
        lua_pushboolean(L, *(const int32_t *)at);
        break;
    case ALLOT__FIELD_KNOWN:
    case ALLOT__FIELD_LONG:
        push_known(L, number, number >= (field->type == ALLOT__FIELD_LONG ? INT64_MIN + 1 : 0));
        break;
    case ALLOT__FIELD_NAME:
        if (name->text)
            lua_pushstring(L, name->text);
        else
            push_known(L, name->number, name->number >= 0);
        break;
    }
}

void allot__view_fields(lua_State *L, const void *names, size_t size, int32_t count)
{
    lua_createtable(L, 0, count);
    for (int32_t i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)names + (size_t)i * size);
        if (!name)
            continue;
        lua_pushinteger(L, i);
        lua_setfield(L, -2, name);
    }
}

int allot__view_make(lua_State *L, const allot__view *view, void *ud, int number, const void *names,
                     size_t size, int32_t count)
{
    lua_newuserdatauv(L, 1, 0);
    lua_createtable(L, 0, 2);
    lua_pushlightuserdata(L, (void *)view);
    lua_pushlightuserdata(L, ud);
    lua_pushinteger(L, number);
    allot__view_fields(L, names, size, count);
    lua_pushcclosure(L, read_field, 4);
    lua_setfield(L, -2, "__index");
    lua_pushlightuserdata(L, (void *)view);
    lua_pushcclosure(L, refuse_change, 1);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

/* ---- A lease's sides ------------------------------------------------------------------------- */

/* Fields of a side, in the order of its columns. */
static const char *const fields[] = {"available", "used", "idle", "demand"};
enum { FIELDS = sizeof fields / sizeof *fields, DEMAND = FIELDS - 1 };

/* `number` is the side's first column. */
static bool push_field(lua_State *L, const void *ud, int number, int field)
{
    const allot__batch_run *run = &((const allot__script *)ud)->run;
    if (!run->batch || run->call->rows != ALLOT_LEASES)
        return false;
    int64_t value = run->batch->columns[number + field][run->row];
    if (field == DEMAND && value < 0)
        lua_pushnil(L); /* unknown */
    else
        lua_pushinteger(L, value);
    return true;
}

void allot__side_views(lua_State *L, allot__script *script)
{
    static const allot__view view = {"a lease's side", "field of a lease's side", push_field};
    static const int first[] = {ALLOT_LEASE_PROVIDER_AVAILABLE, ALLOT_LEASE_CONSUMER_AVAILABLE};
    for (int side = 0; side < 2; side++)
        script->sides[side] =
            allot__view_make(L, &view, script, first[side], fields, sizeof *fields, FIELDS);
}

int32_t allot__side_answer(lua_State *L, int index)
{
    if (lua_isnil(L, index))
        return 0;
    const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    return strcmp(word, "provider") == 0 ? -1 : strcmp(word, "consumer") == 0 ? 1 : 2;
}

/* ---- Two rows -------------------------------------------------------------------------------- */

/* Pushes a task's id, or a consumer's path; `above`: its parent's, "" of the first level. */
static void push_who(lua_State *L, const allot_batch *batch, allot_rows rows, int32_t item,
                     bool above)
{
    if (rows == ALLOT_TASKS) {
        allot_task task = {.id = ""};
        allot_state_task_at(batch->state, item, &task);
        lua_pushstring(L, task.id);
        return;
    }
    luaL_Buffer path;
    size_t size = allot_plan_path(batch->plan, item, NULL, 0) + 1;
    allot_plan_path(batch->plan, item, luaL_buffinitsize(L, &path, size), size);
    luaL_pushresultsize(&path, size - 1);
    if (above) {
        const char *last = strrchr(lua_tostring(L, -1), '/');
        lua_pushlstring(L, lua_tostring(L, -1), (size_t)(last - lua_tostring(L, -1)));
    }
}

int allot__refuse_uncounted(lua_State *L)
{
    return luaL_error(L, "column '%s' needs a plan that states half_life or hist_hours",
                      lua_tostring(L, 2));
}

/* `number`: 0 for the taker. */
static bool push_pair(lua_State *L, const void *ud, int number, int field)
{
    const allot__batch_run *run = &((const allot__script *)ud)->run;
    const allot_batch *batch = run->batch;
    if (!batch || !run->call->pair)
        return false;
    if (field >= run->call->count) {
        push_who(L, batch, batch->rows, number == 0 ? batch->taker_item : batch->items[run->row],
                 field > run->call->count);
        return true;
    }
    if (batch->rows == ALLOT_CONSUMERS && allot__uncounted(batch->plan, field))
        return allot__refuse_uncounted(L);
    int64_t value = number == 0 ? batch->taker[field] : batch->columns[field][run->row];
    if (run->call->flags >> field & 1)
        lua_pushboolean(L, value != 0);
    else
        lua_pushinteger(L, value);
    return true;
}

void allot__pair_views(lua_State *L, allot__script *script, const allot_policy *policy,
                       allot_rows rows)
{
    static const allot__view view = {"a row", "column", push_pair};
    const char *names[ALLOT__COLUMNS_MAX + 2];
    int32_t count = allot__read_columns(policy, rows);
    for (int32_t i = 0; i < count; i++) {
        bool known = rows != ALLOT_TASKS || allot_task_column_waits(i);
        names[i] = known ? allot__read_column_name(policy, rows, i) : NULL;
    }
    names[count++] = rows == ALLOT_TASKS ? "id" : "path";
    if (rows != ALLOT_TASKS)
        names[count++] = "parent";
    for (int i = 0; i < 2; i++)
        script->pairs[rows][i] = allot__view_make(L, &view, script, i, names, sizeof *names, count);
}

static bool push_claimant(lua_State *L, const void *ud, int number, int field)
{
    const allot__script *script = ud;
    const allot__batch_run *run = &script->run;
    (void)number;
    if (!run->batch || !run->call->claimant)
        return false;
    if (field >= script->claimant_columns)
        push_who(L, run->batch, ALLOT_CONSUMERS, run->batch->taker_item,
                 field > script->claimant_columns);
    else if (allot__uncounted(run->batch->plan, field))
        return allot__refuse_uncounted(L);
    else if (script->claimant_flags >> field & 1)
        lua_pushboolean(L, run->batch->taker[field] != 0);
    else
        lua_pushinteger(L, run->batch->taker[field]);
    return true;
}

void allot__claimant_view(lua_State *L, allot__script *script, const allot_policy *policy)
{
    static const allot__view view = {"the claimant", "column", push_claimant};
    const char *names[ALLOT__COLUMNS_MAX + 2];
    int32_t count = allot__read_columns(policy, ALLOT_CONSUMERS);
    script->claimant_columns = count;
    script->claimant_flags = 0;
    for (int32_t i = 0; i < count; i++) {
        names[i] = allot__read_column_name(policy, ALLOT_CONSUMERS, i);
        script->claimant_flags |= (uint64_t)allot__read_flag(policy, ALLOT_CONSUMERS, i) << i;
    }
    names[count++] = "path";
    names[count++] = "parent";
    script->claimant = allot__view_make(L, &view, script, 0, names, sizeof *names, count);
}

/* ---- Columns of rows ------------------------------------------------------------------------- */

bool allot__uncounted(const allot_plan *plan, int32_t column)
{
    allot_decay decay;
    return (column == ALLOT_USAGE || column == ALLOT_USED_OVER_SHARE) &&
           allot_plan_decay_get(plan, &decay) != ALLOT_OK;
}

static int32_t built_in(allot_rows rows)
{
    static const int32_t counts[] = {ALLOT_COLUMN_COUNT, ALLOT_TASK_COLUMN_COUNT,
                                     ALLOT_SESSION_COLUMN_COUNT, ALLOT_QUEUE_COLUMN_COUNT,
                                     ALLOT_LEASE_COLUMN_COUNT};
    return rows < ALLOT_HOSTS ? counts[rows] : 0;
}

int32_t allot__read_columns(const allot_policy *policy, allot_rows rows)
{
    int32_t attributes = rows == ALLOT_CONSUMERS ? allot_policy_attributes(policy)
                         : rows == ALLOT_TASKS   ? allot_policy_task_attributes(policy)
                                                 : 0;
    return built_in(rows) + attributes;
}

/* NULL: the column is built in. */
static const allot_attribute *attribute_of(const allot_policy *policy, allot_rows rows,
                                           int32_t column)
{
    return rows == ALLOT_TASKS ? allot_policy_task_attribute_at(policy, column - built_in(rows))
                               : allot_policy_attribute_at(policy, column - built_in(rows));
}

const char *allot__read_column_name(const allot_policy *policy, allot_rows rows, int32_t column)
{
    const allot_attribute *attribute = attribute_of(policy, rows, column);
    return attribute ? attribute->name : allot_rows_column_name(rows, column);
}

bool allot__read_flag(const allot_policy *policy, allot_rows rows, int32_t column)
{
    const allot_attribute *attribute = attribute_of(policy, rows, column);
    return attribute ? attribute->type != ALLOT_INTEGER : allot_rows_column_flag(rows, column);
}

int32_t allot__read_column(const allot_policy *policy, allot_rows rows, const char *name)
{
    int32_t count = allot__read_columns(policy, rows);
    for (int32_t i = 0; i < count; i++)
        if (strcmp(allot__read_column_name(policy, rows, i), name) == 0)
            return i;
    return -1;
}
