/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* plan.c: a plan from its document: the top level, groups, and hosts. */
#include "json/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"

static const allot__field plan_fields[ALLOT__PLAN_KEYS] = {
    [ALLOT__PLAN_VERSION] = {"version", ALLOT__INTEGER, 1, 1, false},
    [ALLOT__PLAN_SLOTS] = {"slots", ALLOT__AMOUNT, false},
    [ALLOT__PLAN_POLICY] = {"policy", ALLOT__STRING | ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_CONSUMERS] = {"consumers", ALLOT__LIST, 0, 0, false},
    [ALLOT__PLAN_GROUPS] = {"groups", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_WINDOWS] = {"windows", ALLOT__LIST, 0, 0, false},
    [ALLOT__PLAN_HOSTS] = {"hosts", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_QUEUES] = {"queues", ALLOT__NULL | ALLOT__LIST, 0, 0, false},
    [ALLOT__PLAN_LEASES] = {"leases", ALLOT__NULL | ALLOT__LIST, 0, 0, false},
    [ALLOT__PLAN_LIMITS] = {"limits", ALLOT__NULL | ALLOT__LIST, 0, 0, false},
    [ALLOT__PLAN_RESOURCES] = {"resources", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_HIST_HOURS] = {"hist_hours", ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX / 3600, false},
    [ALLOT__PLAN_HALF_LIFE] = {"half_life", ALLOT__INTEGER, 0, ALLOT_AMOUNT_MAX, false},
    [ALLOT__PLAN_PARAMS] = {"params", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_APPLICATIONS] = {"applications", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_USER_GROUPS] = {"user_groups", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_HOST_GROUPS] = {"host_groups", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_OPTIONS] = {"options", ALLOT__OBJECT, 0, 0, false},
    [ALLOT__PLAN_TIMEZONE] = {"timezone", ALLOT__STRING, 0, 0, false},
};
static const allot__shape plan_shape = {plan_fields, ALLOT__PLAN_KEYS, 0};

/* ---- Groups ---------------------------------------------------------------------------------- */

static const allot__field group_fields[] = {
    {"slots", ALLOT__AMOUNT, false},
    {"policy", ALLOT__STRING | ALLOT__OBJECT, 0, 0, false},
    {"consumers", ALLOT__OBJECT, 0, 0, false},
};
static const allot__shape group_shape = {group_fields, 3, 0};

static void read_group(allot__plan_reader *reader, uint32_t number, allot__group_entry *entry)
{
    allot__doc *doc = &reader->doc;
    allot__value values[3];
    entry->group = -1;
    int status = allot_plan_group(reader->plan, allot__doc_key(doc, number), &entry->group);
    allot__doc_named(doc, status, allot__at_key(number), "", ALLOT__NAME_RULE);
    if (!allot__kind_check(doc, number, ALLOT__OBJECT))
        return;
    allot__object_read(doc, number, &group_shape, values);
    entry->slots = values[0];
    entry->policy = values[1].kind != 0 ? values[1].number : 0;
    entry->consumers = values[2].kind != 0 ? values[2].number : 0;
}

static void read_groups(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    const allot__value *groups = &reader->top[ALLOT__PLAN_GROUPS];
    size_t most = allot__value_count(doc, groups);
    reader->groups = allot__doc_take(doc, most, sizeof *reader->groups);
    uint32_t it = reader->groups ? allot__value_in(doc, groups) : 0;
    for (; it; it = allot__doc_after(doc, groups->number, it))
        read_group(reader, it, &reader->groups[reader->group_count++]);
}

/* A group without a size of its own gets the plan's. */
static void set_slots(allot__plan_reader *reader)
{
    const allot__value *top = &reader->top[ALLOT__PLAN_SLOTS];
    allot__doc *doc = &reader->doc;
    if (reader->group_count == 0 && top->kind != 0)
        allot__doc_keep(doc, allot_plan_slots(reader->plan, 0, top->integer));
    for (size_t i = 0; i < reader->group_count; i++) {
        const allot__group_entry *entry = &reader->groups[i];
        const allot__value *slots = entry->slots.number != 0 ? &entry->slots : top;
        if (entry->group >= 0 && slots->kind != 0)
            allot__doc_keep(doc, allot_plan_slots(reader->plan, entry->group, slots->integer));
    }
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static const allot__field host_fields[] = {
    {"slots", ALLOT__AMOUNT, true},
    {"group", ALLOT__STRING, 0, 0, false},
};
/* Any other key is an attribute. */
static const allot__shape host_shape = {host_fields, 2, ALLOT__SCALAR};

/* An attribute that requirements can read; null: no attribute. */
static void set_attribute(allot__plan_reader *reader, const char *host, uint32_t member)
{
    allot__doc *doc = &reader->doc;
    allot__value value = allot__value_of(doc, member);
    bool decimal = value.kind == ALLOT__NUMBER || value.huge;
    char text[ALLOT__NUMBER_MAX + 1];
    size_t len;
    if ((value.kind & ALLOT__SCALAR) == 0 || value.kind == ALLOT__NULL)
        return;
    const char *written = allot__doc_text(doc, member, &len);
    snprintf(text, sizeof text, "%.*s", (int)(len < sizeof text ? len : sizeof text - 1), written);
    allot_host_value attribute = {.name = allot__doc_key(doc, member),
                                  .text = decimal ? text : value.string,
                                  .number = value.integer,
                                  .boolean = value.kind == ALLOT__BOOLEAN,
                                  .decimal = decimal};
    int status = allot_plan_host_set(reader->plan, host, &attribute);
    if (status == ALLOT_EEXIST)
        allot__doc_found(doc, allot__at_key(member), "E-name", NULL, "the attribute ",
                         ", which every host has");
    else
        allot__doc_named(doc, status, allot__at_key(member), "the attribute ",
                         "a name like [A-Za-z][A-Za-z0-9_]{0,127}");
}

static void add_host(allot__plan_reader *reader, uint32_t host, const allot__value *values)
{
    allot__doc *doc = &reader->doc;
    const char *name = allot__doc_key(doc, host);
    int32_t group = allot__group_read(doc, reader->plan, host, &values[1]);
    if (group < 0 || values[0].kind == 0)
        return;
    int status = allot_plan_host(reader->plan, name, group, values[0].integer);
    if (allot__doc_named(doc, status, allot__at_key(host), "the host's name ", ALLOT__LABEL_RULE))
        return;
    for (uint32_t it = allot__doc_in(doc, host); it; it = allot__doc_after(doc, host, it))
        if (it != values[0].number && it != values[1].number)
            set_attribute(reader, name, it);
}

static void read_hosts(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    const allot__value *hosts = &reader->top[ALLOT__PLAN_HOSTS];
    allot__value values[2];
    uint32_t it = allot__value_in(doc, hosts);
    int64_t faults = doc->faults;
    for (; it; it = allot__doc_after(doc, hosts->number, it)) {
        if (!allot__kind_check(doc, it, ALLOT__OBJECT))
            continue;
        allot__object_read(doc, it, &host_shape, values);
        add_host(reader, it, values);
    }
    reader->hosts_doubtful = doc->faults > faults;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Refuses keys that only plans with queues may have. */
static void refuse_alone(allot__plan_reader *reader)
{
    static const struct {
        allot__plan_key key;
        const char *name;
    } alone[] = {{ALLOT__PLAN_LIMITS, "limits"},
                 {ALLOT__PLAN_RESOURCES, "resources"},
                 {ALLOT__PLAN_APPLICATIONS, "applications"},
                 {ALLOT__PLAN_USER_GROUPS, "user_groups"}};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
        if (allot__plan_states(reader, alone[i].key))
            allot__doc_fault(&reader->doc, allot__at_key(reader->top[alone[i].key].number),
                             "E-queues", NULL, "found \"%s\" in a plan without queues",
                             alone[i].name);
}

/* Checks keys that a plan must have, and keys that need queues. */
static void check_needs(allot__plan_reader *reader)
{
    const allot__value *top = reader->top;
    if (top[ALLOT__PLAN_CONSUMERS].number == 0 && top[ALLOT__PLAN_QUEUES].number == 0 &&
        top[ALLOT__PLAN_LEASES].number == 0)
        allot__doc_fault(&reader->doc, allot__at(0), "E-missing", NULL, "\"consumers\" is missing");
    if (top[ALLOT__PLAN_QUEUES].number == 0)
        refuse_alone(reader);
}

/* Groups and windows may not state other values of queues. */
static void refuse_differences(allot__plan_reader *reader, uint32_t consumers)
{
    if (consumers != 0)
        allot__doc_fault(&reader->doc, allot__at_key(consumers), "E-queues", NULL,
                         "found what consumers state otherwise, but the plan has queues, which "
                         "state all in their own place");
}

static void begin_queues(allot__plan_reader *reader)
{
    for (size_t i = 0; allot__plan_states(reader, ALLOT__PLAN_QUEUES) && i < reader->group_count;
         i++)
        refuse_differences(reader, reader->groups[i].consumers);
    for (size_t i = 0; allot__plan_states(reader, ALLOT__PLAN_QUEUES) && i < reader->window_count;
         i++)
        refuse_differences(reader, reader->windows[i].consumers);
    allot__groups_of_names_read(reader);
    allot__terms_read(reader);
}

static int in_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_newcomers(allot__plan_reader *reader)
{
    allot__doc *doc = &reader->doc;
    size_t count = reader->loader ? (size_t)reader->loader->newcomer_count : 0;
    const char **paths = count > 0 ? allot__doc_take(doc, count, sizeof *paths) : NULL;
    if (!paths)
        return;
    memcpy(paths, reader->loader->newcomers, count * sizeof *paths);
    qsort(paths, count, sizeof *paths, in_bytes);
    for (size_t i = 0; i < count; i++) {
        int32_t consumer, wildcard = allot_plan_wildcard(reader->plan, paths[i], strlen(paths[i]));
        bool faulty;
        if (wildcard < 0)
            continue;
        allot__doc_keep(doc,
                        allot_plan_newcomer(reader->plan, paths[i], strlen(paths[i]), &consumer));
        if (doc->status == ALLOT_OK)
            allot__consumer_remember(reader, consumer,
                                     allot__consumer_object(reader, wildcard, &faulty));
    }
}

static int read_plan(allot__plan_reader *reader)
{
    static void (*const steps[])(allot__plan_reader *) = {read_groups,
                                                          allot__windows_read,
                                                          allot__branches_find,
                                                          allot__policies_read,
                                                          set_slots,
                                                          read_hosts,
                                                          begin_queues,
                                                          allot__resources_read,
                                                          allot__queues_read,
                                                          allot__consumers_read,
                                                          allot__peers_read,
                                                          allot__limits_read,
                                                          allot__leases_read,
                                                          add_newcomers,
                                                          allot__plan_finish};
    allot__doc *doc = &reader->doc;
    if (!allot__kind_check(doc, 0, ALLOT__OBJECT))
        return ALLOT_EINVALID;
    allot__object_read(doc, 0, &plan_shape, reader->top);
    for (int i = 0; i < ALLOT__PLAN_KEYS; i++)
        if (reader->top[i].kind == ALLOT__NULL)
            reader->top[i] = (allot__value){0}; /* counts as not stated */
    check_needs(reader);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && doc->status == ALLOT_OK; i++)
        steps[i](reader);
    if (doc->status != ALLOT_OK || doc->faults == 0)
        return doc->status;
    return doc->faults == reader->unread ? reader->unread_status : ALLOT_EINVALID;
}

int allot_plan_read(allot_engine *engine, const char *text, size_t len, const char *file,
                    const allot_policy_loader *loader, allot_report *report, allot_plan **out)
{
    allot__plan_reader reader = {.loader = loader};
    if (!engine || (!text && len > 0) || !out)
        return ALLOT_EUSAGE;
    int status = allot__doc_open(&reader.doc, engine, text, len, file, 1, true, report);
    if (status == ALLOT_OK)
        status = allot_plan_new(engine, &reader.plan);
    if (status == ALLOT_OK)
        status = read_plan(&reader);
    allot__policies_free(&reader);
    allot__free(engine, reader.objects, reader.object_capacity, sizeof *reader.objects);
    allot__free(engine, reader.limits.numbers, reader.limits.room, sizeof(uint32_t));
    allot__free(engine, reader.leases.numbers, reader.leases.room, sizeof(uint32_t));
    allot__doc_close(&reader.doc);
    if (status == ALLOT_OK)
        *out = reader.plan;
    else
        allot_plan_free(reader.plan);
    return status;
}
