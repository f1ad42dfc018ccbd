/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * rebase.c: the books rebased to another plan: tables are made anew, things keep their places in
 * memory and in order, and get the other plan's numbers.
 *
 * First everything is looked at, so that nothing can fail once the first thing is changed. What
 * does not fit is written as a line and read under the other plan, which says why.
 */
#include "service/books/own.h"

#include "base/memory.h"

/* ---- What fits ------------------------------------------------------------------------------- */

static bool has_leaf(const allot__id_map *ids, int32_t group, int32_t consumer)
{
    return allot__id_map_find(ids, ALLOT__GROUP, group) >= 0 &&
           allot__id_map_find(ids, ALLOT__LEAF, consumer) >= 0;
}

/* What a member's number is of. */
static int32_t *other_of(const allot__id_map *ids, allot_member_type type, int32_t number)
{
    static const allot__numbered kinds[] = {
        [ALLOT_MEMBER_CONSUMER] = ALLOT__CONSUMER, [ALLOT_MEMBER_LEAF] = ALLOT__LEAF,
        [ALLOT_MEMBER_GROUP] = ALLOT__GROUP,       [ALLOT_MEMBER_QUEUE] = ALLOT__QUEUE,
        [ALLOT_MEMBER_AMOUNTS] = ALLOT__RESOURCE,  [ALLOT_MEMBER_CLAIMS] = ALLOT__CONSUMER,
        [ALLOT_MEMBER_SLOTS] = ALLOT__GROUP,       [ALLOT_MEMBER_VALUES] = ALLOT__ATTRIBUTE};
    return &ids->of[kinds[type]][number];
}

static int fits_number(void *ud, allot_member_type type, void *number)
{
    const allot__id_map *ids = ud;
    const allot_task_value *value = number;
    int32_t of = *(const int32_t *)number;
    bool fits = *other_of(ids, type, of) >= 0;
    if (fits && type == ALLOT_MEMBER_VALUES)
        fits = value->value >= ids->least[of] && value->value <= ids->most[of];
    return fits ? ALLOT_OK : ALLOT_ENOENT;
}

/* Whether all numbers of a thing are there; a host with slots of the plan's is one of the plan. */
static bool fits(const allot__books *books, const allot__id_map *ids, allot_item kind,
                 const char *name)
{
    allot__any it;
    if (!allot__books_get(books, kind, name, &it))
        return true;
    if (kind == ALLOT_ITEM_HOST && it.host.planned && allot_plan_host_find(ids->to, name) < 0)
        return false;
    return allot_item_numbers(allot_members_of(kind), &it, fits_number, (void *)ids) == ALLOT_OK;
}

/* All of these write the first that does not fit, if there is one. */
static void misfit_of_groups(const allot__books *books, const allot__id_map *ids, allot__text *out)
{
    for (int32_t g = 0; g < (int32_t)books->group_count && out->len == 0; g++) {
        const allot__books_group *group = &books->groups[g];
        if (allot__id_map_find(ids, ALLOT__GROUP, g) < 0)
            allot__write_size(books, g, out);
        for (int32_t i = 0; i < (int32_t)books->consumers && out->len == 0; i++)
            if (!has_leaf(ids, g, i) && !allot__row_is_bare(group, i))
                allot__write_row(books, group, g, i, out);
    }
}

static void misfit_of_things(allot__books *books, const allot__id_map *ids, allot__text *out)
{
    allot__books_kind kinds[ALLOT__KINDS];
    bool other = (books->queues > 0) != (allot_plan_queues(ids->to) > 0);
    allot__books_kinds(books, kinds);
    for (int k = 0; k < ALLOT__KINDS; k++) {
        bool none = other && k != ALLOT__HOSTS; /* what the one has, the other cannot have */
        for (allot__map_item *it = kinds[k].map->first; it && out->len == 0; it = it->after)
            if (none || !fits(books, ids, kinds[k].item, it->name))
                kinds[k].write(books, it, out);
    }
}

static void misfit_of_contracts(const allot__books *books, const allot__id_map *ids,
                                allot__text *out)
{
    allot_lease_now now;
    for (int32_t i = 0; i < allot_state_loans(books->state) && out->len == 0; i++) {
        const allot_loan *it = allot_state_loan_at(books->state, i);
        if (!has_leaf(ids, it->group, it->lender) ||
            allot__id_map_find(ids, ALLOT__LEAF, it->borrower) < 0)
            allot__write_loan(books, it, out);
    }
    for (size_t i = 0; i < books->leases && out->len == 0; i++)
        if (allot_state_lease_at(books->state, (int32_t)i, &now) == ALLOT_OK &&
            allot__id_map_find(ids, ALLOT__LEASE, (int32_t)i) < 0)
            allot__write_contracts(books, NULL, out);
}

/* Whether it fits after all (a group by its number, say) or why it does not. */
static int judge(const allot__books *books, const allot_plan *plan, const allot__text *line,
                 allot_report *report)
{
    allot__books *empty;
    int status = line->failed ? ALLOT_ENOMEM : allot__books_new(books->engine, plan, &empty);
    if (status != ALLOT_OK)
        return status;
    status = allot__books_read_lines(empty, line, NULL, report);
    allot__books_end(empty);
    return status;
}

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
    int status = allot__books_new(from->engine, ids->to, &to);
    if (status != ALLOT_OK)
        return status;
    for (size_t g = 0; g < from->group_count && status == ALLOT_OK; g++) {
        int32_t other = allot__id_map_find(ids, ALLOT__GROUP, (int32_t)g);
        if (other >= 0 && from->groups[g].sources)
            status = make_sources(to, &to->groups[other]);
    }
    if (status == ALLOT_OK && !ids->same)
        status = make_units(from, to, ids);
    allot_state *state = NULL;
    if (status == ALLOT_OK)
        status = allot_state_copy(from->state, ids->to, report, &state);
    if (status == ALLOT_OK) {
        allot_state_free(to->state);
        to->state = state;
    }
    if (status == ALLOT_OK)
        *out = to;
    else
        allot__books_end(to);
    return status;
}

int allot__books_rebase(allot__books *books, const allot__id_map *ids, allot_report *report,
                        allot__books **out)
{
    allot__text line = {.engine = books->engine};
    allot__books *to;
    if (!ids->same) {
        misfit_of_groups(books, ids, &line);
        misfit_of_things(books, ids, &line);
        misfit_of_contracts(books, ids, &line);
    }
    bool fit = line.len == 0 && !line.failed;
    int status = fit ? ALLOT_OK : judge(books, ids->to, &line, report);
    allot__text_free(&line);
    if (!fit)
        return status == ALLOT_OK ? allot__books_move(books, ids->to, NULL, report, out) : status;
    status = make_room(books, ids, report, &to);
    if (status != ALLOT_OK)
        return status;
    allot__books_list_end(books);
    rebase_tables(books, to, ids);
    rebase_units(books, to, ids);
    rebase_things(books, to, ids);
    allot__rows_tell(to);
    *out = to;
    return ALLOT_OK;
}
