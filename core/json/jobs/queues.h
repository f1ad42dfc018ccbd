/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queues.h: reading a plan's queues, limits, resources and contracts from its document.
 *
 * Keys are those of LSF's lsb.queues, lsb.params, lsb.applications and lsb.resources in lower case,
 * with LSF's units: minutes of LSF are minutes here, and seconds in the model. A list of texts may
 * replace LSF's names in one text; true and false may replace Y and N.
 */
#ifndef ALLOT_JSON_JOBS_QUEUES_H
#define ALLOT_JSON_JOBS_QUEUES_H

#include <stddef.h>

#include "json/plan/plan.h"
#include "json/text/names.h"

/* ---- What protects jobs, and single values (terms.c) ----------------------------------------- */

/* The first keys of queues, `params` and applications. */
enum {
    ALLOT__MAX_JOB_PREEMPT,
    ALLOT__MAX_TOTAL_TIME_PREEMPT,
    ALLOT__NO_PREEMPT_INTERVAL,
    ALLOT__NO_PREEMPT_RUN_TIME,
    ALLOT__NO_PREEMPT_FINISH_TIME,
    ALLOT__PREEMPT_DELAY,
    ALLOT__PROTECTION_KEYS
};
#define ALLOT__MINUTES_MAX (ALLOT_AMOUNT_MAX / 60)
#define ALLOT__LIMIT       ALLOT__INTEGER | ALLOT__NULL, 0, ALLOT_AMOUNT_MAX, false
#define ALLOT__MINUTES     ALLOT__INTEGER | ALLOT__NULL, 0, ALLOT__MINUTES_MAX, false
#define ALLOT__MINUTES_OR_TEXT                                                                     \
    ALLOT__INTEGER | ALLOT__STRING | ALLOT__NULL, 0, ALLOT__MINUTES_MAX, false
#define ALLOT__YES ALLOT__YES_KINDS, 0, 0, false
#define ALLOT__PROTECTION_FIELDS                                                                   \
    [ALLOT__MAX_JOB_PREEMPT] = {"max_job_preempt", ALLOT__INTEGER | ALLOT__NULL, 1,                \
                                ALLOT_AMOUNT_MAX, false},                                          \
    [ALLOT__MAX_TOTAL_TIME_PREEMPT] = {"max_total_time_preempt", ALLOT__MINUTES},                  \
    [ALLOT__NO_PREEMPT_INTERVAL] = {"no_preempt_interval", ALLOT__MINUTES},                        \
    [ALLOT__NO_PREEMPT_RUN_TIME] = {"no_preempt_run_time", ALLOT__MINUTES_OR_TEXT},                \
    [ALLOT__NO_PREEMPT_FINISH_TIME] = {"no_preempt_finish_time", ALLOT__MINUTES_OR_TEXT},          \
    [ALLOT__PREEMPT_DELAY] = {"preempt_delay", ALLOT__LIMIT}

/* Takes the protection from the values of these keys. */
void allot__protection_take(allot__doc *doc, const allot__value *values, allot_protection *out);
/* A limit: a number of slots, or "25%", at most `most` percent, in *percent. ALLOT_NONE: not stated
 * in slots, or a fault (reported). */
int32_t allot__part_take(allot__doc *doc, const allot__value *value, int32_t most,
                         int32_t *percent);
/* Minutes, or "hours:minutes", in seconds; ALLOT_NONE: not stated, or a fault (reported). */
int32_t allot__run_limit_take(allot__doc *doc, const allot__value *value);
/* true, false, "Y" or "N"; 0: not stated. */
int32_t allot__yes_take(allot__doc *doc, const allot__value *value);
/* The integer, or `none` if it is not stated. */
int32_t allot__number_take(const allot__value *value, int32_t none);

/* ---- Groups of hosts and users (groups.c) ---------------------------------------------------- */

/* Reads `host_groups` (members: hosts, groups, "all", and "~" before exceptions) and `user_groups`
 * (members: users and groups) into the plan. */
void allot__groups_of_names_read(allot__plan_reader *reader);
/* Is it a group of users? */
bool allot__is_user_group(const allot__plan_reader *reader, const char *name);

/* Hosts that a list names, in the plan's order; none: all. Unknown names are reported. The names
 * live as by allot__doc_take; NULL: none. */
const char *const *allot__hosts_named(allot__plan_reader *reader, const allot__texts *texts,
                                      int32_t *count);

/* ---- Parts of the plan ----------------------------------------------------------------------- */

void allot__terms_read(allot__plan_reader *reader); /* params, applications */
void allot__queues_read(allot__plan_reader *reader);
/* The resource of that name; -1: a fault (reported) (resource.c). */
int32_t allot__resource_find(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                             const char *name);
/* `resources`, and the keys of `params` about resources (resource.c). */
void allot__resources_read(allot__plan_reader *reader);
/* Of a sealed plan: warns if no job can be preempted for a resource. */
void allot__resources_effect(allot__plan_reader *reader);
void allot__limits_read(allot__plan_reader *reader); /* also hosts' jl_u */
void allot__leases_read(allot__plan_reader *reader);
/* Of a sealed plan with contracts: checks that its policy dispatches. */
void allot__leases_policy(allot__plan_reader *reader);

/* Notes the object that became the next of the model's limits or contracts. */
void allot__objects_add(allot__doc *doc, allot__objects *objects, uint32_t number);

/* Adds the contracts of an export policy (L-1). */
typedef struct allot__export {
    uint32_t object; /* values */
    const char *name, *provider;
    allot__value slots, per_host, res_select, nhosts, distribution;
    int32_t shared;
    int64_t reclaim_delay;
    int32_t damped;
} allot__export;
void allot__export_read(allot__plan_reader *reader, const allot__export *policy);
/* Adds a contract of that object; reports what the plan refuses. */
void allot__lease_add(allot__plan_reader *reader, uint32_t object, const allot_lease *lease);
/* The nearest host's name, or NULL. */
const char *allot__host_near(const allot__plan_reader *reader, const char *name);

#endif
