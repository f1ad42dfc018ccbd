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

static int set_load(allot__state_reader *reader, const char *name, const allot__value *value)
{
    allot__doc *doc = &reader->doc;
    char quote[ALLOT__QUOTE_MAX + 4];
    size_t len;
    if (value->kind != ALLOT__INTEGER && value->kind != ALLOT__NUMBER)
        return ALLOT_OK;
    const char *text = allot__doc_text(doc, value->number, &len);
    int64_t load = allot__thousandths(text, len);
    if (load >= 0)
        return allot_state_host_load(reader->state, name, load);
    allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                     "found the number %s, allowed a number 0 ... %d",
                     allot__doc_quote(doc, allot__at(value->number), quote), LOAD_MAX);
    return ALLOT_OK;
}

static int set_exclusive(allot__state_reader *reader, const char *name, const allot__value *value)
{
    if (value->kind != ALLOT__STRING)
        return ALLOT_OK;
    int32_t consumer =
        allot__path_read(&reader->doc, reader->plan, allot__at(value->number), value->string);
    return consumer < 0 ? ALLOT_OK : allot_state_host_exclusive(reader->state, name, consumer);
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

/* What the model does not take of a host; *known: it took it. */
static int add_host(allot__state_reader *reader, const cJSON *member, int64_t slots,
                    allot_closed closed, bool *known)
{
    allot__doc *doc = &reader->doc;
    allot__spot spot = allot__at_key((uint32_t)member->valueint);
    char quote[ALLOT__QUOTE_MAX + 4], hint[320];
    int status = allot_state_host(reader->state, member->string, slots, closed);
    allot__doc_quote(doc, spot, quote);
    *known = status == ALLOT_OK;
    if (status == ALLOT_ENAME)
        allot__doc_fault(doc, spot, "E-name", NULL,
                         "found the host's name %s, allowed " ALLOT__LABEL_RULE, quote);
    else if (status == ALLOT_ENOENT)
        allot__doc_fault(
            doc, spot, "E-unknown-host",
            allot__did_you_mean(nearest_host(doc, reader->plan, member->string), hint, sizeof hint),
            "found the host %s, which the plan does not have: \"slots\" is missing", quote);
    else
        return status;
    return ALLOT_OK;
}

static int set_host(allot__state_reader *reader, const cJSON *member, const allot__value *values)
{
    allot_closed closed = how_closed(&reader->doc, &values[CLOSED]);
    int64_t slots = values[SLOTS].kind != 0 ? values[SLOTS].integer : -1;
    bool known = false;
    if (values[SLOTS].number != 0 && values[SLOTS].kind == 0)
        return ALLOT_OK;
    int status = add_host(reader, member, slots, closed, &known);
    if (known && status == ALLOT_OK)
        status = set_load(reader, member->string, &values[LOAD]);
    if (known && status == ALLOT_OK)
        status = set_exclusive(reader, member->string, &values[EXCLUSIVE_TO]);
    return status;
}

static int read_host(allot__state_reader *reader, const cJSON *member)
{
    allot__value values[HOST_FIELDS];
    uint32_t number = (uint32_t)member->valueint;
    cJSON *node;
    if (number == 0 || !allot__kind_check(&reader->doc, number, ALLOT__OBJECT))
        return ALLOT_OK;
    int status = allot__object_read(&reader->doc, number, &host_shape, values, &node);
    if (status != ALLOT_OK)
        return status;
    status = set_host(reader, member, values);
    cJSON_Delete(node);
    return status;
}

int allot__hosts_read(allot__state_reader *reader)
{
    return allot__members_read(reader, ALLOT__STATE_HOSTS, read_host);
}
