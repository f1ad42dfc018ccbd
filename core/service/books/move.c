/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* move.c: books read from lines, copied under another plan, and when something is due. */
#include "service/books/own.h"

/* A line is {"method": "NAME", "params": PARAMS}, as write.c writes it. */
int allot__books_read(allot__books *books, allot__event_reader *reader, const char *line,
                      size_t len, allot__error *fault)
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

/* ---- Copies ---------------------------------------------------------------------------------- */

int allot__books_read_lines(allot__books *books, const allot__text *text, int64_t *lost,
                            allot_report *report)
{
    allot__event_reader *reader;
    allot__error fault = {.message = ""};
    int status = allot__event_reader_new(books->engine, &reader);
    if (status != ALLOT_OK)
        return status;
    for (size_t at = 0; at < text->len && status == ALLOT_OK;) {
        const char *end = memchr(text->bytes + at, '\n', text->len - at);
        size_t len = (size_t)(end - (text->bytes + at));
        status = allot__books_read(books, reader, text->bytes + at, len, &fault);
        if (status != ALLOT_OK && status != ALLOT_ENOMEM && lost) {
            status = ALLOT_OK;
            ++*lost;
        }
        at += len + 1;
    }
    allot__event_reader_free(reader);
    if (status != ALLOT_OK && status != ALLOT_ENOMEM) {
        allot_diagnostic finding = {.severity = ALLOT_ERROR,
                                    .code = fault.code ? fault.code : "E-store",
                                    .path = fault.path[0] != '\0' ? fault.path : NULL,
                                    .message = fault.message,
                                    .hint = fault.hint[0] != '\0' ? fault.hint : NULL,
                                    .consumer = -1,
                                    .group = -1,
                                    .field = -1};
        allot_report_add(report, &finding);
    }
    return status;
}

static int copy_source(allot__books *to, int32_t group, int32_t leaf, const allot__origin *from)
{
    const allot__origin *source = NULL;
    int status = from ? allot__origin_find(to, from->named.name, &source) : ALLOT_OK;
    return status == ALLOT_OK && source ? allot__origin_set(to, group, leaf, source) : status;
}

/* Lines have those of leaves alone of which more is known. */
static int copy_sources(const allot__books *from, allot__books *to)
{
    allot__id_map *ids;
    bool any = false;
    for (size_t g = 0; g < from->group_count; g++)
        any = any || from->groups[g].sources;
    int status = any ? allot__id_map_new(from->engine, from->plan, to->plan, &ids) : ALLOT_OK;
    if (!any || status != ALLOT_OK)
        return status;
    for (size_t g = 0; g < from->group_count; g++) {
        const allot__books_group *of = &from->groups[g];
        int32_t group = allot__id_map_find(ids, ALLOT__GROUP, (int32_t)g);
        for (size_t i = 0; of->sources && group >= 0 && i < from->consumers; i++) {
            int32_t leaf = allot__id_map_find(ids, ALLOT__LEAF, (int32_t)i);
            if (leaf >= 0 && status == ALLOT_OK)
                status = copy_source(to, group, leaf, of->sources[i]);
        }
    }
    allot__id_map_free(ids);
    return status;
}

int allot__books_move(const allot__books *books, const allot_plan *plan, int64_t *lost,
                      allot_report *report, allot__books **out)
{
    allot__text text = {.engine = books->engine};
    allot__books *moved;
    int status = allot__books_new(books->engine, plan, &moved);
    if (status != ALLOT_OK)
        return status;
    status = allot__books_write(books, &text);
    if (status == ALLOT_OK)
        status = allot__books_read_lines(moved, &text, lost, report);
    if (status == ALLOT_OK)
        status = copy_sources(books, moved);
    allot__text_free(&text);
    if (status == ALLOT_OK)
        *out = moved;
    else
        allot__books_end(moved);
    return status;
}

/* ---- When something is due ------------------------------------------------------------------- */

static void sooner(int64_t *due, int64_t now, int64_t when)
{
    if (when > now && when < *due)
        *due = when;
}

static int64_t later(int64_t when, int64_t by)
{
    return when > INT64_MAX - by ? INT64_MAX : when + by;
}

int64_t allot__books_due(const allot__books *books, int64_t now)
{
    int64_t due = INT64_MAX, when;
    if (allot_plan_switch(books->plan, now, &when) == ALLOT_OK)
        sooner(&due, now, when);
    for (int32_t i = 0; i < allot_state_reclaims(books->state); i++) {
        allot_in_flight flight;
        if (allot_state_reclaim_at(books->state, i, &flight) != ALLOT_OK)
            continue;
        int64_t leeway = allot_plan_option_get(books->plan, flight.group, ALLOT_OPTION_LEEWAY);
        sooner(&due, now, flight.deadline);
        sooner(&due, now, later(flight.deadline, leeway));
    }
    for (size_t i = 0; i < books->decline_count; i++)
        sooner(&due, now, books->declines[i].until);
    for (int32_t i = 0; i < allot_state_jobs(books->state); i++) {
        allot_job job;
        if (allot_state_job_at(books->state, i, &job) == ALLOT_OK)
            sooner(&due, now, job.begin);
    }
    for (int32_t i = 0; i < (int32_t)books->leases; i++) {
        allot_lease lease;
        allot_lease_now is;
        if (allot_state_lease_at(books->state, i, &is) == ALLOT_OK &&
            allot_plan_lease_at(books->plan, i, &lease) == ALLOT_OK)
            sooner(&due, now, later(is.since, lease.reclaim_delay));
    }
    for (size_t g = 0; books->damped && g < books->group_count; g++) {
        int64_t wait = allot_plan_option_get(books->plan, (int32_t)g, ALLOT_OPTION_CLAIM_DELAY);
        int64_t rest =
            allot_plan_option_get(books->plan, (int32_t)g, ALLOT_OPTION_RECLAIM_INTERVAL);
        for (size_t i = 0; wait + rest > 0 && i < books->consumers; i++) {
            if (books->groups[g].waiting_since[i] != INT64_MIN)
                sooner(&due, now, later(books->groups[g].waiting_since[i], wait));
            if (books->groups[g].reclaimed_at[i] != INT64_MIN)
                sooner(&due, now, later(books->groups[g].reclaimed_at[i], rest));
        }
    }
    return due;
}
