/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* usage.c: how a state's queues were used, and how its contracts stand. */
#include <string.h>

#include "json/text/names.h"
#include "json/state/state.h"
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

enum { AVAILABLE, USED, DEMAND, IDLE, SIDE_FIELDS };
static const allot__field side_fields[SIDE_FIELDS] = {
    [AVAILABLE] = {"available", ALLOT__AMOUNT, true, false},
    [USED] = {"used", ALLOT__AMOUNT, false, false},
    [DEMAND] = {"demand", ALLOT__NULL | ALLOT__AMOUNT, false, false},
    /* What decisions say beside that: it follows from it. */
    [IDLE] = {"idle", ALLOT__AMOUNT, false, false},
};
static const allot__shape side_shape = {side_fields, SIDE_FIELDS, 0};

enum { PROVIDER, CONSUMER, PHASE, SINCE, SIZE, MOVED, TO, HOSTS, WHY, LEASE_FIELDS };
static const allot__field lease_fields[LEASE_FIELDS] = {
    [PROVIDER] = {"provider", ALLOT__OBJECT, 0, 0, true, false},
    [CONSUMER] = {"consumer", ALLOT__OBJECT, 0, 0, true, false},
    [PHASE] = {"phase", ALLOT__STRING, 0, 0, false, false},
    [SINCE] = {"since", ALLOT__TIME, true, false},
    [SIZE] = {"size", ALLOT__AMOUNT, false, false},
    [MOVED] = {"moved", ALLOT__AMOUNT, false, false},
    [TO] = {"to", ALLOT__STRING | ALLOT__NULL, 0, 0, false, false},
    [HOSTS] = {"hosts", ALLOT__OBJECT, 0, 0, false, false},
    [WHY] = {"why", ALLOT__OBJECT, 0, 0, false, false},
};
static const allot__shape lease_shape = {lease_fields, LEASE_FIELDS, 0};

static void read_side(allot__doc *doc, const allot__value *value, allot_lease_side *out)
{
    allot__value values[SIDE_FIELDS];
    cJSON *node;
    if (value->kind == 0 || allot__object_read(doc, value->number, &side_shape, values, &node))
        return;
    cJSON_Delete(node);
    *out = (allot_lease_side){.available = allot__amount_or(&values[AVAILABLE], 0),
                              .used = allot__amount_or(&values[USED], 0),
                              .demand = allot__amount_or(&values[DEMAND], -1)};
    if (out->used > out->available && values[AVAILABLE].kind != 0)
        allot__doc_fault(doc, allot__at(values[USED].number), "E-range", NULL,
                         "found %lld used, allowed as many as are available, %lld",
                         (long long)out->used, (long long)out->available);
}

static allot_lease_phase read_phase(allot__doc *doc, const allot__value *value)
{
    const char *names[ALLOT_LEASE_PHASE_COUNT];
    char quote[ALLOT__QUOTE_MAX + 4], hint[160];
    for (int i = 0; i < ALLOT_LEASE_PHASE_COUNT && value->kind != 0; i++) {
        names[i] = allot_lease_phase_name(i);
        if (allot__word_is(value->string, names[i]))
            return (allot_lease_phase)i;
    }
    if (value->kind == 0 || allot__word_is(value->string, "active"))
        return ALLOT_LEASE_OK;
    const char *near =
        allot_nearest(value->string, strlen(value->string), names, ALLOT_LEASE_PHASE_COUNT);
    allot__doc_fault(doc, allot__at(value->number), "E-range",
                     allot__did_you_mean(near, hint, sizeof hint),
                     "found %s, allowed \"conn\", \"ok\" or \"inactive\"",
                     allot__doc_quote(doc, allot__at(value->number), quote));
    return ALLOT_LEASE_OK;
}

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

static void read_lease(allot__state_reader *reader, const cJSON *member)
{
    allot__doc *doc = &reader->doc;
    allot__value values[LEASE_FIELDS];
    allot_lease_now now = {0};
    uint32_t number = (uint32_t)member->valueint;
    int64_t faults = doc->faults;
    cJSON *node;
    if (number == 0 || !allot__kind_check(doc, number, ALLOT__OBJECT))
        return;
    int32_t lease = find_lease(reader, member);
    if (allot__object_read(doc, number, &lease_shape, values, &node))
        return;
    read_side(doc, &values[PROVIDER], &now.provider);
    read_side(doc, &values[CONSUMER], &now.consumer);
    now.phase = read_phase(doc, &values[PHASE]);
    allot__time_read(doc, &values[SINCE], &now.since);
    cJSON_Delete(node);
    if (doc->faults == faults)
        allot__doc_keep(doc, allot_state_lease(reader->state, lease, &now));
}

void allot__leases_now_read(allot__state_reader *reader)
{
    allot__members_read(reader, ALLOT__STATE_LEASES, read_lease);
}
