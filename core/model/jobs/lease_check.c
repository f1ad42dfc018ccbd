/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lease_check.c: checks contracts against hosts, and what stands beside queues. */
#include <stdio.h>

#include "model/jobs/queue.h"
#include "model/windows/say.h"

/* By host: the first contract that names it, plus 1, and whether that is shared. */
typedef struct hosted {
    int32_t lease;
    bool shared;
} hosted;

static const allot_lease *lease_at(const allot_plan *plan, int32_t i)
{
    return (const allot_lease *)plan->queues->leases.items + i;
}

/* A host in a shared contract is in no other; no contract names a host twice (L-3). */
static int check_host(const allot_plan *plan, int32_t lease, int32_t i, hosted *hosts,
                      allot_report *report)
{
    const allot_lease *it = lease_at(plan, lease);
    const allot_lease_host *host = &it->hosts[i];
    int32_t number = allot_plan_host_find(plan, host->host);
    hosted *of = &hosts[number];
    int result = ALLOT_OK;
    char path[64];
    snprintf(path, sizeof path, "leases[%d].hosts[%d]", (int)lease, (int)i);
    allot__fault fault = allot__fault_of(report, "E-lease", NULL);
    fault.path = path;
    if (of->lease > 0 && (of->lease == lease + 1 || of->shared || it->shared)) {
        fault.hint = "a host with a shared contract goes to one consumer only";
        allot__say(plan, &fault, "the host %.80s is in the contract %.80s already", host->host,
                   lease_at(plan, of->lease - 1)->name);
        result = ALLOT_EINVALID;
    }
    if (it->shared && host->slots > allot_plan_host_slots(plan, number)) {
        fault.hint = NULL;
        allot__say(plan, &fault, "%lld slots of %.80s are shared, but it has %lld",
                   (long long)host->slots, host->host,
                   (long long)allot_plan_host_slots(plan, number));
        result = ALLOT_EINVALID;
    }
    if (of->lease == 0)
        *of = (hosted){lease + 1, it->shared != 0};
    of->shared = of->shared || it->shared;
    return result;
}

int allot__leases_check(const allot_plan *plan, allot_report *report)
{
    size_t count = (size_t)allot_plan_hosts(plan) + 1;
    int result = ALLOT_OK;
    hosted *hosts = allot__new(plan->engine, count, sizeof *hosts);
    if (!hosts)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < allot_plan_leases(plan); i++) {
        for (int32_t k = 0; k < lease_at(plan, i)->host_count; k++)
            if (check_host(plan, i, k, hosts, report))
                result = ALLOT_EINVALID;
    }
    allot__free(plan->engine, hosts, count, sizeof *hosts);
    return result;
}

/* ---- Queues stand alone ---- */

int allot__check_beside(const allot_plan *plan, allot_report *report)
{
    int32_t queues = allot__queue_count(plan), consumers = plan->names->count;
    int result = ALLOT_OK;
    if (queues == 0)
        return ALLOT_OK;
    allot__fault fault = allot__fault_of(report, "E-queues", "put queues into a plan of their own");
    if (consumers > queues) {
        fault.consumer = queues;
        allot__say(plan, &fault, "a plan has queues or consumers, not both: this is no queue");
        result = ALLOT_EINVALID;
    }
    fault.consumer = -1;
    fault.path = "groups";
    if (plan->group_count > 1) {
        allot__say(plan, &fault, "queues are of one group, but there are %d",
                   (int)plan->group_count);
        result = ALLOT_EINVALID;
    }
    if (plan->branches.count > 0) {
        fault.path = NULL;
        fault.hint = "queues go by the plan's policy";
        fault.consumer = ((const allot__branch *)plan->branches.items)[0].consumer;
        allot__say(plan, &fault, "a queue has no policy of its own");
        result = ALLOT_EINVALID;
    }
    return result;
}
