/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * export.c: export policies (L-1, L-2) become contracts, one for each consumer.
 *
 * PER_HOST: on every host the policy's slots are divided by shares. RES_SELECT: hosts that match,
 * at most NHOSTS of them in the plan's order, are divided by shares, whole: the first consumer gets
 * the first of them, and so on. Either way parts are rounded down, and the rest goes, one each, to
 * the largest remainders: among equal ones to the larger share, then to the first listed. The
 * provider's own name in the distribution is skipped (L-2).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/text/names.h"
#include "json/jobs/queues.h"

typedef struct side {
    const char *consumer;
    uint32_t number;
    int64_t shares, got, rest; /* rest: of the division; -1: used up */
} side;

typedef struct dividing {
    allot__plan_reader *reader;
    const allot__export *policy;
    side *sides;
    int32_t count;
    const char *const *hosts;
    int32_t host_count;
    allot_lease_host *part; /* of one contract */
} dividing;

/* ---- Who gets how much ----------------------------------------------------------------------- */

static const allot__field shares = {NULL, ALLOT__INTEGER, 1, ALLOT_AMOUNT_MAX, false};

/* ["consumer", shares] */
static side read_side(allot__doc *doc, uint32_t list)
{
    static const allot__field name = {.kinds = ALLOT__STRING};
    size_t count = allot__doc_count(doc, list);
    if (count != 2) {
        allot__doc_fault(doc, allot__at(list), "E-type", NULL,
                         "found a list of %zu, allowed [\"consumer\", shares]", count);
        return (side){0};
    }
    uint32_t first = allot__doc_in(doc, list);
    allot__value consumer = allot__value_read(doc, first, &name);
    allot__value number = allot__value_read(doc, allot__doc_after(doc, list, first), &shares);
    return (side){.consumer = consumer.string,
                  .number = consumer.number,
                  .shares = number.kind != 0 ? number.integer : 0};
}

/* consumer: shares */
static side read_member(allot__doc *doc, uint32_t member)
{
    allot__value number = allot__value_read(doc, member, &shares);
    return (side){.consumer = allot__doc_key(doc, member),
                  .number = number.number,
                  .shares = number.kind != 0 ? number.integer : 0};
}

static void check_sides(dividing *it)
{
    allot__doc *doc = &it->reader->doc;
    for (int32_t i = 0; i < it->count; i++) {
        side *of = &it->sides[i];
        for (int32_t k = 0; k < i && of->consumer; k++)
            if (it->sides[k].consumer && strcmp(of->consumer, it->sides[k].consumer) == 0)
                allot__doc_found(doc, allot__at(of->number), "E-duplicate-id", NULL, "",
                                 " again, allowed once");
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
    it->sides = allot__doc_take(doc, allot__value_count(doc, list), sizeof *it->sides);
    uint32_t item = it->sides ? allot__value_in(doc, list) : 0;
    for (; item; item = allot__doc_after(doc, list->number, item))
        if (list->kind == ALLOT__OBJECT)
            it->sides[it->count++] = read_member(doc, item);
        else if (allot__kind_check(doc, item, ALLOT__LIST))
            it->sides[it->count++] = read_side(doc, item);
    check_sides(it);
}

/* The number of consumers with shares. */
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

/* Divides an amount by shares (see above). */
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
        side *best = &it->sides[0]; /* there is at least one with shares */
        for (int32_t i = 1; i < it->count; i++)
            if (comes_before(&it->sides[i], best))
                best = &it->sides[i];
        best->got++;
        best->rest = -1;
    }
}

/* ---- Contracts ------------------------------------------------------------------------------- */

void allot__lease_add(allot__plan_reader *reader, uint32_t object, const allot_lease *lease)
{
    allot__doc *doc = &reader->doc;
    uint32_t name = allot__doc_member(doc, object, "name");
    int status = allot_plan_lease(reader->plan, lease);
    reader->queues_lost = reader->queues_lost || status != ALLOT_OK;
    if (status == ALLOT_OK)
        allot__objects_add(doc, &reader->leases, object);
    else if (status == ALLOT_EEXIST)
        allot__doc_fault(doc, allot__at(name), "E-duplicate-id", NULL,
                         "found the contract \"%.80s\" again, allowed once", lease->name);
    else if (status == ALLOT_ENAME)
        allot__doc_fault(
            doc, allot__at(object), "E-name", NULL,
            "found \"%.60s\" between \"%.60s\" and \"%.60s\", allowed names of " ALLOT__LABEL_RULE,
            lease->name, lease->provider, lease->consumer);
    else if (status == ALLOT_ERANGE)
        allot__doc_fault(doc, allot__at(object), "E-range", NULL,
                         "found %lld slots beside hosts that say otherwise, or slots of hosts "
                         "above %d in all",
                         (long long)lease->slots, ALLOT_AMOUNT_MAX);
    else
        allot__doc_keep(doc, status);
}
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
    allot__spot spot = allot__at(of->number);
    allot__doc_warn(&it->reader->doc, spot, "W-lease", NULL, "%s gets nothing: there is too little",
                    allot__doc_quote(&it->reader->doc, spot));
}

/* Makes the part of one consumer, of whole hosts from `*next` on; returns the number of hosts. */
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
    it->part = allot__doc_take(&it->reader->doc, (size_t)it->host_count, sizeof *it->part);
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

/* ---- Which hosts match ----------------------------------------------------------------------- */

/* RES_SELECT selects the hosts that fulfil all its terms. An object has attributes with their
 * values: {"type": "LINUX"}. A text is LSF's, restricted to comparisons joined by &&: "type ==
 * LINUX && mem >= 64". Attributes are those that hosts state, and name, group and slots. "any"
 * equals everything. A host without the attribute matches only "any". */
typedef enum compare_kind { EQUAL, UNEQUAL, AT_LEAST, AT_MOST, ABOVE, BELOW } compare_kind;

typedef struct term {
    const char *name, *text;
    compare_kind compare;
} term;

typedef struct selection {
    term *terms;
    int32_t count;
} selection;

static const char *copy_text(allot__doc *doc, const char *text, size_t len)
{
    char *copy = allot__doc_take(doc, len + 1, 1);
    return copy ? memcpy(copy, text, len) : "";
}

/* Numbers and booleans keep their text. */
static void read_object(allot__doc *doc, const allot__value *value, selection *out)
{
    static const allot__field field = {.kinds = ALLOT__INTEGER | ALLOT__NUMBER | ALLOT__BOOLEAN |
                                                ALLOT__STRING,
                                       .min = INT64_MIN,
                                       .max = INT64_MAX};
    out->terms = allot__doc_take(doc, allot__value_count(doc, value), sizeof *out->terms);
    uint32_t it = out->terms ? allot__value_in(doc, value) : 0;
    for (; it; it = allot__doc_after(doc, value->number, it)) {
        allot__value of = allot__value_read(doc, it, &field);
        size_t len;
        const char *text = allot__doc_text(doc, it, &len);
        if (of.kind != 0)
            out->terms[out->count++] =
                (term){.name = allot__doc_key(doc, it),
                       .text = of.string ? of.string : copy_text(doc, text, len)};
    }
}

static size_t blank(const char *text)
{
    return strspn(text, " \t");
}

static bool read_compare(const char **at, compare_kind *out)
{
    static const struct {
        const char *text;
        compare_kind compare;
    } signs[] = {{"==", EQUAL}, {"!=", UNEQUAL}, {">=", AT_LEAST}, {"<=", AT_MOST},
                 {"=", EQUAL},  {">", ABOVE},    {"<", BELOW}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t len = strlen(signs[i].text);
        if (strncmp(*at, signs[i].text, len) != 0)
            continue;
        *at += len;
        *out = signs[i].compare;
        return true;
    }
    return false;
}

/* Reads one comparison at *at; false: there is none. */
static bool read_term(allot__doc *doc, const char **at, selection *out)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    term made;
    const char *name = *at + blank(*at);
    size_t name_len = strspn(name, letters);
    *at = name + name_len + blank(name + name_len);
    if (name_len == 0 || !read_compare(at, &made.compare))
        return false;
    const char *text = *at + blank(*at);
    char mark = *text == '"' || *text == '\'' ? *text : '\0';
    text += mark != '\0';
    size_t len = mark != '\0' ? strcspn(text, "\"'") : strspn(text, letters);
    if (len == 0 || (mark != '\0' && text[len] != mark))
        return false;
    *at = text + len + (mark != '\0');
    *at += blank(*at);
    made.name = copy_text(doc, name, name_len);
    made.text = copy_text(doc, text, len);
    out->terms[out->count++] = made;
    return true;
}

static bool read_terms(allot__doc *doc, const char *at, selection *out)
{
    while (read_term(doc, &at, out)) {
        if (*at == '\0')
            return true;
        if (strncmp(at, "&&", 2) != 0)
            return false;
        at += 2;
    }
    return false;
}

static void read_text(allot__doc *doc, const allot__value *value, selection *out)
{
    out->terms = allot__doc_take(doc, strlen(value->string) / 2 + 1, sizeof *out->terms);
    if (out->terms && !read_terms(doc, value->string, out))
        allot__doc_found(
            doc, allot__at(value->number), "E-unsupported", NULL, "",
            ", allowed comparisons with \"&&\" between them, as in \"type == LINUX && mem >= 64\"");
}

/* Without it: all hosts. */
static void read_select(allot__doc *doc, const allot__value *value, selection *out)
{
    *out = (selection){0};
    if (value->kind == ALLOT__OBJECT)
        read_object(doc, value, out);
    else if (value->kind == ALLOT__STRING)
        read_text(doc, value, out);
}

/* A host's attribute, as text; false: the host has no such attribute. */
static bool text_of(const allot_plan *plan, int32_t host, const char *name, char *buf, size_t size,
                    const char **out)
{
    allot_host_value value;
    *out = buf;
    if (strcmp(name, "slots") == 0)
        snprintf(buf, size, "%" PRId64, allot_plan_host_slots(plan, host));
    else if (strcmp(name, "name") == 0)
        *out = allot_plan_host_name(plan, host);
    else if (strcmp(name, "group") == 0)
        *out = allot_plan_group_name(plan, allot_plan_host_group(plan, host));
    else if (allot_plan_host_value(plan, host, name, &value) != ALLOT_OK)
        return false;
    else if (value.text)
        *out = value.text;
    else if (value.boolean)
        *out = value.number != 0 ? "true" : "false";
    else
        snprintf(buf, size, "%" PRId64, value.number);
    return *out != NULL;
}

/* A number >= 0 in thousandths; false: not such a number. */
static bool number_of(const char *text, int64_t *out)
{
    size_t len = strlen(text);
    if (len == 0 || strspn(text, "0123456789.") != len)
        return false;
    *out = allot__thousandths(text, len);
    return *out >= 0;
}

static bool matches(const term *it, const char *text)
{
    int64_t left = 0, right = 0;
    bool equal = strcmp(text, it->text) == 0;
    bool numbers = number_of(text, &left) && number_of(it->text, &right);
    switch (it->compare) {
    case EQUAL:
        return equal || (numbers && left == right);
    case UNEQUAL:
        return !equal && !(numbers && left == right);
    case AT_LEAST:
        return numbers && left >= right;
    case AT_MOST:
        return numbers && left <= right;
    case ABOVE:
        return numbers && left > right;
    case BELOW:
        return numbers && left < right;
    }
    return false;
}

static bool host_matches(const selection *select, const allot_plan *plan, int32_t host)
{
    char buf[24];
    const char *text;
    for (int32_t i = 0; i < select->count; i++) {
        const term *it = &select->terms[i];
        if (it->compare == EQUAL && strcmp(it->text, "any") == 0)
            continue;
        if (!text_of(plan, host, it->name, buf, sizeof buf, &text) || !matches(it, text))
            return false;
    }
    return true;
}

/* ---- Hosts ----------------------------------------------------------------------------------- */

static void find_listed(dividing *it)
{
    allot__texts texts;
    allot__texts_read(&it->reader->doc, &it->policy->per_host, &texts);
    allot__texts_some(&it->reader->doc, &it->policy->per_host, &texts);
    it->hosts = allot__hosts_named(it->reader, &texts, &it->host_count);
}

/* Finds the first NHOSTS hosts that match. */
static void find_matching(dividing *it)
{
    const allot__export *policy = it->policy;
    const allot_plan *plan = it->reader->plan;
    allot__doc *doc = &it->reader->doc;
    int64_t most = policy->nhosts.kind != 0 ? policy->nhosts.integer : ALLOT_AMOUNT_MAX;
    selection select;
    read_select(doc, &policy->res_select, &select);
    const char **hosts = allot__doc_take(doc, (size_t)allot_plan_hosts(plan), sizeof *hosts);
    it->hosts = hosts;
    for (int32_t i = 0; i < allot_plan_hosts(plan) && hosts; i++)
        if (it->host_count < most && allot_plan_host_slots(plan, i) > 0 &&
            host_matches(&select, plan, i))
            hosts[it->host_count++] = allot_plan_host_name(plan, i);
}

/* Reports missing and superfluous keys. */
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
    bool none = allot__value_count(doc, &policy->distribution) == 0;
    if (policy->distribution.kind != 0 && (none || it->count > 0) && consumers(it) == 0)
        allot__doc_fault(doc, allot__at(policy->distribution.number), "E-lease", NULL,
                         "found no consumer but the provider");
    if (listed && policy->shared && consumers(it) > 1)
        allot__doc_fault(doc, allot__at(policy->distribution.number), "E-lease",
                         "a host with a shared contract goes to one consumer only (L-3)",
                         "found %d consumers of shared slots on each host, allowed one",
                         (int)consumers(it));
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
}
