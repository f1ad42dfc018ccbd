/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * write.c: the lines of a leaf, task, reclaim, ...; the whole books as lines that make equal books;
 * lines read again, also under another plan; and books moved to another plan.
 *
 * A move makes new tables; records keep their places in memory and in order. Moving the state is
 * the last step that may fail, and finds what does not fit.
 */
#include <allot/dispatch.h>
#include <allot/json.h>

#include "base/memory.h"
#include "base/path.h"
#include "service/books/own.h"

static void open_line(allot__text *out, allot__event_kind kind)
{
    allot__text_puts(out, "{\"method\": \"");
    allot__text_puts(out, allot__event_name((int)kind));
    allot__text_puts(out, "\", \"params\": ");
}

void allot__entry_open(allot__text *out, allot__event_kind kind)
{
    open_line(out, kind);
    allot__text_puts(out, "{");
}

void allot__item_open(allot__text *out, const allot_plan *plan, allot_item kind, const void *item)
{
    if (allot_item_write(plan, kind, item, allot__text_sink, out) != ALLOT_OK)
        out->failed = true;
    out->len -= out->failed ? 0 : 1;
}

static void entry_item(allot__text *out, const allot_plan *plan, allot__event_kind kind,
                       allot_item item, const void *it)
{
    open_line(out, kind);
    allot__item_open(out, plan, item, it);
}

void allot__entry_close(allot__text *out)
{
    allot__text_add(out, "}}\n", 3);
}

static void write_leaf(allot__text *out, const allot_plan *plan, int32_t group, int32_t consumer)
{
    allot__text_key(out, "consumer");
    allot__text_json_path(out, plan, consumer);
    if (allot_plan_groups(plan) > 1)
        allot__text_member(out, "group", allot_plan_group_name(plan, group));
}

void allot__write_set(allot__text *out, const char *key, int64_t value, int64_t unset)
{
    if (value != unset)
        allot__text_number(out, key, value);
}

void allot__write_origin(allot__text *out, const allot__origin *source)
{
    if (source)
        allot__text_member(out, "source", source->named.name);
}

void allot__write_row(const allot__books *books, int32_t group, int32_t leaf,
                      const allot_stated_leaf *row, const allot__origin *source, allot__text *out)
{
    allot__entry_open(out, ALLOT__EVENT_KEEP_ROW);
    write_leaf(out, books->plan, group, leaf);
    allot__write_set(out, "demand", row->demand, 0);
    allot__write_set(out, "allocated", row->allocated, 0);
    allot__write_set(out, "unlisted", row->unlisted, 0);
    allot__write_set(out, "reclaimed_at", row->reclaimed_at, INT64_MIN);
    allot__write_set(out, "waiting_since", row->waiting_since, INT64_MIN);
    allot__write_origin(out, source);
    allot__entry_close(out);
}

/* A reclaim's claims and tasks have lines of their own. */
void allot__write_flight(const allot__books *books, const allot_in_flight *flight, int64_t since,
                         allot__text *out)
{
    allot_in_flight alone = *flight;
    alone.claim_count = alone.task_count = 0;
    entry_item(out, books->plan, ALLOT__EVENT_KEEP_FLIGHT, ALLOT_ITEM_RECLAIM, &alone);
    allot__write_set(out, "since", since, INT64_MIN);
    allot__entry_close(out);
    for (int32_t i = 0; i < flight->claim_count; i++) {
        allot__entry_open(out, ALLOT__EVENT_KEEP_CLAIM);
        allot__text_member(out, "id", flight->id);
        allot__text_key(out, "for");
        allot__text_json_path(out, books->plan, flight->claims[i].consumer);
        allot__text_number(out, "slots", flight->claims[i].slots);
        allot__entry_close(out);
    }
    for (int32_t i = 0; i < flight->task_count; i++) {
        allot__entry_open(out, ALLOT__EVENT_KEEP_VICTIM);
        allot__text_member(out, "id", flight->id);
        allot__text_member(out, "task", flight->tasks[i]);
        allot__entry_close(out);
    }
}

static void write_side(allot__text *out, const char *key, const allot_lease_side *side)
{
    allot__text_open(out, key, "{");
    allot__text_number(out, "available", side->available);
    allot__text_number(out, "used", side->used);
    allot__write_set(out, "demand", side->demand, -1);
    allot__text_puts(out, "}");
}

static void write_places(allot__text *out, const char *key, const allot_job_host *hosts,
                         int32_t count)
{
    if (count == 0)
        return;
    allot__text_open(out, key, "{");
    for (int32_t i = 0; i < count; i++) {
        allot__text_key(out, NULL);
        allot__text_json(out, hosts[i].host ? hosts[i].host : "");
        allot__text_puts(out, ": ");
        allot__text_int(out, hosts[i].slots);
    }
    allot__text_puts(out, "}");
}

/* Places and growing values are written as in events, not as in documents. */
void allot__write_job(const allot__books *books, const allot_job *job, const allot__origin *source,
                      allot__text *out)
{
    allot_job alone = *job;
    alone.flags &= ALLOT_JOB_EXCLUSIVE | ALLOT_JOB_FORCED;
    alone.host_count = alone.grown_count = 0;
    alone.grow = alone.notifying = 0;
    alone.begin = INT64_MIN;
    entry_item(out, books->plan, ALLOT__EVENT_KEEP_JOB, ALLOT_ITEM_JOB, &alone);
    allot__write_set(out, "grow", job->grow, 0);
    allot__write_set(out, "until", job->begin, INT64_MIN);
    allot__write_origin(out, source);
    write_places(out, "hosts", job->hosts, job->host_count);
    write_places(out, "grown", job->grown, job->grown_count);
    allot__entry_close(out);
}

void allot__write_id(allot__text *out, allot__event_kind kind, const char *id)
{
    allot__entry_open(out, kind);
    allot__text_member(out, "id", id);
    allot__entry_close(out);
}

void allot__write_clock(int64_t now, allot__text *out)
{
    if (now == INT64_MIN)
        return;
    allot__entry_open(out, ALLOT__EVENT_KEEP_CLOCK);
    allot__text_number(out, "now", now);
    allot__entry_close(out);
}

void allot__write_origins(const allot__books *books, allot__text *out)
{
    for (const allot__map_item *it = books->sources.first; it; it = it->after) {
        const allot__origin *source = (const allot__origin *)(const void *)it;
        allot__entry_open(out, ALLOT__EVENT_KEEP_SYNC);
        allot__write_origin(out, source);
        allot__write_set(out, "at", source->at, INT64_MIN);
        allot__entry_close(out);
    }
}

void allot__write_loan(const allot__books *books, const allot_loan *loan, allot__text *out)
{
    allot__entry_open(out, ALLOT__EVENT_KEEP_LOAN);
    write_leaf(out, books->plan, loan->group, loan->lender);
    allot__text_key(out, "borrower");
    allot__text_json_path(out, books->plan, loan->borrower);
    allot__text_number(out, "slots", loan->slots);
    allot__entry_close(out);
}

void allot__write_declines(const allot__books *books, allot__text *out)
{
    for (size_t i = 0; i < books->decline_count; i++) {
        const allot__decline *it = &books->declines[i];
        allot__entry_open(out, ALLOT__EVENT_DECLINE);
        write_leaf(out, books->plan, it->group, it->consumer);
        allot__text_number(out, "until", it->until);
        allot__text_number(out, "most", it->most);
        allot__entry_close(out);
    }
}

void allot__write_contracts(const allot__books *books, allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease lease;
        allot_lease_now now;
        if (allot_state_lease_at(books->state, i, &now) != ALLOT_OK)
            continue;
        allot_plan_lease_at(books->plan, i, &lease);
        allot__entry_open(out, ALLOT__EVENT_LEASE);
        allot__text_member(out, "name", lease.name);
        write_side(out, "provider", &now.provider);
        write_side(out, "consumer", &now.consumer);
        allot__text_member(out, "phase", allot_lease_phase_name((int)now.phase));
        allot__text_number(out, "since", now.since);
        allot__entry_close(out);
    }
}

void allot__write_use(const allot__books *books, allot__text *out)
{
    for (int32_t i = 0; i < (int32_t)books->queues; i++) {
        allot_queue queue;
        int64_t usage;
        int32_t millionths;
        if (allot_state_usage_get(books->state, i, &usage, &millionths) != ALLOT_OK)
            continue;
        allot_plan_queue_at(books->plan, i, &queue);
        allot__entry_open(out, ALLOT__EVENT_KEEP_USAGE);
        allot__text_member(out, "queue", queue.name);
        allot__text_number(out, "usage", usage);
        allot__text_number(out, "millionths", millionths);
        allot__entry_close(out);
    }
    for (int32_t i = 0; i < (int32_t)books->resources; i++) {
        allot_resource resource;
        int64_t at;
        if (allot_state_resource_time(books->state, i, &at) != ALLOT_OK)
            continue;
        allot_plan_resource_at(books->plan, i, &resource);
        allot__entry_open(out, ALLOT__EVENT_KEEP_RESOURCE);
        allot__text_member(out, "name", resource.name);
        allot__text_number(out, "preempted_at", at);
        allot__entry_close(out);
    }
}

/* ---- By kind --------------------------------------------------------------------------------- */

bool allot__row_is_bare(const allot_stated_leaf *row, const allot__origin *source)
{
    return !source && row->demand == 0 && row->allocated == 0 && row->unlisted == 0 &&
           row->reclaimed_at == INT64_MIN && row->waiting_since == INT64_MIN;
}

void allot__write_size(const allot__books *books, int32_t g, allot__text *out)
{
    if (books->groups[g].slots < 0)
        return;
    allot__entry_open(out, ALLOT__EVENT_SLOTS);
    if (books->group_count > 1)
        allot__text_member(out, "group", allot_plan_group_name(books->plan, g));
    allot__text_number(out, "slots", books->groups[g].slots);
    allot__entry_close(out);
}

void allot__write_thing(const allot__books *books, allot_item kind, const allot__map_item *item,
                        allot__text *out)
{
    const allot__record *record = (const allot__record *)(const void *)item;
    allot__any it;
    if (!allot__books_get(books, kind, item->name, &it))
        return;
    if (kind == ALLOT_ITEM_RECLAIM) {
        allot__write_flight(books, &it.reclaim,
                            ((const allot__flight_item *)(const void *)item)->since, out);
        return;
    }
    if (kind == ALLOT_ITEM_JOB) {
        allot__write_job(books, &it.job, record->source, out);
        return;
    }
    bool waits = kind == ALLOT_ITEM_TASK && !allot__task_runs(&it.task);
    entry_item(out, books->plan,
               kind == ALLOT_ITEM_HOST      ? ALLOT__EVENT_HOST
               : kind == ALLOT_ITEM_SESSION ? ALLOT__EVENT_SESSION
               : waits                      ? ALLOT__EVENT_TASK
                                            : ALLOT__EVENT_START,
               kind, &it);
    if (waits)
        allot__text_bool(out, "whole", true);
    if (record->told)
        allot__text_bool(out, "told", true);
    allot__write_origin(out, record->source);
    allot__entry_close(out);
}

const allot_item allot__books_order[ALLOT__KINDS] = {
    ALLOT_ITEM_HOST, ALLOT_ITEM_SESSION, ALLOT_ITEM_TASK, ALLOT_ITEM_RECLAIM, ALLOT_ITEM_JOB};

/* ---- The whole ------------------------------------------------------------------------------- */

static void write_map(const allot__books *books, allot_item kind, allot__text *out)
{
    for (const allot__map_item *it = allot__books_map(books, kind)->first; it; it = it->after)
        allot__write_thing(books, kind, it, out);
}

int allot__books_write(const allot__books *books, allot__text *out)
{
    allot__write_clock(allot__books_last(books), out);
    allot__write_origins(books, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        allot__write_size(books, g, out);
    for (int32_t g = 0; g < (int32_t)books->group_count; g++)
        for (int32_t i = 0; i < (int32_t)books->consumers; i++) {
            const allot_stated_leaf row = allot__leaf(books, g, i);
            const allot__origin *source = allot__leaf_beside(books, g, i)->source;
            if (!allot__row_is_bare(&row, source))
                allot__write_row(books, g, i, &row, source, out);
        }
    for (int i = 0; i < ALLOT__KINDS - 1; i++)
        write_map(books, allot__books_order[i], out);
    for (int32_t i = 0; i < allot_state_loans(books->state); i++)
        allot__write_loan(books, allot_state_loan_at(books->state, i), out);
    allot__write_contracts(books, out);
    write_map(books, allot__books_order[ALLOT__KINDS - 1], out);
    allot__write_use(books, out);
    allot__write_declines(books, out);
    return out->failed ? ALLOT_ENOMEM : ALLOT_OK;
}

/* A line is {"method": "NAME", "params": PARAMS}, as write.c writes it. */
static int read_line(allot__books *books, allot__event_reader *reader, const char *line, size_t len,
                     allot__error *fault)
{
    static const char head[] = "{\"method\": \"", middle[] = "\", \"params\": ";
    size_t at = sizeof head - 1, from = at;
    bool sound = len > at && memcmp(line, head, at) == 0;
    while (sound && at < len && line[at] != '"')
        at++;
    size_t name = at - from, params = at + sizeof middle - 1;
    sound = sound && params + 1 < len && memcmp(line + at, middle, sizeof middle - 1) == 0 &&
            line[len - 1] == '}';
    int32_t kind = sound ? allot__event_find_kept(line + from, name) : -1;
    if (kind < 0)
        return allot__error_set(fault, ALLOT_EINVALID, "E-store", NULL, NULL,
                                "no line of a snapshot: %.60s", line);
    allot__event event;
    int status = allot__event_read(reader, books->plan, (allot__event_kind)kind, ALLOT__STORE,
                                   line + params, len - params - 1, &event, fault);
    if (status != ALLOT_OK)
        return status;
    books->reading = true;
    status = allot__books_apply(books, &event, fault);
    books->reading = false;
    return status;
}

int allot__books_read(allot__books *books, allot__event_reader *reader, const char *text,
                      size_t len, allot__books_judge *judge, void *ud, allot__error *fault)
{
    int status = ALLOT_OK;
    for (size_t at = 0; at < len && status == ALLOT_OK;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t size = end ? (size_t)(end - (text + at)) : len - at;
        status = read_line(books, reader, text + at, size, fault);
        if (status != ALLOT_OK && status != ALLOT_ENOMEM && judge)
            status = judge(ud, status, fault);
        at += size + 1;
    }
    return status;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* Notes only the first loss. */
static int lose(void *ud, int status, const allot__error *fault)
{
    allot__error *lost = ud;
    (void)status;
    if (!lost->code)
        *lost = *fault;
    return ALLOT_OK;
}

static int read_text(allot__books *books, const allot__text *text, allot__error *lost)
{
    allot__event_reader *reader;
    allot__error fault = {.message = ""};
    int status = allot__event_reader_new(books->engine, &reader);
    if (status != ALLOT_OK)
        return status;
    status = allot__books_read(books, reader, text->bytes, text->len, lose, lost, &fault);
    allot__event_reader_free(reader);
    return status;
}

int allot__books_move(const allot__books *books, const allot_plan *plan, allot__error *lost,
                      allot__books **out)
{
    allot__text text = {.engine = books->engine};
    allot__books *moved;
    int status = allot__books_new(books->engine, plan, &moved);
    *lost = (allot__error){.code = NULL};
    if (status != ALLOT_OK)
        return status;
    status = allot__books_write(books, &text);
    if (status == ALLOT_OK)
        status = read_text(moved, &text, lost);
    allot__text_free(&text);
    if (status == ALLOT_OK)
        *out = moved;
    else
        allot__books_end(moved);
    return status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Consumers that are gone had nothing. */
static void rebase_group(const allot__books_group *from, allot__books_group *to,
                         const allot_plan_map *ids)
{
    to->slots = from->slots;
    for (int32_t i = 0; i < ids->consumer_count; i++)
        if (ids->consumers[i] >= 0)
            to->leaves[ids->consumers[i]] = from->leaves[i];
}

static void rebase_tables(const allot__books *from, allot__books *to, const allot_plan_map *ids)
{
    int32_t other;
    for (int32_t i = 0; i < (int32_t)from->group_count; i++)
        if ((other = ids->groups[i]) >= 0)
            rebase_group(&from->groups[i], &to->groups[other], ids);
    to->mark = from->mark;
    to->job_most = from->job_most;
    to->pending = from->pending;
    to->starts_told = from->starts_told;
    if (from->host_most > to->host_most)
        to->host_most = from->host_most;
}

/* ---- Things ---------------------------------------------------------------------------------- */

static void rebase_pair(const allot_plan_map *ids, int32_t *group, int32_t *consumer)
{
    *group = ids->groups[*group];
    *consumer = ids->consumers[*consumer];
}

static void take_map(allot__map *from, allot__map *to)
{
    *to = *from;
    *from = (allot__map){.engine = to->engine};
}

/* Drops the declines of leaves that are gone. */
static void rebase_declines(allot__books *from, allot__books *to, const allot_plan_map *ids)
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

static void rebase_things(allot__books *from, allot__books *to, const allot_plan_map *ids)
{
    for (int k = 0; k < ALLOT__KINDS; k++)
        take_map(allot__books_map(from, allot__books_order[k]),
                 allot__books_map(to, allot__books_order[k]));
    take_map(&from->indexes, &to->indexes);
    take_map(&from->sources, &to->sources);
    rebase_declines(from, to, ids);
}

/* ---- Units: their names have numbers in them ------------------------------------------------- */

static int make_units(const allot__books *from, allot__books *to, const allot_plan_map *ids)
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
        allot__unit *unit = allot__item_make(to->engine, sizeof *unit, key, len);
        status = unit ? allot__item_put(to->engine, &to->units, unit) : ALLOT_ENOMEM;
    }
    return status;
}

/* Both have the same order. */
static void rebase_units(allot__books *from, allot__books *to, const allot_plan_map *ids)
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

/* Makes empty books under the other plan, with capacity for everything that moves. */
static int make_room(const allot__books *from, const allot_plan_map *ids, allot_report *report,
                     allot__books **out)
{
    allot__books *to;
    int status = allot__books_make(from->engine, ids->to, &to);
    if (status != ALLOT_OK)
        return status;
    if (!ids->same)
        status = make_units(from, to, ids);
    if (status == ALLOT_OK)
        status = allot_state_move(from->state, ids->to, report, &to->state);
    if (status == ALLOT_OK)
        *out = to;
    else
        allot__books_end(to);
    return status;
}

int allot__books_rebase(allot__books *books, const allot_plan_map *ids, allot_report *report,
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
        allot__leaves_begin(to);
    *out = to;
    return ALLOT_OK;
}
