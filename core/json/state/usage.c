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
static int32_t read_rest(allot__state_reader *reader, const cJSON *rests, const char *queue)
{
    const cJSON *member = rests ? cJSON_GetObjectItemCaseSensitive(rests, queue) : NULL;
    if (!member || member->valueint == 0)
        return 0;
    allot__value value = allot__value_read(&reader->doc, member, &rest);
    return value.kind != 0 ? (int32_t)value.integer : 0;
}

static void read_queue(allot__state_reader *reader, const cJSON *member, const cJSON *rests)
{
    allot__doc *doc = &reader->doc;
    uint32_t number = (uint32_t)member->valueint;
    if (number == 0)
        return;
    int32_t queue = allot__queue_read(doc, reader->plan, allot__at_key(number), member->string);
    allot__value value = allot__value_read(doc, member, &whole);
    int32_t millionths = read_rest(reader, rests, member->string);
    if (queue >= 0 && value.kind != 0)
        allot__doc_keep(doc, allot_state_usage(reader->state, queue, value.integer, millionths));
}

/* Rests are of queues that have whole slot-seconds beside them, be they 0. */
static void check_rests(allot__state_reader *reader, const cJSON *usage, const cJSON *rests)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    for (const cJSON *it = rests ? rests->child : NULL; it; it = it->next) {
        allot__spot spot = allot__at_key((uint32_t)it->valueint);
        if (it->valueint != 0 && (!usage || !cJSON_GetObjectItemCaseSensitive(usage, it->string)))
            allot__doc_fault(&reader->doc, spot, "E-missing", NULL,
                             "found the rest of %s, which \"usage\" does not have",
                             allot__doc_quote(&reader->doc, spot, quote));
    }
}

static void parse_key(allot__state_reader *reader, allot__state_key key, cJSON **node)
{
    *node = NULL;
    if (reader->top[key].kind != 0)
        allot__doc_parse(&reader->doc, reader->top[key].number, node);
}

/* Use that fades was so much at a time; if that is not told, now. */
static void read_when(allot__state_reader *reader)
{
    if (reader->top[ALLOT__STATE_USAGE_AT].kind != 0 && reader->usage_known)
        allot__doc_keep(&reader->doc, allot_state_usage_at(reader->state, reader->usage_at));
}

void allot__usage_read(allot__state_reader *reader)
{
    cJSON *usage, *rests;
    parse_key(reader, ALLOT__STATE_USAGE, &usage);
    parse_key(reader, ALLOT__STATE_USAGE_REST, &rests);
    for (const cJSON *it = usage ? usage->child : NULL; it; it = it->next)
        read_queue(reader, it, rests);
    check_rests(reader, usage, rests);
    read_when(reader);
    cJSON_Delete(usage);
    cJSON_Delete(rests);
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static int32_t find_lease(allot__state_reader *reader, const cJSON *member)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX];
    char quote[ALLOT__QUOTE_MAX + 4], hint[320];
    int32_t found = allot_plan_lease_find(reader->plan, member->string);
    int32_t count = allot_plan_leases(reader->plan);
    allot__spot spot = allot__at_key((uint32_t)member->valueint);
    if (found >= 0)
        return found;
    count = count < NAMES_MAX ? count : NAMES_MAX;
    for (int32_t i = 0; i < count; i++) {
        allot_lease lease;
        names[i] = allot_plan_lease_at(reader->plan, i, &lease) == ALLOT_OK ? lease.name : NULL;
    }
    const char *near = allot_nearest(member->string, strlen(member->string), names, (size_t)count);
    allot__doc_fault(&reader->doc, spot, "E-unknown-lease",
                     allot__did_you_mean(near, hint, sizeof hint),
                     "found the contract %s, which the plan does not have",
                     allot__doc_quote(&reader->doc, spot, quote));
    return -1;
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
    const allot_lease_now *now = thing;
    int64_t faults = it->reader->doc.faults;
    int32_t lease = find_lease(it->reader, it->member);
    if (!sound)
        return;
    check_side(it, "provider", &now->provider);
    check_side(it, "consumer", &now->consumer);
    if (lease >= 0 && it->reader->doc.faults == faults)
        allot__doc_keep(&it->reader->doc, allot_state_lease(it->reader->state, lease, now));
}

void allot__leases_now_read(allot__state_reader *reader)
{
    allot__item_reader it;
    if (allot__item_reader_begin(reader, ALLOT_ITEM_LEASE, &it))
        allot__item_reader_members(&it, &reader->top[ALLOT__STATE_LEASES], take_lease);
    allot__item_reader_end(&it);
}

/* ---- Resources ------------------------------------------------------------------------------ */

static void read_time(allot__state_reader *reader, const cJSON *member)
{
    static const allot__field time = {
        NULL, ALLOT__INTEGER | ALLOT__STRING, INT64_MIN + 1, INT64_MAX, false, false};
    allot__doc *doc = &reader->doc;
    int64_t when;
    if (member->valueint == 0)
        return;
    int32_t resource = allot__resource_find(
        doc, reader->plan, allot__at_key((uint32_t)member->valueint), member->string);
    allot__value value = allot__value_read(doc, member, &time);
    if (allot__time_read(doc, &value, &when) && resource >= 0)
        allot__doc_keep(doc, allot_state_resource_preempted(reader->state, resource, when));
}

void allot__preempted_at_read(allot__state_reader *reader)
{
    allot__members_read(reader, ALLOT__STATE_PREEMPTED_AT, read_time);
}
