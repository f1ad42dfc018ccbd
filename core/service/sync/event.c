/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* event.c: an event of a truth: its text, then the books, then its row for the store. */
#include "service/sync/own.h"

void allot__sync_open(allot__sync *it, const char *members, bool source)
{
    allot__text *out = &it->params;
    out->len = 0;
    allot__text_puts(out, members);
    if (source) {
        allot__text_puts(out, "\"source\": ");
        allot__text_json(out, it->truth->source);
        allot__text_puts(out, ", ");
    }
    if (it->truth->at_given)
        allot__text_printf(out, "\"at\": %lld, ", (long long)it->truth->at);
    allot__text_trim(out);
    if (out->bytes && out->len > 1)
        out->len--; /* the comma: the next member brings its own */
}

void allot__sync_rest(allot__sync *it, const allot__truth_row *row)
{
    allot__text_puts(&it->params, it->params.len > 1 ? ", " : "");
    allot__text_add(&it->params, row->text + 1, row->len - 1);
}

/* Reserves the row's space first: an event in the books must reach the store. */
static int reserve(allot__sync *it, const allot__event *event)
{
    enum { HEAD = 256 };
    size_t key = event->key ? strlen(event->key) : 0;
    if (it->params.failed || !allot__text_room(&it->rows, it->params.len + key + HEAD)) {
        it->params.failed = it->rows.failed = false;
        return ALLOT_ENOMEM;
    }
    return ALLOT_OK;
}

static int no_memory(allot__error *error)
{
    return allot__error_set(error, ALLOT_ENOMEM, "E-memory", NULL, NULL,
                            "there was no memory for it: it counts the next time");
}

static void record(allot__sync *it, const allot__event *event)
{
    allot__event_row row = {.seq = it->service->event + ++it->count,
                            .at = it->at,
                            .who = it->who,
                            .method = allot__event_name((int)event->kind),
                            .params = it->params.bytes,
                            .params_len = it->params.len,
                            .key = event->key};
    allot__store_encode(&it->rows, &row);
    it->bytes += it->params.len;
    it->entered[event->kind]++;
}

int allot__sync_event(allot__sync *it, allot__event *event, allot__error *error)
{
    int status = reserve(it, event);
    if (!event->at_given) {
        event->at_given = it->truth->at_given;
        event->at = it->truth->at_given ? it->truth->at : it->at;
    }
    if (status == ALLOT_OK)
        status = allot__books_apply(it->books, event, error);
    if (status == ALLOT_OK)
        record(it, event);
    return status == ALLOT_ENOMEM ? no_memory(error) : status;
}
