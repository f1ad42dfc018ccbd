/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan.h: a plan while it is read from its document.
 *
 * Policies are read first, wherever they stand: they declare attributes of consumers. Then come the
 * groups' sizes, the consumers, their values in groups, and hosts. Reading goes on after a fault,
 * so that one run shows all faults.
 */
#ifndef ALLOT_JSON_PLAN_PLAN_H
#define ALLOT_JSON_PLAN_PLAN_H

#include <allot/json.h>
#include <string.h>

#include "json/text/names.h"

/* The plan's keys, in the order of the table in json/plan.c. */
typedef enum allot__plan_key {
    ALLOT__PLAN_VERSION,
    ALLOT__PLAN_SLOTS,
    ALLOT__PLAN_POLICY,
    ALLOT__PLAN_CONSUMERS,
    ALLOT__PLAN_GROUPS,
    ALLOT__PLAN_WINDOWS,
    ALLOT__PLAN_HOSTS,
    ALLOT__PLAN_QUEUES,
    ALLOT__PLAN_LEASES,
    ALLOT__PLAN_LIMITS,
    ALLOT__PLAN_RESOURCES,
    ALLOT__PLAN_HIST_HOURS,
    ALLOT__PLAN_HALF_LIFE,
    ALLOT__PLAN_PARAMS,
    ALLOT__PLAN_APPLICATIONS,
    ALLOT__PLAN_USER_GROUPS,
    ALLOT__PLAN_HOST_GROUPS,
    ALLOT__PLAN_OPTIONS,
    ALLOT__PLAN_TIMEZONE,
    ALLOT__PLAN_KEYS
} allot__plan_key;

/* A group's entry. */
typedef struct allot__group_entry {
    int32_t group; /* -1: its name is faulty */
    allot__value slots;
    uint32_t policy, consumers; /* values; 0: not there */
} allot__group_entry;

/* A first-level consumer that names a policy. */
typedef struct allot__branch_entry {
    uint32_t object, policy; /* values */
    allot_policy *loaded;    /* held by the reader; NULL: the group's, or it could not be loaded */
    bool shared;             /* ... by another entry */
} allot__branch_entry;

/* A window's entry. */
typedef struct allot__window_entry {
    uint32_t object;
    int32_t window;                    /* -1: it is faulty */
    uint32_t slots, policy, consumers; /* values; 0: not there */
} allot__window_entry;

/* Values of the document, by the number of the object made of them. */
typedef struct allot__objects {
    uint32_t *numbers;
    size_t count, room;
} allot__objects;

/* A named group of hosts or users, `done` once its members are found (jobs/groups.c). */
typedef struct allot__name_group {
    const char *name;
    uint32_t number; /* its value */
    allot__texts members;
    uint64_t *bits; /* of hosts: one by host */
    enum { ALLOT__GROUP_NEW, ALLOT__GROUP_OPEN, ALLOT__GROUP_DONE } progress;
} allot__name_group;

typedef struct allot__name_groups {
    allot__name_group *list;
    size_t count;
} allot__name_groups;

typedef struct allot__plan_reader {
    allot__doc doc;
    const allot_policy_loader *loader;
    allot_plan *plan;
    allot__value top[ALLOT__PLAN_KEYS];
    allot__group_entry *groups;
    size_t group_count;
    allot__branch_entry *branches;
    size_t branch_count;
    bool peers; /* some consumer states `lend` or `borrow` */
    allot__window_entry *windows;
    size_t window_count;
    bool no_policy; /* a policy failed, so attributes of consumers are unknown */
    /* The plan's own policy if another replaces it, held by the reader; NULL: none does, or it
     * cannot be loaded. Consumers may still state what it declares. */
    allot_policy *displaced;
    /* Of the faults: the number of policies that could not be read, or ran past their budget; and
     * the first one's status. */
    int64_t unread;
    int unread_status;
    bool doubtful; /* a consumer is faulty, so sums over consumers may be wrong */
    /* The keys of a consumer: those of consumer.c, then the plan's columns. */
    allot__field *fields;
    allot__value *values;
    size_t field_count;
    uint32_t *objects; /* by consumer: its object, and whether it is faulty */
    size_t object_capacity;
    /* Queues and contracts (jobs/queues.h). */
    allot__name_groups host_groups, user_groups;
    allot__objects limits, leases;
    int64_t reclaim_delay; /* of leases that state none, s */
    bool hosts_doubtful;   /* a host is faulty, so the plan may lack it */
    bool queues_lost;      /* a queue, limit or contract is faulty and not in the plan */
} allot__plan_reader;

/* Reads `options` and every `policy`; the plan holds the policies. All these functions report
 * faults, and keep failures (allot__doc_keep). */
void allot__policies_read(allot__plan_reader *reader);
void allot__policies_free(allot__plan_reader *reader);

/* Finds the policies of first-level consumers; gives a consumer the policy of its object, if any.
 */
void allot__branches_find(allot__plan_reader *reader);
void allot__branch_set(allot__plan_reader *reader, uint32_t object, int32_t consumer);

/* Reads the windows, except their policies and consumers' values, which are read later. */
void allot__windows_read(allot__plan_reader *reader);

/* Reads the consumers, and then their values in groups and windows. */
void allot__consumers_read(allot__plan_reader *reader);
/* Notes the object of an added consumer; ENOMEM. And marks it, and all above it, as faulty. */
void allot__consumer_remember(allot__plan_reader *reader, int32_t consumer, uint32_t object);
void allot__consumer_mark(allot__plan_reader *reader, int32_t consumer);
/* The consumer's object; *faulty: findings about it may follow from another fault. */
uint32_t allot__consumer_object(const allot__plan_reader *reader, int32_t consumer, bool *faulty);

/* The consumers that one lends to or borrows from: true, "all" or ["all"] (all), false or "none", a
 * path or a list of paths. */
#define ALLOT__PEERS (ALLOT__BOOLEAN | ALLOT__STRING | ALLOT__LIST)
/* Reads `lend` and `borrow` of all consumers, and their values in groups and windows. */
void allot__peers_read(allot__plan_reader *reader);
/* The same for one object of a consumer, by the setters `lend` and `borrow`: a NULL list means all
 * consumers. */
typedef int (*allot__peers_setter)(allot_plan *plan, int32_t where, int32_t consumer,
                                   const int32_t *list, int32_t n);
void allot__peers_object(allot__plan_reader *reader, uint32_t object, int32_t where,
                         int32_t consumer, allot__peers_setter lend, allot__peers_setter borrow);
/* Is it a column that makes a consumer lend to or borrow from all others? */
static inline bool allot__peers_limit(const char *column)
{
    return strcmp(column, "lend_limit") == 0 || strcmp(column, "borrow_limit") == 0;
}

/* Seals the plan and reports the model's findings at their places. Also EINVALID. */
void allot__plan_finish(allot__plan_reader *reader);

/* Does a list or object of the plan state anything? */
static inline bool allot__plan_states(const allot__plan_reader *reader, allot__plan_key key)
{
    const allot__value *value = &reader->top[key];
    return value->kind != 0 && allot__doc_end(&reader->doc, value->number) > value->number + 1;
}

/* The ready-made policy of a plan that names none. */
static inline const char *allot__plan_default_policy(const allot__plan_reader *reader)
{
    if (allot__plan_states(reader, ALLOT__PLAN_QUEUES))
        return "preemption";
    bool lent = allot__plan_states(reader, ALLOT__PLAN_LEASES);
    return lent && !allot__plan_states(reader, ALLOT__PLAN_CONSUMERS) ? "shared_lease" : "hybrid";
}

/* ---- Options (options.c) --------------------------------------------------------------------- */

/* Options for loading a policy, with their places. */
typedef struct allot__choices {
    allot_use_option *options;
    uint32_t *numbers;
    int32_t count;
} allot__choices;

/* In place of a group: branch i, window i. */
#define ALLOT__BRANCH(i) (-2 - (int32_t)(i))
#define ALLOT__WINDOW(i) (INT32_MIN + (int32_t)(i))
static inline bool allot__is_window(int32_t group)
{
    return group < ALLOT__WINDOW(ALLOT_WINDOWS_MAX);
}

/* Makes a list as a copy of `shared` (NULL: empty), with space for `more`. False: out of memory. */
bool allot__choices_new(allot__doc *doc, allot__choices *list, const allot__choices *shared,
                        size_t more);

/* Takes the member if it is an option of the core (else false), for a group, window or ALLOT_ALL:
 * all groups under the plan's policy, or all if `everywhere`. */
bool allot__core_option_take(allot__plan_reader *reader, uint32_t member, int32_t group,
                             bool everywhere);
/* Adds an option that only a policy knows to the list. */
void allot__any_option_take(allot__doc *doc, uint32_t member, bool mine, allot__choices *list);
/* A member of `options`; `single`: the plan has one policy. */
void allot__option_take(allot__plan_reader *reader, uint32_t member, bool single,
                        allot__choices *list);

#endif
