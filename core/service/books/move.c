/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * move.c: books read from lines, copied under another plan, and moved to it.
 *
 * A move makes new tables; records keep their places in memory and in order. Moving the state is
 * the last step that may fail, and finds what does not fit.
 */
#include "base/memory.h"
#include "service/books/own.h"

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
    if (lost->code[0] == '\0')
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
    *lost = (allot__error){.code = ""};
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

/* Consumers that are gone had nothing; what is no leaf any more declines nothing. */
static void rebase_group(const allot__books *from, allot__books *to, int32_t group, int32_t other,
                         const allot_plan_map *ids)
{
    to->sizes[other] = from->sizes[group];
    for (int32_t i = 0; i < ids->consumer_count; i++) {
        if (ids->consumers[i] < 0)
            continue;
        allot__books_leaf *leaf = allot__leaf_beside(to, other, ids->consumers[i]);
        *leaf = *allot__leaf_beside(from, group, i);
        if (allot_plan_children(ids->to, ids->consumers[i]) > 0)
            leaf->until = INT64_MIN;
        to->declined += leaf->until != INT64_MIN;
    }
}

static void rebase_tables(const allot__books *from, allot__books *to, const allot_plan_map *ids)
{
    for (int32_t i = 0; i < (int32_t)from->group_count; i++)
        if (ids->groups[i] >= 0)
            rebase_group(from, to, i, ids->groups[i], ids);
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

static void rebase_things(allot__books *from, allot__books *to)
{
    for (int k = 0; k < ALLOT__KINDS; k++)
        take_map(allot__books_map(from, allot__books_order[k]),
                 allot__books_map(to, allot__books_order[k]));
    take_map(&from->sources, &to->sources);
}

/* ---- Ties: names of some have numbers in them ------------------------------------------------ */

static int make_ties(const allot__books *from, allot__books *to, const allot_plan_map *ids)
{
    char key[ALLOT__TIE_MOST];
    int status = ALLOT_OK;
    for (const allot__map_item *it = from->ties.first; it && status == ALLOT_OK; it = it->after) {
        const allot__tie *old = (const allot__tie *)(const void *)it;
        allot_task task;
        if (!allot__books_get(from, ALLOT_ITEM_TASK, old->first->of.named.name, &task))
            continue;
        rebase_pair(ids, &task.group, &task.consumer);
        size_t len = allot__tie_key(&task, old->kind, key);
        allot__tie *tie = allot__item_make(to->engine, sizeof *tie, key, len);
        status = tie ? allot__item_put(to->engine, &to->ties, tie) : ALLOT_ENOMEM;
        if (status == ALLOT_OK)
            tie->kind = old->kind;
    }
    return status;
}

/* Both have the same order. */
static void rebase_ties(allot__books *from, allot__books *to, const allot_plan_map *ids)
{
    const allot__map_item *old = from->ties.first;
    if (ids->same) {
        take_map(&from->ties, &to->ties);
        return;
    }
    for (allot__map_item *it = to->ties.first; it; it = it->after, old = old->after) {
        allot__tie *tie = (allot__tie *)(void *)it;
        tie->first = ((const allot__tie *)(const void *)old)->first;
        for (allot__task_item *task = tie->first; task; task = task->links[tie->kind].after)
            task->links[tie->kind].tie = tie;
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
        status = make_ties(from, to, ids);
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
    rebase_ties(books, to, ids);
    rebase_things(books, to);
    if (!ids->same || to->consumers != books->consumers)
        allot__leaves_begin(to);
    *out = to;
    return ALLOT_OK;
}
