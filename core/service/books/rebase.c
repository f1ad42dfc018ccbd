/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rebase.c: the books rebased to another plan: tables are made anew, records keep their places in
 * memory and in order. The state moves last of what may fail, and says what does not fit.
 */
#include "service/books/own.h"

#include "base/memory.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

static void rebase_group(const allot__books_group *from, allot__books_group *to,
                         const allot__id_map *ids, bool times)
{
    to->slots = from->slots;
    for (int32_t i = 0; i < ids->count[ALLOT__CONSUMER]; i++) {
        int32_t row = allot__id_map_find(ids, ALLOT__CONSUMER, i);
        if (row < 0)
            continue; /* it had nothing */
        to->demand[row] = from->demand[i];
        to->allocated[row] = from->allocated[i];
        to->unlisted[row] = from->unlisted[i];
        to->held[row] = from->held[i];
        to->awaited[row] = from->awaited[i];
        to->unmet_since[row] = from->unmet_since[i];
        if (from->sources)
            to->sources[row] = from->sources[i];
        memcpy(to->sessions[row], from->sessions[i], sizeof *to->sessions);
        if (times) {
            to->reclaimed_at[row] = from->reclaimed_at[i];
            to->waiting_since[row] = from->waiting_since[i];
        }
    }
}

static void rebase_tables(const allot__books *from, allot__books *to, const allot__id_map *ids)
{
    int32_t other;
    for (int32_t i = 0; i < (int32_t)from->group_count; i++)
        if ((other = allot__id_map_find(ids, ALLOT__GROUP, i)) >= 0)
            rebase_group(&from->groups[i], &to->groups[other], ids, from->damped && to->damped);
    to->mark = from->mark;
    to->job_most = from->job_most;
    to->pending = from->pending;
    to->starts_told = from->starts_told;
    if (from->host_most > to->host_most)
        to->host_most = from->host_most;
}

/* ---- Things ---------------------------------------------------------------------------------- */

static void rebase_pair(const allot__id_map *ids, int32_t *group, int32_t *consumer)
{
    *group = allot__id_map_find(ids, ALLOT__GROUP, *group);
    *consumer = allot__id_map_find(ids, ALLOT__CONSUMER, *consumer);
}

static void take_map(allot__map *from, allot__map *to)
{
    *to = *from;
    *from = (allot__map){.engine = to->engine};
}

/* Of leaves that are no more nothing is left. */
static void rebase_declines(allot__books *from, allot__books *to, const allot__id_map *ids)
{
    to->declines = from->declines;
    to->decline_room = from->decline_room;
    for (size_t i = 0; i < from->decline_count; i++) {
        allot__decline it = from->declines[i];
        rebase_pair(ids, &it.group, &it.consumer);
        if (it.group >= 0 && it.consumer >= 0 && allot_plan_children(ids->to, it.consumer) == 0)
            to->declines[to->decline_count++] = it;
    }
    from->declines = NULL;
    from->decline_count = from->decline_room = 0;
}

static void rebase_things(allot__books *from, allot__books *to, const allot__id_map *ids)
{
    allot__books_kind of[ALLOT__KINDS], kinds[ALLOT__KINDS];
    allot__books_kinds(from, of);
    allot__books_kinds(to, kinds);
    for (int k = 0; k < ALLOT__KINDS; k++)
        take_map(of[k].map, kinds[k].map);
    take_map(&from->indexes, &to->indexes);
    take_map(&from->sources, &to->sources);
    rebase_declines(from, to, ids);
    take_map(&from->victims, &to->victims);
}

/* ---- Units: their names have numbers in them ------------------------------------------------- */

static int make_units(const allot__books *from, allot__books *to, const allot__id_map *ids)
{
    char key[600];
    int status = ALLOT_OK;
    for (const allot__map_item *it = from->units.first; it && status == ALLOT_OK; it = it->after) {
        const allot__task_item *first = ((const allot__unit *)(const void *)it)->first;
        allot_task task;
        if (!allot__books_get(from, ALLOT_ITEM_TASK, first->of.named.name, &task))
            continue;
        rebase_pair(ids, &task.group, &task.consumer);
        size_t len = allot__unit_key(&task, key);
        allot__unit *unit = allot__unit_make(to->engine, key, len);
        status = unit ? allot__item_put(to->engine, &to->units, unit) : ALLOT_ENOMEM;
    }
    return status;
}

/* Both have the same order. */
static void rebase_units(allot__books *from, allot__books *to, const allot__id_map *ids)
{
    allot__map_item *old = from->units.first;
    if (ids->same) {
        take_map(&from->units, &to->units);
        return;
    }
    for (allot__map_item *it = to->units.first; it; it = it->after, old = old->after) {
        allot__unit *unit = (allot__unit *)(void *)it;
        unit->slots = ((const allot__unit *)(const void *)old)->slots;
        unit->first = ((const allot__unit *)(const void *)old)->first;
        for (allot__task_item *task = unit->first; task; task = task->next)
            task->unit = unit;
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int make_sources(const allot__books *books, allot__books_group *group)
{
    group->sources = allot__new(books->engine, books->consumers > 0 ? books->consumers : 1,
                                sizeof *group->sources);
    return group->sources ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Empty books under the other plan, with room for all that comes over. */
static int make_room(const allot__books *from, const allot__id_map *ids, allot_report *report,
                     allot__books **out)
{
    allot__books *to;
    int status = allot__books_make(from->engine, ids->to, &to);
    if (status != ALLOT_OK)
        return status;
    for (size_t g = 0; g < from->group_count && status == ALLOT_OK; g++) {
        int32_t other = allot__id_map_find(ids, ALLOT__GROUP, (int32_t)g);
        if (other >= 0 && from->groups[g].sources)
            status = make_sources(to, &to->groups[other]);
    }
    if (status == ALLOT_OK && !ids->same)
        status = make_units(from, to, ids);
    if (status == ALLOT_OK)
        status = allot_state_move(from->state, ids->to, report, &to->state);
    if (status == ALLOT_OK)
        *out = to;
    else
        allot__books_end(to);
    return status;
}

int allot__books_rebase(allot__books *books, const allot__id_map *ids, allot_report *report,
                        allot__books **out)
{
    allot__books *to;
    allot__books_unseal(books);
    int status = make_room(books, ids, report, &to);
    if (status != ALLOT_OK)
        return status;
    allot__books_list_end(books);
    rebase_tables(books, to, ids);
    rebase_units(books, to, ids);
    rebase_things(books, to, ids);
    if (!ids->same || to->consumers != books->consumers)
        allot__rows_tell(to);
    *out = to;
    return ALLOT_OK;
}
