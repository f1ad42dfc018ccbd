/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* usage.c: how queues were used, how contracts stand, and when resources were preempted for. */
#include <string.h>

#include "json/jobs/queues.h"
#include "json/text/names.h"
#include "json/state/item.h"
#include "json/text/texts.h"

/* ---- Queues ---------------------------------------------------------------------------------- */

#define USAGE_MAX ((int64_t)1 << 62)
static const allot__field whole = {NULL, ALLOT__INTEGER, 0, USAGE_MAX, false, false};
static const allot__field rest = {NULL, ALLOT__INTEGER, 0, 999999, false, false};

/* The millionths of that queue; 0 where the state does not say them. */
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

/* Rests are of queues that have whole slot-seconds beside them, be they 0. */
static void check_rest(allot__state_reader *reader, uint32_t member)
{
    const allot__value *usage = &reader->top[ALLOT__STATE_USAGE];
    allot__doc *doc = &reader->doc;
    char quote[ALLOT__QUOTE_MAX + 4];
    if (usage->kind == 0 || allot__doc_member(doc, usage->number, allot__doc_key(doc, member)) == 0)
        allot__doc_fault(doc, allot__at_key(member), "E-missing", NULL,
                         "found the rest of %s, which \"usage\" does not have",
                         allot__doc_quote(doc, allot__at_key(member), quote));
}

/* Use that fades was so much at a time; if that is not told, now. */
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

/* ---- Contracts ------------------------------------------------------------------------------- */

static const char *lease_name(const allot_plan *plan, int32_t number)
{
    allot_lease lease;
    return allot_plan_lease_at(plan, number, &lease) == ALLOT_OK ? lease.name : NULL;
}

static void check_side(allot__item_reader *it, const char *name, const allot_lease_side *side)
{
    allot__doc *doc = &it->reader->doc;
    const allot__value *value = allot__item_reader_value(it, name);
    if (side->used > side->available)
        allot__doc_fault(doc, allot__at(allot__doc_member(doc, value->number, "used")), "E-range",
                         NULL, "found %lld used, allowed as many as are available, %lld",
                         (long long)side->used, (long long)side->available);
}

static void take_lease(allot__item_reader *it, void *thing, bool sound)
{
    static const allot__named leases = {"E-unknown-lease",     "contract",        "the plan",
                                        allot_plan_lease_find, allot_plan_leases, lease_name};
    const allot_lease_now *now = thing;
    allot__doc *doc = &it->reader->doc;
    int64_t faults = doc->faults;
    int32_t lease = allot__named_read(doc, it->reader->plan, allot__at_key(it->object),
                                      allot__doc_key(doc, it->object), &leases);
    if (!sound)
        return;
    check_side(it, "provider", &now->provider);
    check_side(it, "consumer", &now->consumer);
    if (lease >= 0 && doc->faults == faults)
        allot__doc_keep(doc, allot_state_lease(it->reader->state, lease, now));
}

void allot__leases_now_read(allot__state_reader *reader)
{
    allot__item_reader it;
    if (allot__item_reader_begin(reader, ALLOT_ITEM_LEASE, &it))
        allot__item_reader_read(&it, &reader->top[ALLOT__STATE_LEASES], take_lease);
}

/* ---- Resources ------------------------------------------------------------------------------ */

static void read_time(allot__state_reader *reader, uint32_t member)
{
    static const allot__field time = {
        NULL, ALLOT__INTEGER | ALLOT__STRING, INT64_MIN + 1, INT64_MAX, false, false};
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
