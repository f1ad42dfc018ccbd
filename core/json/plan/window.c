/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* window.c: a plan's windows, and its time zones. */
#include <string.h>

#include "json/text/names.h"
#include "json/plan/plan.h"

enum { FROM, TO, DAYS, TIMEZONE, GROUP, SLOTS, POLICY, CONSUMERS, WINDOW_FIELDS };
static const allot__field window_fields[WINDOW_FIELDS] = {
    [FROM] = {"from", ALLOT__STRING, 0, 0, true},
    [TO] = {"to", ALLOT__STRING, 0, 0, true},
    [DAYS] = {"days", ALLOT__LIST, 0, 0, false},
    [TIMEZONE] = {"timezone", ALLOT__STRING, 0, 0, false},
    [GROUP] = {"group", ALLOT__STRING, 0, 0, false},
    [SLOTS] = {"slots", ALLOT__AMOUNT, false},
    [POLICY] = {"policy", ALLOT__STRING | ALLOT__OBJECT, 0, 0, false},
    [CONSUMERS] = {"consumers", ALLOT__OBJECT, 0, 0, false},
};
static const allot__shape window_shape = {window_fields, WINDOW_FIELDS, 0};

/* ---- Time zones ------------------------------------------------------------------------------ */

enum { UTC = -1 };

/* Reports why the loader or the model refuses a zone, in the loader's words if it gave any. */
static void refuse_zone(allot__doc *doc, allot__spot spot, int status, const allot_report *found)
{
    const allot_diagnostic *said =
        found != NULL && allot_report_count(found) > 0 ? allot_report_at(found, 0) : NULL;
    const char *why = status == ALLOT_EINVALID ? "which is no file of time zone data"
                      : status == ALLOT_ENOENT ? "which the system does not have"
                                               : allot_status_text(status);
    allot__doc_fault(doc, spot, "E-timezone", said ? said->hint : NULL,
                     "found the time zone %s, %s", allot__doc_quote(doc, spot),
                     said != NULL ? said->message : why);
}

static void load_zone(allot__plan_reader *reader, allot__spot spot, const char *name, int32_t *out)
{
    allot__doc *doc = &reader->doc;
    const allot_policy_loader *loader = reader->loader;
    allot_report *found = NULL;
    void *data = NULL;
    size_t len = 0;
    if (!loader || !loader->zone) {
        allot__doc_fault(doc, spot, "E-timezone", NULL,
                         "this program reads no time zones, allowed \"UTC\"");
        return;
    }
    int status = allot_report_new(doc->engine, &found);
    if (status == ALLOT_OK)
        status = loader->zone(loader->ud, doc->engine, name, &data, &len, found);
    if (status == ALLOT_OK)
        status = allot_plan_zone(reader->plan, name, data, len, out);
    if (status == ALLOT_ENOMEM)
        allot__doc_keep(doc, status);
    else if (status != ALLOT_OK)
        refuse_zone(doc, spot, status, found);
    if (data)
        allot_engine_alloc(doc->engine, data, len, 0);
    allot_report_free(found);
}

/* The zone that a value names; false: unknown (reported). */
static bool read_zone(allot__plan_reader *reader, const allot__value *value, int32_t *out)
{
    int64_t faults = reader->doc.faults;
    *out = UTC;
    if (value->kind == 0 || strcmp(value->string, "UTC") == 0)
        return value->kind != 0;
    *out = allot_plan_zone_find(reader->plan, value->string);
    if (*out < 0)
        load_zone(reader, allot__at(value->number), value->string, out);
    return reader->doc.faults == faults;
}

/* ---- Hours and days -------------------------------------------------------------------------- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : -1;
}

/* "08:30" in seconds, up to `most`. False: malformed (reported). */
static bool read_hours(allot__doc *doc, const allot__value *value, int32_t most, int32_t *out)
{
    const char *text = value->string;
    if (value->kind == 0)
        return false;
    int32_t hours = -1, minutes = -1;
    if (strlen(text) == 5 && text[2] == ':' && digit(text[0]) >= 0 && digit(text[1]) >= 0 &&
        digit(text[3]) >= 0 && digit(text[4]) >= 0) {
        hours = digit(text[0]) * 10 + digit(text[1]);
        minutes = digit(text[3]) * 10 + digit(text[4]);
    }
    *out = hours * 3600 + minutes * 60;
    if (hours >= 0 && minutes < 60 && *out <= most)
        return true;
    allot__doc_fault(
        doc, allot__at(value->number), "E-range", NULL, "found %s, allowed \"00:00\" to \"%s\"",
        allot__doc_quote(doc, allot__at(value->number)), most == 86400 ? "24:00" : "23:59");
    return false;
}

static void read_day(allot__doc *doc, uint32_t number, uint32_t *days)
{
    static const char *const names[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    allot__spot spot = allot__at(number);
    uint32_t day = 0;
    if (!allot__kind_check(doc, number, ALLOT__STRING))
        return;
    const char *name = allot__doc_string(doc, number);
    while (day < 7 && strcmp(name, names[day]) != 0)
        day++;
    const char *near = allot_nearest(name, strlen(name), names, 7);
    if (day == 7)
        allot__doc_found(
            doc, spot, "E-range", near, "",
            ", allowed \"mon\", \"tue\", \"wed\", \"thu\", \"fri\", \"sat\" and \"sun\"");
    else if (*days >> day & 1)
        allot__doc_found(doc, spot, "E-duplicate", NULL, "", " again, allowed once");
    else
        *days |= UINT32_C(1) << day;
}

static void read_days(allot__doc *doc, const allot__value *value, uint32_t *days)
{
    uint32_t first = allot__value_in(doc, value);
    *days = value->number == 0 ? 0x7f : 0;
    for (uint32_t it = first; it; it = allot__doc_after(doc, value->number, it))
        read_day(doc, it, days);
    if (value->kind != 0 && first == 0)
        allot__doc_fault(doc, allot__at(value->number), "E-range", NULL,
                         "found no day, allowed some; without \"days\" it is all");
}

/* ---- Windows --------------------------------------------------------------------------------- */

static void add_window(allot__plan_reader *reader, const allot__value *values,
                       const allot_window *window, allot__window_entry *entry)
{
    int32_t number;
    int status = allot_plan_window(reader->plan, window, &number);
    if (status == ALLOT_EUSAGE) {
        allot__doc_fault(&reader->doc, allot__at(entry->object), "E-windows", NULL,
                         "a plan has at most %d windows", ALLOT_WINDOWS_MAX);
        return;
    }
    if (status == ALLOT_OK && values[SLOTS].kind != 0)
        status = allot_plan_window_slots(reader->plan, number, values[SLOTS].integer);
    if (allot__doc_keep(&reader->doc, status) == ALLOT_OK)
        entry->window = number;
}

static void read_values(allot__plan_reader *reader, const allot__value *values, int32_t zone,
                        allot__window_entry *entry)
{
    allot__doc *doc = &reader->doc;
    allot_window window = {.group = ALLOT_ALL, .zone = zone};
    int64_t faults = doc->faults;
    bool known = true;
    bool hours = read_hours(doc, &values[FROM], 86340, &window.from);
    hours = read_hours(doc, &values[TO], 86400, &window.to) && hours;
    read_days(doc, &values[DAYS], &window.days);
    if (values[TIMEZONE].number != 0)
        known = read_zone(reader, &values[TIMEZONE], &window.zone);
    if (values[GROUP].kind != 0)
        window.group = allot__group_find(doc, reader->plan, allot__at(values[GROUP].number),
                                         values[GROUP].string);
    if (hours && known && doc->faults == faults)
        add_window(reader, values, &window, entry);
}

static void read_window(allot__plan_reader *reader, uint32_t object, int32_t zone,
                        allot__window_entry *entry)
{
    allot__doc *doc = &reader->doc;
    allot__value values[WINDOW_FIELDS];
    *entry = (allot__window_entry){.object = object, .window = -1};
    if (!allot__kind_check(doc, object, ALLOT__OBJECT))
        return;
    int64_t faults = doc->faults;
    allot__object_read(doc, object, &window_shape, values);
    entry->slots = values[SLOTS].kind != 0 ? values[SLOTS].number : 0;
    entry->policy = values[POLICY].kind != 0 ? values[POLICY].number : 0;
    entry->consumers = values[CONSUMERS].kind != 0 ? values[CONSUMERS].number : 0;
    if (doc->faults == faults)
        read_values(reader, values, zone, entry);
}

void allot__windows_read(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    const allot__value *list = &reader->top[ALLOT__PLAN_WINDOWS];
    int32_t zone;
    read_zone(reader, &reader->top[ALLOT__PLAN_TIMEZONE], &zone);
    reader->windows = allot__doc_take(doc, allot__value_count(doc, list), sizeof *reader->windows);
    uint32_t it = reader->windows ? allot__value_in(doc, list) : 0;
    for (; it; it = allot__doc_after(doc, list->number, it))
        read_window(reader, it, zone, &reader->windows[reader->window_count++]);
}
