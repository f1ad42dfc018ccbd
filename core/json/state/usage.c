/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* usage.c: use of queues, and times of preemption for resources. */
#include <string.h>

#include "json/jobs/queues.h"
#include "json/text/names.h"
#include "json/state/item.h"

/* ---- Queues ---------------------------------------------------------------------------------- */

#define USAGE_MAX ((int64_t)1 << 62)
static const allot__field whole = {NULL, ALLOT__INTEGER, 0, USAGE_MAX, false};
static const allot__field rest = {NULL, ALLOT__INTEGER, 0, 999999, false};

/* The millionths of that queue; 0: not stated. */
static int32_t read_rest(allot__state_reader *reader, const char *queue)
{
    const allot__value *rests = &reader->top[ALLOT__STATE_USAGE_REST];
    uint32_t member = rests->kind != 0 ? allot__doc_member(&reader->doc, rests->number, queue) : 0;
    if (member == 0)
        return 0;
    allot__value value = allot__value_read(&reader->doc, member, &rest);
    return value.kind != 0 ? (int32_t)value.integer : 0;
}

static void read_queue(allot__state_reader *reader, uint32_t member)
{
    allot__doc *doc = &reader->doc;
    const char *name = allot__doc_key(doc, member);
    int32_t queue = allot__queue_read(doc, reader->plan, allot__at_key(member), name);
    allot__value value = allot__value_read(doc, member, &whole);
    int32_t millionths = read_rest(reader, name);
    if (queue >= 0 && value.kind != 0)
        allot__doc_keep(doc, allot_state_usage(reader->state, queue, value.integer, millionths));
}

/* A queue with millionths must state whole slot-seconds, too, even 0. */
static void check_rest(allot__state_reader *reader, uint32_t member)
{
    const allot__value *usage = &reader->top[ALLOT__STATE_USAGE];
    allot__doc *doc = &reader->doc;
    if (usage->kind == 0 || allot__doc_member(doc, usage->number, allot__doc_key(doc, member)) == 0)
        allot__doc_found(doc, allot__at_key(member), "E-missing", NULL, "the rest of ",
                         ", which \"usage\" does not have");
}

/* The time of the stated use, since use fades; not stated: now. */
static void read_when(allot__state_reader *reader)
{
    if (reader->top[ALLOT__STATE_USAGE_AT].kind != 0 && reader->usage_known)
        allot__doc_keep(&reader->doc, allot_state_usage_at(reader->state, reader->usage_at));
}

void allot__usage_read(allot__state_reader *reader)
{
    allot__members_read(reader, ALLOT__STATE_USAGE, read_queue);
    allot__members_read(reader, ALLOT__STATE_USAGE_REST, check_rest);
    read_when(reader);
}

/* ---- Resources ------------------------------------------------------------------------------- */

static void read_time(allot__state_reader *reader, uint32_t member)
{
    static const allot__field time = {NULL, ALLOT__INTEGER | ALLOT__STRING, INT64_MIN + 1,
                                      INT64_MAX, false};
    allot__doc *doc = &reader->doc;
    int64_t when;
    int32_t resource =
        allot__resource_find(doc, reader->plan, allot__at_key(member), allot__doc_key(doc, member));
    allot__value value = allot__value_read(doc, member, &time);
    if (allot__time_read(doc, &value, &when) && resource >= 0)
        allot__doc_keep(doc, allot_state_resource_preempted(reader->state, resource, when));
}

void allot__preempted_at_read(allot__state_reader *reader)
{
    allot__members_read(reader, ALLOT__STATE_PREEMPTED_AT, read_time);
}
