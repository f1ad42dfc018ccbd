/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_host.c: hosts as a state tells of them. */
#include <string.h>

#include "json/text/names.h"
#include "json/state/state.h"

/* Loads are kept in thousandths. */
enum { LOAD_MAX = ALLOT_AMOUNT_MAX / 1000, CHUNK = 64, HINTS_MAX = 16, SEARCH_MAX = 65536 };

enum { SLOTS, LOAD, CLOSED, EXCLUSIVE_TO, HOST_FIELDS };
static const allot__field host_fields[HOST_FIELDS] = {
    [SLOTS] = {"slots", ALLOT__AMOUNT, false, false},
    [LOAD] = {"load", ALLOT__INTEGER | ALLOT__NUMBER | ALLOT__NULL, INT64_MIN, INT64_MAX, false,
              false},
    [CLOSED] = {"closed", ALLOT__BOOLEAN | ALLOT__STRING, 0, 0, false, false},
    [EXCLUSIVE_TO] = {"exclusive_to", ALLOT__STRING | ALLOT__NULL, 0, 0, false, false},
};
static const allot__shape host_shape = {host_fields, HOST_FIELDS, 0};

static allot_closed how_closed(allot__doc *doc, const allot__value *value)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    bool open = value->kind == ALLOT__BOOLEAN && value->integer == 0;
    bool text = value->kind == ALLOT__STRING;
    allot_closed closed = text && strcmp(value->string, "drain") == 0     ? ALLOT_DRAIN
                          : text && strcmp(value->string, "reclaim") == 0 ? ALLOT_CLOSED_NOW
                                                                          : ALLOT_OPEN;
    if (value->kind != 0 && !open && closed == ALLOT_OPEN)
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found %s, allowed false, \"drain\" or \"reclaim\"",
                         allot__doc_quote(doc, allot__at(value->number), quote));
    return closed;
}

static void set_load(allot__state_reader *reader, const char *name, const allot__value *value)
{
    allot__doc *doc = &reader->doc;
    char quote[ALLOT__QUOTE_MAX + 4];
    size_t len;
    if (value->kind != ALLOT__INTEGER && value->kind != ALLOT__NUMBER)
        return;
    const char *text = allot__doc_text(doc, value->number, &len);
    int64_t load = allot__thousandths(text, len);
    if (load >= 0)
        allot__doc_keep(doc, allot_state_host_load(reader->state, name, load));
    else
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found the number %s, allowed a number 0 ... %d",
                         allot__doc_quote(doc, allot__at(value->number), quote), LOAD_MAX);
}

static void set_exclusive(allot__state_reader *reader, const char *name, const allot__value *value)
{
    allot__doc *doc = &reader->doc;
    int32_t consumer =
        value->kind == ALLOT__STRING
            ? allot__path_read(doc, reader->plan, allot__at(value->number), value->string)
            : ALLOT_ROOT;
    if (consumer >= 0)
        allot__doc_keep(doc, allot_state_host_exclusive(reader->state, name, consumer));
}

/* The plan's host whose name is nearest, or NULL: where many are wrong or there are very many, it
 * is not looked for. */
static const char *nearest_host(const allot__doc *doc, const allot_plan *plan, const char *name)
{
    const char *names[CHUNK] = {NULL}; /* the nearest so far, then some more */
    int32_t hosts = doc->faults < HINTS_MAX ? allot_plan_hosts(plan) : 0;
    for (int32_t i = 0; i < hosts && hosts <= SEARCH_MAX;) {
        size_t count = 1;
        for (; count < CHUNK && i < hosts; i++)
            names[count++] = allot_plan_host_name(plan, i);
        names[0] = allot_nearest(name, strlen(name), names, count);
    }
    return names[0];
}

/* Says what the model does not take of a host; did it take it? */
static bool add_host(allot__state_reader *reader, const cJSON *member, int64_t slots,
                     allot_closed closed)
{
    allot__doc *doc = &reader->doc;
    allot__spot spot = allot__at_key((uint32_t)member->valueint);
    char quote[ALLOT__QUOTE_MAX + 4], hint[320];
    int status = allot_state_host(reader->state, member->string, slots, closed);
    allot__doc_quote(doc, spot, quote);
    if (status == ALLOT_ENAME)
        allot__doc_fault(doc, spot, "E-name", NULL,
                         "found the host's name %s, allowed " ALLOT__LABEL_RULE, quote);
    else if (status == ALLOT_ENOENT)
        allot__doc_fault(
            doc, spot, "E-unknown-host",
            allot__did_you_mean(nearest_host(doc, reader->plan, member->string), hint, sizeof hint),
            "found the host %s, which the plan does not have: \"slots\" is missing", quote);
    else
        allot__doc_keep(doc, status);
    return status == ALLOT_OK;
}

static void set_host(allot__state_reader *reader, const cJSON *member, const allot__value *values)
{
    allot_closed closed = how_closed(&reader->doc, &values[CLOSED]);
    int64_t slots = values[SLOTS].kind != 0 ? values[SLOTS].integer : -1;
    if ((values[SLOTS].number != 0 && values[SLOTS].kind == 0) ||
        !add_host(reader, member, slots, closed))
        return;
    set_load(reader, member->string, &values[LOAD]);
    set_exclusive(reader, member->string, &values[EXCLUSIVE_TO]);
}

static void read_host(allot__state_reader *reader, const cJSON *member)
{
    allot__value values[HOST_FIELDS];
    uint32_t number = (uint32_t)member->valueint;
    cJSON *node;
    if (number == 0 || !allot__kind_check(&reader->doc, number, ALLOT__OBJECT) ||
        allot__object_read(&reader->doc, number, &host_shape, values, &node))
        return;
    set_host(reader, member, values);
    cJSON_Delete(node);
}

void allot__hosts_read(allot__state_reader *reader)
{
    allot__members_read(reader, ALLOT__STATE_HOSTS, read_host);
}
