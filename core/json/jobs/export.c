/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * export.c: export policies (L-1, L-2) become contracts, one for each consumer.
 *
 * PER_HOST: on every host the policy's slots are divided by shares. RES_SELECT: hosts that match,
 * at most NHOSTS of them in the plan's order, are divided by shares, whole: the first consumer gets
 * the first of them, and so on. Either way parts are rounded down, and what is left goes one each
 * to the largest remainders: of equal ones to the larger share, then to who is listed first. The
 * provider's own name in the distribution is passed over (L-2).
 */
#include <stdio.h>
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"
#include "json/jobs/select.h"

typedef struct side {
    cJSON *node; /* whose the name is */
    const char *consumer;
    uint32_t number;
    int64_t shares, got, rest; /* rest: of the division; -1: it has got it */
} side;

typedef struct dividing {
    allot__plan_reader *reader;
    const allot__export *policy;
    side *sides;
    int32_t count, listed;
    size_t room;
    const char **hosts;
    int32_t host_count;
    size_t host_room;
    allot_lease_host *part; /* of one contract */
} dividing;

/* ---- Who gets how much ----------------------------------------------------------------------- */

static const allot__field shares = {NULL, ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false, false};

static void read_side(dividing *it, uint32_t list)
{
    static const allot__field name = {NULL, ALLOT__STRING, 0, 0, false, false};
    allot__doc *doc = &it->reader->doc;
    side *out = &it->sides[it->count];
    if (!allot__kind_check(doc, list, ALLOT__LIST) || allot__doc_parse(doc, list, &out->node))
        return;
    it->listed++; /* its node is freed with the others */
    if (cJSON_GetArraySize(out->node) != 2) {
        allot__doc_fault(doc, allot__at(list), "E-type", NULL,
                         "found a list of %d, allowed [\"consumer\", shares]",
                         cJSON_GetArraySize(out->node));
        it->count++;
        return;
    }
    allot__value consumer = allot__value_read(doc, out->node->child, &name);
    allot__value number = allot__value_read(doc, out->node->child->next, &shares);
    out->consumer = consumer.string;
    out->number = consumer.number;
    out->shares = number.kind != 0 ? number.integer : 0;
    it->count++;
}

/* {consumer: shares}: one node has all names. */
static void read_members(dividing *it, uint32_t object)
{
    cJSON *node;
    if (allot__doc_parse(&it->reader->doc, object, &node))
        return;
    for (const cJSON *member = node->child; member; member = member->next) {
        allot__value number = {0};
        if (member->valueint != 0)
            number = allot__value_read(&it->reader->doc, member, &shares);
        it->sides[it->count++] = (side){.consumer = member->string,
                                        .number = number.number,
                                        .shares = number.kind != 0 ? number.integer : 0};
    }
    if (it->count > 0) {
        it->sides[0].node = node;
        it->listed = 1;
    } else {
        cJSON_Delete(node);
    }
}

static void check_sides(dividing *it)
{
    allot__doc *doc = &it->reader->doc;
    char quote[ALLOT__QUOTE_MAX + 4];
    for (int32_t i = 0; i < it->count; i++) {
        side *of = &it->sides[i];
        for (int32_t k = 0; k < i && of->consumer; k++)
            if (it->sides[k].consumer && strcmp(of->consumer, it->sides[k].consumer) == 0)
                allot__doc_fault(doc, allot__at(of->number), "E-duplicate-id", NULL,
                                 "found %s again, allowed once",
                                 allot__doc_quote(doc, allot__at(of->number), quote));
        if (of->consumer && it->policy->provider && strcmp(of->consumer, it->policy->provider) == 0)
            of->shares = 0; /* passed over */
    }
}

static void read_sides(dividing *it)
{
    allot__doc *doc = &it->reader->doc;
    const allot__value *list = &it->policy->distribution;
    if (list->number == 0)
        allot__doc_fault(doc, allot__at(it->policy->object), "E-missing", NULL,
                         "\"distribution\" is missing");
    it->room = list->kind != 0 ? (size_t)allot__doc_items(doc, list->number) : 0;
    it->sides = list->kind != 0 ? allot__block_new(doc, it->room, sizeof *it->sides) : NULL;
    if (!it->sides)
        return;
    uint32_t end = allot__doc_end(doc, list->number);
    if (list->kind == ALLOT__OBJECT)
        read_members(it, end = list->number);
    for (uint32_t item = list->number + 1; item < end; item = allot__doc_next(doc, item))
        read_side(it, item);
    check_sides(it);
}

/* Consumers that are meant: others have no shares. */
static int32_t consumers(const dividing *it)
{
    int32_t count = 0;
    for (int32_t i = 0; i < it->count; i++)
        count += it->sides[i].shares > 0;
    return count;
}

static bool comes_before(const side *a, const side *b)
{
    return a->rest != b->rest ? a->rest > b->rest : a->shares > b->shares;
}

/* Divides an amount by shares, as said above. */
static void divide(dividing *it, int64_t amount)
{
    int64_t sum = 0, left = amount;
    for (int32_t i = 0; i < it->count; i++)
        sum += it->sides[i].shares;
    for (int32_t i = 0; i < it->count && sum > 0; i++) {
        side *of = &it->sides[i];
        of->got = amount * of->shares / sum;
        of->rest = amount * of->shares % sum;
        left -= of->got;
    }
    for (; left > 0 && sum > 0; left--) {
        side *best = &it->sides[0]; /* there is one, or there would be no shares */
        for (int32_t i = 1; i < it->count; i++)
            if (comes_before(&it->sides[i], best))
                best = &it->sides[i];
        best->got++;
        best->rest = -1;
    }
}

/* ---- Contracts ------------------------------------------------------------------------------- */

static void add_contract(dividing *it, const side *of, int32_t hosts)
{
    const allot__export *policy = it->policy;
    char name[600];
    bool several = consumers(it) > 1;
    snprintf(name, sizeof name, several ? "%s/%s" : "%s", policy->name, of->consumer);
    allot_lease lease = {.name = name,
                         .provider = policy->provider,
                         .consumer = of->consumer,
                         .hosts = it->part,
                         .host_count = hosts,
                         .shared = policy->shared,
                         .reclaim_delay = policy->reclaim_delay,
                         .damped = policy->damped};
    allot__lease_add(it->reader, policy->object, &lease);
}

static void warn_nothing(dividing *it, const side *of)
{
    char quote[ALLOT__QUOTE_MAX + 4];
    allot__spot spot = allot__at(of->number);
    allot__doc_warn(&it->reader->doc, spot, "W-lease", NULL, "%s gets nothing: there is too little",
                    allot__doc_quote(&it->reader->doc, spot, quote));
}

/* The part of one consumer, of hosts from `*next` on where they are whole; returns how many. */
static int32_t make_part(dividing *it, const side *of, bool whole, int32_t *next)
{
    int32_t count = whole ? (int32_t)of->got : of->got > 0 ? it->host_count : 0;
    for (int32_t i = 0; i < count; i++) {
        const char *host = it->hosts[whole ? (*next)++ : i];
        int32_t number = allot_plan_host_find(it->reader->plan, host);
        it->part[i] = (allot_lease_host){
            host, whole ? allot_plan_host_slots(it->reader->plan, number) : of->got};
    }
    return count;
}

static void add_contracts(dividing *it, bool whole)
{
    int32_t next = 0;
    it->part = allot__block_new(&it->reader->doc, (size_t)it->host_count, sizeof *it->part);
    if (!it->part)
        return;
    divide(it, whole ? it->host_count : it->policy->slots.integer);
    for (int32_t i = 0; i < it->count; i++) {
        const side *of = &it->sides[i];
        if (of->shares == 0)
            continue;
        int32_t hosts = make_part(it, of, whole, &next);
        if (hosts > 0)
            add_contract(it, of, hosts);
        else
            warn_nothing(it, of);
    }
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static void find_listed(dividing *it)
{
    allot__texts texts;
    allot__texts_read(&it->reader->doc, &it->policy->per_host, &texts);
    allot__texts_some(&it->reader->doc, &it->policy->per_host, &texts);
    allot__hosts_named(it->reader, &texts, &it->hosts, &it->host_count, &it->host_room);
    allot__texts_free(&it->reader->doc, &texts);
}

/* Hosts that match, the first NHOSTS. */
static void find_matching(dividing *it)
{
    const allot__export *policy = it->policy;
    const allot_plan *plan = it->reader->plan;
    int64_t most = policy->nhosts.kind != 0 ? policy->nhosts.integer : ALLOT_AMOUNT_MAX;
    allot__select select;
    allot__select_read(&it->reader->doc, &policy->res_select, &select);
    it->host_room = (size_t)allot_plan_hosts(plan);
    it->hosts = allot__block_new(&it->reader->doc, it->host_room, sizeof *it->hosts);
    for (int32_t i = 0; i < allot_plan_hosts(plan) && it->hosts; i++)
        if (it->host_count < most && allot_plan_host_slots(plan, i) > 0 &&
            allot__select_matches(&select, plan, i))
            it->hosts[it->host_count++] = allot_plan_host_name(plan, i);
    allot__select_free(&it->reader->doc, &select);
}

/* What is missing, or too much. */
static void check_keys(dividing *it)
{
    const allot__export *policy = it->policy;
    allot__doc *doc = &it->reader->doc;
    bool listed = policy->per_host.number != 0, selected = policy->res_select.number != 0;
    if (listed && policy->slots.number == 0)
        allot__doc_fault(doc, allot__at(policy->object), "E-missing", NULL,
                         "\"slots\" is missing: on each host of \"per_host\"");
    if (!listed && policy->slots.number != 0)
        allot__doc_fault(doc, allot__at_key(policy->slots.number), "E-conflict", NULL,
                         "found \"slots\" beside \"res_select\", which lends whole hosts");
    if (listed && (selected || policy->nhosts.number != 0))
        allot__doc_fault(
            doc, allot__at_key(selected ? policy->res_select.number : policy->nhosts.number),
            "E-conflict", NULL,
            "found \"per_host\" beside it, allowed either that or \"res_select\" with "
            "\"nhosts\"");
    bool none = policy->distribution.kind != 0 && it->room == 0;
    if ((none || it->count > 0) && consumers(it) == 0)
        allot__doc_fault(doc, allot__at(policy->distribution.number), "E-lease", NULL,
                         "found no consumer but the provider");
    if (listed && policy->shared && consumers(it) > 1)
        allot__doc_fault(doc, allot__at(policy->distribution.number), "E-lease",
                         "a host with a shared contract goes to one consumer only (L-3)",
                         "found %d consumers of shared slots on each host, allowed one",
                         (int)consumers(it));
}

static void end(dividing *it)
{
    allot__doc *doc = &it->reader->doc;
    for (int32_t i = 0; i < it->listed; i++)
        cJSON_Delete(it->sides[i].node);
    allot__block_free(doc, it->sides, it->room, sizeof *it->sides);
    allot__block_free(doc, it->hosts, it->host_room, sizeof *it->hosts);
    allot__block_free(doc, it->part, (size_t)it->host_count, sizeof *it->part);
}

void allot__export_read(allot__plan_reader *reader, const allot__export *policy)
{
    dividing it = {.reader = reader, .policy = policy};
    allot__doc *doc = &reader->doc;
    bool whole = policy->per_host.number == 0;
    int64_t faults = doc->faults;
    read_sides(&it);
    check_keys(&it);
    if (doc->faults == faults && whole)
        find_matching(&it);
    else if (doc->faults == faults)
        find_listed(&it);
    bool sound =
        doc->faults == faults && policy->name && policy->provider && !reader->hosts_doubtful;
    if (sound && it.host_count > 0)
        add_contracts(&it, whole);
    else if (sound)
        allot__doc_warn(doc, allot__at(policy->object), "W-lease", NULL,
                        "no host matches: nothing is lent");
    end(&it);
}
