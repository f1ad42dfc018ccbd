/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease.c: a plan's contracts: slots that one cluster lends to another part-time. */
#include <string.h>

#include "json/jobs/queues.h"
#include "json/text/names.h"

enum {
    NAME,
    PROVIDER,
    CONSUMER,
    SLOTS,
    HOSTS,
    TYPE,
    RECLAIM_DELAY,
    DAMPER,
    PER_HOST,
    RES_SELECT,
    NHOSTS,
    DISTRIBUTION,
    LEASE_KEYS
};
#define NAMES ALLOT__LIST | ALLOT__STRING, 0, 0, false
static const allot__field lease_fields[LEASE_KEYS] = {
    [NAME] = {"name", ALLOT__STRING, 0, 0, true},
    [PROVIDER] = {"provider", ALLOT__STRING, 0, 0, true},
    [CONSUMER] = {"consumer", ALLOT__STRING, 0, 0, false},
    [SLOTS] = {"slots", ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false},
    [HOSTS] = {"hosts", ALLOT__OBJECT | NAMES},
    [TYPE] = {"type", ALLOT__STRING, 0, 0, false},
    [RECLAIM_DELAY] = {"reclaim_delay", ALLOT__AMOUNT, false},
    [DAMPER] = {"damper", ALLOT__YES},
    [PER_HOST] = {"per_host", NAMES},
    [RES_SELECT] = {"res_select", ALLOT__OBJECT | ALLOT__STRING, 0, 0, false},
    [NHOSTS] = {"nhosts", ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false},
    [DISTRIBUTION] = {"distribution", ALLOT__LIST | ALLOT__OBJECT, 0, 0, false},
};
static const allot__shape lease_shape = {lease_fields, LEASE_KEYS, 0};

/* ---- Hosts ----------------------------------------------------------------------------------- */

/* Memory that a contract borrows until it is added. */
typedef struct lent {
    allot_lease_host *list;
    int32_t count;
} lent;

static void unknown_host(allot__plan_reader *reader, uint32_t number, const char *name)
{
    allot__doc *doc = &reader->doc;
    if (reader->hosts_doubtful)
        return;
    allot__doc_found(doc, allot__at_key(number), "E-host", allot__host_near(reader, name), "",
                     ", which is no host of the plan");
}

/* {host: slots} */
static void read_slots(allot__plan_reader *reader, const allot__value *value, lent *out)
{
    static const allot__field field = {NULL, ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false};
    allot__doc *doc = &reader->doc;
    out->list = allot__doc_take(doc, allot__value_count(doc, value), sizeof *out->list);
    uint32_t it = out->list ? allot__value_in(doc, value) : 0;
    for (; it; it = allot__doc_after(doc, value->number, it)) {
        const char *name = allot__doc_key(doc, it);
        allot__value slots = allot__value_read(doc, it, &field);
        int32_t host = allot_plan_host_find(reader->plan, name);
        if (host < 0)
            unknown_host(reader, it, name);
        else if (slots.kind != 0)
            out->list[out->count++] =
                (allot_lease_host){allot_plan_host_name(reader->plan, host), slots.integer};
    }
}

/* Names: all slots of those hosts. */
static void read_whole(allot__plan_reader *reader, const allot__value *value, lent *out)
{
    allot__doc *doc = &reader->doc;
    allot__texts texts;
    int32_t count;
    allot__texts_read(doc, value, &texts);
    const char *const *names = allot__hosts_named(reader, &texts, &count);
    out->list = allot__doc_take(doc, (size_t)count, sizeof *out->list);
    for (int32_t i = 0; i < count && out->list; i++) {
        int64_t slots =
            allot_plan_host_slots(reader->plan, allot_plan_host_find(reader->plan, names[i]));
        if (slots > 0)
            out->list[out->count++] = (allot_lease_host){names[i], slots};
    }
}

static void read_contract(allot__plan_reader *reader, uint32_t object, const allot__value *values,
                          allot_lease *lease, int64_t faults)
{
    allot__doc *doc = &reader->doc;
    const allot__value *hosts = &values[HOSTS];
    lent it = {0};
    if (values[CONSUMER].number == 0)
        allot__doc_fault(doc, allot__at(object), "E-missing", NULL, "\"consumer\" is missing");
    if (values[SLOTS].number == 0 && hosts->number == 0)
        allot__doc_fault(doc, allot__at(object), "E-missing", NULL,
                         "\"slots\" is missing, or \"hosts\" in its place");
    if (hosts->kind == ALLOT__OBJECT)
        read_slots(reader, hosts, &it);
    else if (hosts->kind != 0)
        read_whole(reader, hosts, &it);
    if (hosts->kind != 0 && it.count == 0 && doc->faults == faults)
        allot__doc_fault(doc, allot__at(hosts->number), "E-range", NULL,
                         "found no slots of any host, allowed hosts with some");
    lease->consumer = values[CONSUMER].string;
    lease->slots = values[SLOTS].integer;
    lease->hosts = it.list;
    lease->host_count = it.count;
    reader->queues_lost = reader->queues_lost || doc->faults > faults;
    if (doc->faults == faults)
        allot__lease_add(reader, object, lease);
}

/* ---- Leases ---------------------------------------------------------------------------------- */

static int32_t is_shared(allot__doc *doc, const allot__value *value)
{
    bool shared = value->kind == 0 || allot__word_is(value->string, "shared");
    if (!shared && !allot__word_is(value->string, "exclusive"))
        allot__value_fault(doc, value, "\"shared\" or \"exclusive\"");
    return shared;
}

/* Reads an export policy; refuses keys of contracts. */
static void read_export(allot__plan_reader *reader, uint32_t object, const allot__value *values,
                        const allot_lease *lease)
{
    static const int others[] = {CONSUMER, HOSTS};
    for (size_t i = 0; i < 2; i++)
        if (values[others[i]].number != 0)
            allot__doc_fault(&reader->doc, allot__at_key(values[others[i]].number), "E-conflict",
                             NULL,
                             "found \"%s\" in an export policy, which says by \"distribution\" who "
                             "gets slots, and where by \"per_host\" or \"res_select\"",
                             lease_fields[others[i]].key);
    const allot__export policy = {.object = object,
                                  .name = lease->name,
                                  .provider = lease->provider,
                                  .slots = values[SLOTS],
                                  .per_host = values[PER_HOST],
                                  .res_select = values[RES_SELECT],
                                  .nhosts = values[NHOSTS],
                                  .distribution = values[DISTRIBUTION],
                                  .shared = lease->shared,
                                  .reclaim_delay = lease->reclaim_delay,
                                  .damped = lease->damped};
    allot__export_read(reader, &policy);
}

static void read_lease(allot__plan_reader *reader, uint32_t object)
{
    allot__doc *doc = &reader->doc;
    allot__value values[LEASE_KEYS];
    int64_t faults = doc->faults;
    allot__object_read(doc, object, &lease_shape, values);
    bool exported = false;
    for (int i = PER_HOST; i <= DISTRIBUTION; i++)
        exported = exported || values[i].number != 0;
    allot_lease lease = {.name = values[NAME].string,
                         .provider = values[PROVIDER].string,
                         .shared = is_shared(doc, &values[TYPE]),
                         .reclaim_delay = values[RECLAIM_DELAY].kind != 0
                                              ? values[RECLAIM_DELAY].integer
                                              : reader->reclaim_delay,
                         .damped = allot__yes_take(doc, &values[DAMPER])};
    if (exported)
        read_export(reader, object, values, &lease);
    else
        read_contract(reader, object, values, &lease, faults);
    reader->queues_lost = reader->queues_lost || doc->faults > faults;
}

void allot__leases_policy(allot__plan_reader *reader)
{
    uint32_t leases = reader->top[ALLOT__PLAN_LEASES].number;
    const allot_policy *policy =
        reader->no_policy ? NULL : allot_plan_group_policy(reader->plan, 0);
    if (allot_plan_leases(reader->plan) > 0 && policy && !allot_policy_dispatches(policy))
        allot__doc_fault(&reader->doc, allot__at_key(leases), "E-policy",
                         "contracts go by a policy that dispatches: shared_lease, preemption, "
                         "queue_pool",
                         "found \"leases\", but the policy \"%.80s\" divides slots among consumers",
                         allot_policy_name(policy));
}

void allot__leases_read(allot__plan_reader *reader)
{
    const allot__value *list = &reader->top[ALLOT__PLAN_LEASES];
    allot__doc *doc = &reader->doc;
    uint32_t it = allot__value_in(doc, list);
    for (; it; it = allot__doc_after(doc, list->number, it)) {
        if (!allot__kind_check(doc, it, ALLOT__OBJECT)) {
            reader->queues_lost = true;
            continue;
        }
        allot__entry_begin(doc);
        read_lease(reader, it);
        allot__entry_end(doc);
    }
}
