/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lists.c: the lists of a state: hosts, tasks, sessions, reclaims in flight, loans, jobs and
 * contracts; and what queues used. Reclaims, loans and contracts of a decision can be copied into a
 * state unchanged. */
#include <allot/stated.h>
#include <string.h>

#include "json/state/item.h"
#include "json/text/names.h"
#include "json/jobs/queues.h"

static allot_state *state_of(const allot__item_reader *it)
{
    return it->state->state;
}

static allot__spot spot_of(const allot__item_reader *it, const char *name)
{
    return allot__at(allot__item_reader_value(it, name)->number);
}

/* Handles the status of adding an item with an id. */
static void took(allot__item_reader *it, int status)
{
    allot__doc *doc = it->doc;
    allot__spot spot = spot_of(it, "id");
    if (status == ALLOT_EEXIST)
        allot__doc_fault(doc, spot, "E-duplicate-id", NULL, "found the %s %s again, allowed once",
                         it->own_part.members->name, allot__doc_quote(doc, spot));
    else
        allot__doc_named(doc, status, spot, "", "1 ... 255 bytes");
}

/* ---- Tasks, sessions ------------------------------------------------------------------------- */

static bool by_group(const allot__item_reader *it)
{
    return allot__item_reader_value(it, "slots")->kind == ALLOT__OBJECT;
}

/* The group that a task states, else its host's; -1 without a fault: the first of its slots by
 * group. */
static int32_t group_of_task(allot__item_reader *it, const allot__value *value)
{
    const allot_plan *plan = it->plan;
    allot__doc *doc = it->doc;
    const allot__value *named = allot__item_reader_value(it, "host");
    bool several = allot_plan_groups(plan) > 1 && named->kind == ALLOT__STRING;
    if (by_group(it) && value->number == 0 && named->kind != ALLOT__STRING)
        return -1;
    int32_t host = several ? allot_plan_host_find(plan, named->string) : -1;
    if (host >= 0 && value->number == 0)
        return allot_plan_host_group(plan, host);
    int32_t group = allot__group_read(doc, plan, it->object, value);
    if (group < 0 || host < 0 || allot_plan_host_group(plan, host) == group)
        return group;
    allot__spot spot = allot__at(value->number);
    allot__doc_fault(doc, spot, "E-group", NULL, "found %s, allowed \"%s\", its host's group",
                     allot__doc_quote(doc, spot),
                     allot_plan_group_name(plan, allot_plan_host_group(plan, host)));
    return -1;
}

/* Makes the entry of the task's own group its slots; the other entries stay. */
static bool find_own(allot__item_reader *it, allot_task *task)
{
    allot_task_slots *list = (allot_task_slots *)task->also; /* the item's */
    int32_t at = 0;
    while (task->group >= 0 && at < task->also_count && list[at].group != task->group)
        at++;
    if (at == task->also_count) {
        allot__doc_fault(it->doc, spot_of(it, "slots"), "E-group", NULL,
                         "found no slots of \"%s\" in it, which is the task's group",
                         allot_plan_group_name(it->plan, task->group));
        return false;
    }
    task->group = list[at].group;
    task->slots = list[at].slots;
    task->also_count--;
    memmove(list + at, list + at + 1, (size_t)(task->also_count - at) * sizeof *list);
    return true;
}

static bool refuse_slot(allot__item_reader *it, const char *key, const char *what)
{
    allot__doc_fault(it->doc, spot_of(it, key), "E-conflict", NULL, "%s", what);
    return false;
}

static bool check_place(allot__item_reader *it, const allot_task *task)
{
    if (task->state == ALLOT_TASK_PENDING && (task->host || task->slot))
        return refuse_slot(
            it, "state",
            task->host ? "found \"pending\" beside a host: a task that waits is nowhere yet"
                       : "found \"pending\" beside a slot: a task that waits is nowhere yet");
    if (by_group(it) && task->slot)
        return refuse_slot(it, "slots",
                           "found slots by group beside a \"slot\": such a task shares none");
    return true;
}

static void take_task(allot__item_reader *it, void *thing, bool sound)
{
    sound = check_place(it, thing) && sound;
    if (sound && by_group(it))
        sound = find_own(it, thing);
    if (sound)
        took(it, allot_state_task(state_of(it), thing));
}

static void take_session(allot__item_reader *it, void *thing, bool sound)
{
    if (sound)
        took(it, allot_state_session(state_of(it), thing));
}

/* ---- Reclaims, loans ------------------------------------------------------------------------- */

static void check_claims(allot__item_reader *it, const allot_in_flight *reclaim)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < reclaim->claim_count; i++)
        sum += reclaim->claims[i].slots;
    if (sum > reclaim->slots)
        allot__doc_fault(it->doc, spot_of(it, "for"), "E-claims", NULL,
                         "found claims of %lld slots, allowed %lld, what is given back",
                         (long long)sum, (long long)reclaim->slots);
}

static void check_ids(allot__item_reader *it, const allot_in_flight *reclaim)
{
    for (int32_t i = 0; i < reclaim->task_count; i++)
        if (strlen(reclaim->tasks[i]) > 255)
            allot__doc_fault(it->doc, spot_of(it, "tasks"), "E-name", NULL,
                             "found \"%.60s...\", allowed 1 ... 255 bytes", reclaim->tasks[i]);
}

static void take_reclaim(allot__item_reader *it, void *thing, bool sound)
{
    const allot_in_flight *reclaim = thing;
    int64_t faults = it->doc->faults;
    check_claims(it, reclaim);
    check_ids(it, reclaim);
    if (sound && it->doc->faults == faults)
        took(it, allot_state_in_flight(state_of(it), reclaim));
}

static void take_loan(allot__item_reader *it, void *thing, bool sound)
{
    const allot_loan *loan = thing;
    allot__doc *doc = it->doc;
    if (sound && loan->lender == loan->borrower)
        allot__doc_fault(doc, spot_of(it, "borrower"), "E-loan", NULL,
                         "found %s, the lender itself, allowed another consumer",
                         allot__doc_quote(doc, spot_of(it, "borrower")));
    else if (sound)
        allot__doc_keep(doc, allot_state_loan(state_of(it), loan));
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* A job with hosts has the sum of its slots there, unless it states `slots`. */
static bool count_slots(allot__item_reader *it, allot_job *job)
{
    allot__doc *doc = it->doc;
    int64_t sum = 0;
    if (allot__item_reader_value(it, "slots")->number != 0 || job->host_count == 0)
        return true;
    for (int32_t i = 0; i < job->host_count && sum <= ALLOT_AMOUNT_MAX; i++)
        sum += job->hosts[i].slots;
    job->slots = sum;
    if (sum > ALLOT_AMOUNT_MAX)
        allot__doc_fault(doc, spot_of(it, "hosts"), "E-range", NULL,
                         "found more than %d slots in all", ALLOT_AMOUNT_MAX);
    return sum <= ALLOT_AMOUNT_MAX;
}

/* Refuses names that no earlier check has refused. */
static void refuse_names(allot__item_reader *it, const allot_job *job)
{
    static const char *const keys[] = {"user", "group", "app"};
    allot__doc *doc = it->doc;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const allot__value *value = allot__item_reader_value(it, keys[i]);
        if (value->kind == ALLOT__STRING && value->string[0] == '\0') {
            allot__doc_fault(doc, allot__at(value->number), "E-name", NULL,
                             "found \"\", allowed the name of the job's %s", keys[i]);
            return;
        }
    }
    allot__doc_fault(doc, spot_of(it, "id"), "E-name", NULL,
                     "found the job \"%.80s\", allowed names of " ALLOT__LABEL_RULE
                     ", for its hosts, user, group and app too",
                     job->id);
}

static void take_job(allot__item_reader *it, void *thing, bool sound)
{
    if (!count_slots(it, thing) || !sound)
        return;
    int status = allot_state_job(state_of(it), thing);
    if (status == ALLOT_ENAME)
        refuse_names(it, thing);
    else if (status == ALLOT_ERANGE)
        allot__doc_fault(it->doc, spot_of(it, "id"), "E-range", NULL,
                         "found more than %d slots in all, or times beyond what can be counted",
                         ALLOT_AMOUNT_MAX);
    else
        took(it, status);
}

/* ---- Hosts, contracts ------------------------------------------------------------------------ */

enum { CHUNK = 64, HINTS_MAX = 16, SEARCH_MAX = 65536 };

/* The plan's host with the nearest name, or NULL; no search if many names are wrong or there are
 * very many hosts. */
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

/* Reports why the model refuses a host. */
static void took_host(allot__state_reader *reader, uint32_t member, int status)
{
    allot__doc *doc = &reader->doc;
    allot__spot spot = allot__at_key(member);
    if (status == ALLOT_ENOENT)
        allot__doc_found(doc, spot, "E-unknown-host",
                         nearest_host(doc, reader->plan, allot__doc_key(doc, member)), "the host ",
                         ", which the plan does not have: \"slots\" is missing");
    else
        allot__doc_named(doc, status, spot, "the host's name ", ALLOT__LABEL_RULE);
}

/* Adds a host unless its slots are faulty; other faults must not make its name unknown. */
static void take_host(allot__item_reader *it, void *thing, bool sound)
{
    allot_stated_host *host = thing;
    const allot__value *slots = allot__item_reader_value(it, "slots");
    (void)sound;
    host->name = allot__doc_key(it->doc, it->object);
    if (slots->number == 0 || slots->kind != 0)
        took_host(it->state, it->object, allot_state_host_set(it->state->state, host));
}

bool allot__use_is_past(allot__state_reader *reader, uint32_t number, int64_t when)
{
    allot__doc *doc = &reader->doc;
    allot_decay decay;
    int64_t now = allot_state_now_get(reader->state);
    if (when <= now || reader->top[ALLOT__STATE_NOW].kind == 0 ||
        allot_plan_decay_get(reader->plan, &decay) != ALLOT_OK)
        return true;
    allot__doc_found(doc, allot__at(number), "E-range", NULL, "", ", allowed a time up to \"now\"");
    return false;
}

static void take_user(allot__item_reader *it, void *thing, bool sound)
{
    allot_stated_user *user = thing;
    user->name = allot__doc_key(it->doc, it->object);
    sound =
        sound && allot__use_is_past(it->state, allot__doc_member(it->doc, it->object, "usage_at"),
                                    user->usage_at);
    if (sound)
        allot__doc_named(it->doc, allot_state_user_set(it->state->state, user),
                         allot__at_key(it->object), "the user's name ", ALLOT__LABEL_RULE);
}

static const char *lease_name(const allot_plan *plan, int32_t number)
{
    allot_lease lease;
    return allot_plan_lease_at(plan, number, &lease) == ALLOT_OK ? lease.name : NULL;
}

static void check_side(allot__item_reader *it, const char *name, const allot_lease_side *side)
{
    allot__doc *doc = it->doc;
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
    allot__doc *doc = it->doc;
    int64_t faults = doc->faults;
    int32_t lease = allot__named_read(doc, it->plan, allot__at_key(it->object),
                                      allot__doc_key(doc, it->object), &leases);
    if (!sound)
        return;
    check_side(it, "provider", &now->provider);
    check_side(it, "consumer", &now->consumer);
    if (lease >= 0 && doc->faults == faults)
        allot__doc_keep(doc, allot_state_lease(it->state->state, lease, now));
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const struct {
    allot__state_key key;
    allot_item kind;
    allot__item_taker take;
    int32_t (*group_of)(allot__item_reader *it, const allot__value *value);
    bool sums; /* faults in it make sums doubtful */
} lists[] = {
    {ALLOT__STATE_HOSTS, ALLOT_ITEM_HOST, take_host, NULL, false},
    {ALLOT__STATE_SESSIONS, ALLOT_ITEM_SESSION, take_session, NULL, true},
    {ALLOT__STATE_TASKS, ALLOT_ITEM_TASK, take_task, group_of_task, true},
    {ALLOT__STATE_RECLAIMS, ALLOT_ITEM_RECLAIM, take_reclaim, NULL, true},
    {ALLOT__STATE_LOANS, ALLOT_ITEM_LOAN, take_loan, NULL, true},
    {ALLOT__STATE_JOBS, ALLOT_ITEM_JOB, take_job, NULL, true},
    {ALLOT__STATE_USERS, ALLOT_ITEM_USER, take_user, NULL, false},
    {ALLOT__STATE_LEASES, ALLOT_ITEM_LEASE, take_lease, NULL, false},
};

static void read_list(allot__state_reader *reader, size_t i)
{
    const allot__value *list = &reader->top[lists[i].key];
    int64_t faults = reader->doc.faults;
    allot__item_reader it;
    if (list->kind == 0 || !allot__item_reader_begin(reader, lists[i].kind, &it))
        return;
    it.group_of = lists[i].group_of;
    allot__item_reader_read(&it, list, lists[i].take);
    if (lists[i].sums && reader->doc.faults > faults)
        reader->doubtful = true;
}

void allot__lists_read(allot__state_reader *reader)
{
    for (size_t i = 0; lists[i].key != ALLOT__STATE_LEASES; i++)
        read_list(reader, i);
}

void allot__leases_now_read(allot__state_reader *reader)
{
    read_list(reader, sizeof lists / sizeof *lists - 1);
}

/* ---- Use of queues; times of preemption for resources ---------------------------------------- */

#define USAGE_MAX ((int64_t)1 << 62)
static const allot__field whole = {NULL, ALLOT__INTEGER, 0, USAGE_MAX, false};
static const allot__field rest = {NULL, ALLOT__INTEGER, 0, 999999, false};

/* The millionths of that queue; 0: not stated. */
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

/* A queue with millionths must state whole slot-seconds, too, even 0. */
static void check_rest(allot__state_reader *reader, uint32_t member)
{
    const allot__value *usage = &reader->top[ALLOT__STATE_USAGE];
    allot__doc *doc = &reader->doc;
    if (usage->kind == 0 || allot__doc_member(doc, usage->number, allot__doc_key(doc, member)) == 0)
        allot__doc_found(doc, allot__at_key(member), "E-missing", NULL, "the rest of ",
                         ", which \"usage\" does not have");
}

void allot__usage_read(allot__state_reader *reader)
{
    allot__members_read(reader, ALLOT__STATE_USAGE, read_queue);
    allot__members_read(reader, ALLOT__STATE_USAGE_REST, check_rest);
}

static void read_time(allot__state_reader *reader, uint32_t member)
{
    static const allot__field time = {NULL, ALLOT__INTEGER | ALLOT__STRING, INT64_MIN + 1,
                                      INT64_MAX, false};
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
