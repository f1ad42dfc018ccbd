/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* things.c: compares hosts, sessions, tasks and jobs of a truth with those of the books. */
#include "service/sync/own.h"

static allot_item item_of(allot__truth_list list)
{
    return allot__event_item(allot__truth_kinds[list].put);
}

static allot__map *map_of(const allot__sync *it, allot__truth_list list)
{
    return allot__books_map(it->books, item_of(list));
}

/* All items begin with their record. */
static allot__record *record_of(allot__map_item *item)
{
    return (allot__record *)(void *)item;
}

static allot__truth_row *row_at(const allot__sync *it, allot__truth_list list, size_t i)
{
    return (allot__truth_row *)it->truth->rows[list].items + i;
}

static size_t rows_of(const allot__sync *it, allot__truth_list list)
{
    return it->truth->told[list] ? it->truth->rows[list].count : 0;
}

static bool runs(const allot__sync *it, const char *id)
{
    allot_task task;
    return allot__books_get(it->books, ALLOT_ITEM_TASK, id, &task) && allot__task_runs(&task);
}

static void drop(allot__sync *it, allot__truth_list list, allot__truth_row *row,
                 const allot__error *error)
{
    bool host = list == ALLOT__TRUTH_HOSTS;
    row->verdict = ALLOT__TRUTH_DROPPED;
    allot__truth_drop(it->truth, list, host ? -1 : (int64_t)row->place, row->name, error);
}

static void drop_twin(allot__sync *it, allot__truth_list list, allot__truth_row *row)
{
    allot__error error;
    allot__error_set(&error, ALLOT_EEXIST, "E-duplicate-id", "id", NULL,
                     "\"%.100s\" was told before, allowed once", row->name);
    drop(it, list, row, &error);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* A row as an event of a kind. */
static void event_of(const allot__sync *it, allot__truth_list list, const allot__truth_row *row,
                     allot__event_kind kind, allot__event *out)
{
    allot__event_init(out, kind);
    memcpy(&out->id, row->item, allot_members_of(item_of(list))->size);
    out->stated = row->stated;
    out->source = it->origin ? it->origin->named.name : NULL;
    out->whole = kind != ALLOT__EVENT_START && kind != ALLOT__EVENT_SESSION;
    out->adopt = out->settled = list == ALLOT__TRUTH_TASKS;
    out->at_given = it->truth->at_given;
    out->at = it->truth->at_given ? it->truth->at : it->at;
    if (out->settled && !row->started && allot__task_runs(&out->task))
        out->task.started = out->at;
}

/* Compares a task; one of another leaf, or submitted at another time, is a new task. A start time
 * not given counts as known. */
static allot__verdict judge_task(const allot__truth_row *row, const allot_task *known)
{
    allot_task task = *(const allot_task *)row->item;
    bool again = task.submitted != 0 && known->submitted != 0 && task.submitted != known->submitted;
    if (again || task.consumer != known->consumer || task.group != known->group)
        return ALLOT__TRUTH_NEW;
    if (!row->started)
        task.started = known->started;
    return allot__items_same(ALLOT_ITEM_TASK, &task, known) ? ALLOT__TRUTH_SAME
                                                            : ALLOT__TRUTH_CHANGED;
}

/* Compares a job. Pending in a truth from before this service started it is no change; its run time
 * grows by itself. */
static allot__verdict judge_job(const allot__sync *it, const allot__truth_row *row,
                                const allot_job *known)
{
    allot__event event;
    event_of(it, ALLOT__TRUTH_JOBS, row, ALLOT__EVENT_SUBMIT, &event);
    allot_job job = allot__event_job(&event);
    if (it->truth->at_given && job.state == ALLOT_PENDING && known->state == ALLOT_RUNNING &&
        known->started >= it->truth->at)
        return ALLOT__TRUTH_SAME;
    allot__job_merge(known, row->stated, it->at, &job);
    job.ran = known->ran;
    job.suspended_for = known->suspended_for;
    job.since = known->since;
    job.begin = known->begin;
    return allot__items_same(ALLOT_ITEM_JOB, &job, known) ? ALLOT__TRUTH_SAME
                                                          : ALLOT__TRUTH_CHANGED;
}

static allot__verdict judge(const allot__sync *it, allot__truth_list list,
                            const allot__truth_row *row)
{
    const char *name = row->name;
    allot_any_item known;
    allot__books_get(it->books, item_of(list), name, &known);
    if (list == ALLOT__TRUTH_TASKS)
        return judge_task(row, &known.task);
    if (list == ALLOT__TRUTH_JOBS)
        return judge_job(it, row, &known.job);
    bool same = allot__items_same(item_of(list), row->item, &known);
    return same ? ALLOT__TRUTH_SAME : ALLOT__TRUTH_CHANGED;
}

/* Whether the call may change a thing of that origin: its own, or one without a named source. */
static bool may_tell(const allot__sync *it, const allot__origin *of)
{
    return !it->origin || !of || of == it->origin || strcmp(of->named.name, ALLOT__TRUTH_ALL) == 0;
}

static void look(allot__sync *it, allot__truth_list list, allot__truth_row *row)
{
    allot__map_item *known = allot__item_find(map_of(it, list), row->name);
    allot__error error;
    if (!known)
        return;
    allot__record *record = record_of(known);
    if (row->verdict == ALLOT__TRUTH_DROPPED) {
        record->seen = it->mark;
    } else if (record->seen == it->mark) {
        drop_twin(it, list, row);
    } else if (!may_tell(it, record->source)) {
        record->seen = it->mark;
        allot__error_set(&error, ALLOT_EUSAGE, "E-source", "source", NULL,
                         "\"%.100s\" is of the source \"%.60s\"", row->name,
                         record->source->named.name);
        drop(it, list, row, &error);
    } else {
        row->verdict = judge(it, list, row);
        if (row->verdict == ALLOT__TRUTH_NEW) { /* the known one ends */
            record->source = it->origin;
            return;
        }
        record->seen = it->mark;
        if (row->verdict == ALLOT__TRUTH_SAME && it->origin && record->source != it->origin)
            row->verdict = ALLOT__TRUTH_CHANGED;
    }
}

/* Prefetches the books' records of the next rows, which are scattered in memory. */
static void fetch_ahead(const allot__sync *it, allot__truth_list list, size_t row, size_t count)
{
    enum { SLOT = 16, ITEM = 8 };
    const allot__map *map = map_of(it, list);
    if (row + SLOT < count) {
        allot__map_fetch_slot(map, row_at(it, list, row + SLOT)->hash);
        __builtin_prefetch(row_at(it, list, row + SLOT)->item);
    }
    if (row + ITEM < count)
        allot__map_fetch_item(map, row_at(it, list, row + ITEM)->hash);
}

bool allot__sync_look(allot__sync *it, allot__truth_list list)
{
    size_t count = rows_of(it, list);
    if (it->row >= count)
        return false;
    fetch_ahead(it, list, it->row, count);
    look(it, list, row_at(it, list, it->row));
    return true;
}

/* ---- Ended things ---------------------------------------------------------------------------- */

/* `keep`: a waiting task whose leaf's demand is stated by itself. */
static void end_thing(allot__sync *it, allot__event_kind kind, const char *name, bool keep)
{
    allot__event event;
    allot__error error = {.message = ""};
    allot__event_init(&event, kind);
    event.id = name;
    allot__sync_open(it, "{", false);
    allot__text_member(&it->params, kind == ALLOT__EVENT_HOST_GONE ? "name" : "id", name);
    if (keep) {
        event.keep = true;
        allot__text_bool(&it->params, "keep", true);
    }
    allot__text_puts(&it->params, "}");
    allot__sync_event(it, &event, &error); /* without memory: the next truth does it */
}

bool allot__sync_end_thing(allot__sync *it, allot__truth_list list)
{
    if (!it->truth->told[list])
        return false;
    if (it->row == 0)
        it->item = map_of(it, list)->first;
    allot__map_item *item = it->item;
    if (!item)
        return false;
    it->item = item->after;
    if (record_of(item)->seen != it->mark && allot__sync_owns(it, record_of(item)->source))
        end_thing(it, allot__truth_kinds[list].end, item->name,
                  list == ALLOT__TRUTH_TASKS && !runs(it, item->name));
    return true;
}

static bool is_gone(const allot__sync *it, const char *name)
{
    allot_stated_host host;
    return allot__books_get(it->books, ALLOT_ITEM_HOST, name, &host) && host.slots == 0 &&
           host.closed == ALLOT_OPEN && host.load < 0;
}

static bool is_dropped(const allot__sync *it, const char *name)
{
    for (size_t i = 0; i < rows_of(it, ALLOT__TRUTH_HOSTS); i++) {
        const allot__truth_row *row = row_at(it, ALLOT__TRUTH_HOSTS, i);
        if (row->verdict == ALLOT__TRUTH_DROPPED && strcmp(row->name, name) == 0)
            return true;
    }
    return false;
}

static int note(allot__sync *it, const char *host)
{
    char **name = allot__push(it->engine, &it->gone, sizeof *name);
    if (name)
        *name = allot__truth_copy(it->truth, host, strlen(host));
    return name && *name ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Notes the plan's hosts without a record, which exist as well. */
static int note_planned(allot__sync *it)
{
    const allot_plan *plan = it->books->plan;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_plan_hosts(plan) && !it->origin && status == ALLOT_OK; i++) {
        const char *name = allot_plan_host_name(plan, i);
        if (!allot__item_find(&it->books->hosts, name) && !is_dropped(it, name))
            status = note(it, name);
    }
    return status;
}

/* Ending a host may free others ended before, so all are noted first. */
static int note_gone(allot__sync *it)
{
    for (allot__map_item *at = it->books->hosts.first; at; at = at->after) {
        const allot__record *host = record_of(at);
        bool ended = !host->source && is_gone(it, at->name);
        if (host->seen == it->mark || ended || !allot__sync_owns(it, host->source))
            continue;
        if (note(it, at->name) != ALLOT_OK)
            return ALLOT_ENOMEM; /* the next truth ends them */
    }
    return note_planned(it);
}

bool allot__sync_end_host(allot__sync *it, allot__truth_list list)
{
    if (!it->truth->told[list])
        return false;
    if (it->row == 0)
        note_gone(it);
    if (it->row >= it->gone.count)
        return false;
    const char *name = ((char **)it->gone.items)[it->row];
    if (name)
        end_thing(it, allot__truth_kinds[list].end, name, false);
    return true;
}

/* ---- New and changed things ------------------------------------------------------------------ */

static void put_thing(allot__sync *it, allot__truth_list list, allot__truth_row *row,
                      allot__event_kind kind, const char *members)
{
    allot__event event;
    allot__error error = {.message = ""};
    event_of(it, list, row, kind, &event);
    allot__sync_open(it, members, it->origin != NULL);
    allot__sync_rest(it, row);
    if (allot__sync_event(it, &event, &error) != ALLOT_OK)
        drop(it, list, row, &error);
}

/* Whether a new thing is known by now: an earlier row had it, too. */
static bool is_twin(const allot__sync *it, allot__truth_list list, const allot__truth_row *row)
{
    return list != ALLOT__TRUTH_HOSTS && row->verdict == ALLOT__TRUTH_NEW &&
           allot__item_find(map_of(it, list), row->name);
}

static void put_row(allot__sync *it, allot__truth_list list, allot__truth_row *row)
{
    if (row->verdict != ALLOT__TRUTH_NEW && row->verdict != ALLOT__TRUTH_CHANGED)
        return;
    if (is_twin(it, list, row))
        drop_twin(it, list, row);
    else if (list == ALLOT__TRUTH_TASKS && row->verdict == ALLOT__TRUTH_NEW &&
             allot__task_runs(row->item))
        put_thing(it, list, row, ALLOT__EVENT_START, "{\"adopt\": true, ");
    else if (list == ALLOT__TRUTH_TASKS)
        put_thing(it, list, row, ALLOT__EVENT_TASK, "{\"whole\": true, \"adopt\": true, ");
    else if (list == ALLOT__TRUTH_SESSIONS)
        put_thing(it, list, row, ALLOT__EVENT_SESSION, "{");
    else if (list == ALLOT__TRUTH_JOBS)
        put_thing(it, list, row, ALLOT__EVENT_SUBMIT, "{\"whole\": true, ");
    else
        put_thing(it, list, row, ALLOT__EVENT_HOST, "{\"whole\": true, ");
}

/* Reserves places in the map for new things, so that it need not grow step by step. */
static void make_room(const allot__sync *it, allot__truth_list list, size_t count)
{
    size_t more = 0;
    for (size_t i = 0; i < count; i++)
        more += row_at(it, list, i)->verdict == ALLOT__TRUTH_NEW;
    allot__map_room(map_of(it, list), more);
}

bool allot__sync_put(allot__sync *it, allot__truth_list list)
{
    size_t count = rows_of(it, list);
    if (it->row == 0)
        make_room(it, list, count);
    if (it->row >= count)
        return false;
    fetch_ahead(it, list, it->row, count);
    put_row(it, list, row_at(it, list, it->row));
    return true;
}

/* Tasks and jobs may name hosts, so hosts are added first and ended last. */
bool allot__sync_hosts(allot__sync *it, allot__truth_list list)
{
    if (it->row >= rows_of(it, list))
        return false;
    allot__truth_row *row = row_at(it, list, it->row);
    look(it, list, row);
    put_row(it, list, row);
    allot__record *host = allot__item_find(&it->books->hosts, row->name);
    if (host)
        host->seen = it->mark;
    return true;
}
