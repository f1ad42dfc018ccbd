/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * queues.h: the parts of a plan that are about queues, while it is read from its document.
 *
 * Keys are those of LSF's lsb.queues, lsb.params, lsb.applications and lsb.resources in lower case,
 * with their units: what LSF states in minutes is in minutes here, and seconds in the model.
 * Where LSF has a list of names in one text, a list of texts is as good; of two that say Y or N,
 * true and false.
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

/* What those values say. */
void allot__protection_take(allot__doc *doc, const allot__value *values, allot_protection *out);
/* Minutes, or "hours:minutes", in seconds; ALLOT_NONE: not there, or a fault, which is said. */
int32_t allot__run_limit_take(allot__doc *doc, const allot__value *value);
/* true, false, "Y" or "N"; 0 where it is not there. */
int32_t allot__yes_take(allot__doc *doc, const allot__value *value);
/* The integer, or `none` where there is none. */
int32_t allot__number_take(const allot__value *value, int32_t none);

/* ---- Groups of hosts and users (groups.c) ---------------------------------------------------- */

/* Reads `host_groups`, whose members are hosts, groups, "all", and "~" before what is not meant;
 * and `user_groups`, whose members are users and groups, into the plan. */
void allot__groups_of_names_read(allot__plan_reader *reader);
/* Is it a group of users? */
bool allot__is_user_group(const allot__plan_reader *reader, const char *name);

/* Hosts that a list names, in the plan's order; none: all. Unknown names are said. The names live
 * as by allot__doc_take; NULL: none. */
const char *const *allot__hosts_named(allot__plan_reader *reader, const allot__texts *texts,
                                      int32_t *count);

/* ---- Parts of the plan ----------------------------------------------------------------------- */

void allot__terms_read(allot__plan_reader *reader); /* params, applications */
void allot__queues_read(allot__plan_reader *reader);
/* The resource of that name; -1: a fault, which is said (resource.c). */
int32_t allot__resource_find(allot__doc *doc, const allot_plan *plan, allot__spot spot,
                             const char *name);
/* `resources`, and of `params` what is about them (resource.c). */
void allot__resources_read(allot__plan_reader *reader);
/* Of a plan that is sealed: warns where nobody can be preempted for a resource. */
void allot__resources_effect(allot__plan_reader *reader);
void allot__limits_read(allot__plan_reader *reader); /* also hosts' jl_u */
void allot__leases_read(allot__plan_reader *reader);
/* Of a plan that is sealed: contracts are decided about by policies that dispatch. */
void allot__leases_policy(allot__plan_reader *reader);

/* Notes the object that became the next of the model's limits or contracts. */
void allot__objects_add(allot__doc *doc, allot__objects *objects, uint32_t number);

/* An export policy (L-1), some of whose keys are there: adds its contracts. */
typedef struct allot__export {
    uint32_t object; /* values */
    const char *name, *provider;
    allot__value slots, per_host, res_select, nhosts, distribution;
    int32_t shared;
    int64_t reclaim_delay;
    int32_t damped;
} allot__export;
void allot__export_read(allot__plan_reader *reader, const allot__export *policy);
/* Adds a contract of that object; what the plan does not take of it is said. */
void allot__lease_add(allot__plan_reader *reader, uint32_t object, const allot_lease *lease);
/* The nearest host's name, or NULL. */
const char *allot__host_near(const allot__plan_reader *reader, const char *name);

#endif
