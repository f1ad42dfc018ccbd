/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* rule_jobs.c: a policy's rules about jobs of queues, and about leases. */
#include <string.h>

#include "base/name.h"
#include "model/policy/policy.h"

static allot_key rising(int32_t column)
{
    return (allot_key){{ALLOT_FROM_COLUMN, column}, 0};
}

static allot_key falling(int32_t column)
{
    return (allot_key){{ALLOT_FROM_COLUMN, column}, 1};
}

void allot__policy_jobs_init(allot_policy *policy)
{
    policy->tests[0] = ALLOT_REFUSED_PRIORITY; /* P-6, then P-7 */
    policy->tests[1] = ALLOT_REFUSED_QUEUES;
    policy->test_count = 2;
    policy->lease = -1;
    policy->dispatch =
        (allot__order){{falling(ALLOT_TASK_PRIORITY), rising(ALLOT_TASK_SUBMITTED)}, 2};
    policy->slices =
        (allot__order){{rising(ALLOT_QUEUE_USED_OVER_SHARE), falling(ALLOT_QUEUE_PRIORITY)}, 2};
}

/* Guards have the parameters' names, so that explanations name what protects a job. */
static int add_guards(allot_policy *policy)
{
    static const struct {
        const char *label;
        int32_t column;
    } guards[] = {{"max_job_preempt", ALLOT_TASK_PREEMPTIONS_LEFT},
                  {"max_total_time_preempt", ALLOT_TASK_PREEMPT_TIME_LEFT},
                  {"no_preempt_interval", ALLOT_TASK_INTERVAL_OVER},
                  {"no_preempt_run_time", ALLOT_TASK_RUN_TIME_LEFT},
                  {"no_preempt_finish_time", ALLOT_TASK_FINISH_TIME_LEFT}};
    int status = ALLOT_OK;
    for (size_t i = 0; i < sizeof guards / sizeof *guards && status == ALLOT_OK; i++) {
        allot_source value = {ALLOT_FROM_COLUMN, guards[i].column};
        status = allot_policy_guard(policy, guards[i].label, value, 1, INT64_MAX);
    }
    if (status)
        policy->guards.count = 0;
    return status;
}

static bool of_preemptor(int32_t column)
{
    return column == ALLOT_TASK_PREFERENCE || column == ALLOT_TASK_QUEUE_ORDER;
}

/* Does anything but a key of victims read the preemptor? Values of jobs are read once for all. */
static bool is_partial(const allot_policy *policy)
{
    const allot__function *functions = policy->functions.items;
    const allot__guard *guards = policy->guards.items;
    bool partial = false;
    for (size_t i = 0; i < policy->functions.count; i++)
        for (int32_t k = 0; k < functions[i].count && functions[i].rows == ALLOT_TASKS; k++)
            partial = partial || of_preemptor(functions[i].columns[k]);
    for (size_t i = 0; i < policy->guards.count; i++)
        partial = partial || (guards[i].value.kind == ALLOT_FROM_COLUMN &&
                              of_preemptor(guards[i].value.value));
    for (int32_t i = 0; i < policy->dispatch.count; i++) {
        allot_source source = policy->dispatch.keys[i].source;
        partial = partial || (source.kind == ALLOT_FROM_COLUMN && of_preemptor(source.value));
    }
    return partial;
}

int allot__policy_jobs_complete(allot_policy *policy)
{
    if (is_partial(policy) || (policy->switches[ALLOT_SWITCH_TOGETHER] && policy->test_count > 0))
        return ALLOT_EUSAGE;
    if (!policy->victims_given)
        policy->victims = (allot__order){
            {rising(ALLOT_TASK_QUEUE_ORDER), rising(ALLOT_TASK_LOAD), rising(ALLOT_TASK_HOST),
             rising(ALLOT_TASK_QUEUE_PRIORITY), falling(ALLOT_TASK_STARTED)},
            5};
    bool guarded = policy->guards.count > 0 || policy->switches[ALLOT_SWITCH_UNGUARDED];
    return guarded ? ALLOT_OK : add_guards(policy);
}

/* Makes the policy dispatch; false: it is closed, or its rules divide slots among consumers. */
static bool turn(allot_policy *policy)
{
    if (!allot__policy_open(policy) || policy->divides || policy->fill_count > 0)
        return false;
    policy->dispatches = true;
    return true;
}

static int set_order(allot_policy *policy, allot_rows rows, const allot_key *keys, int32_t n,
                     allot__order *out)
{
    allot__order order;
    if (!policy || !allot__order_make(policy, rows, keys, n, 0, &order) || !turn(policy))
        return ALLOT_EUSAGE;
    *out = order;
    return ALLOT_OK;
}

int allot_policy_dispatch(allot_policy *policy, const allot_key *keys, int32_t n)
{
    return set_order(policy, ALLOT_TASKS, keys, n, policy ? &policy->dispatch : NULL);
}

int allot_policy_slices(allot_policy *policy, const allot_key *keys, int32_t n)
{
    return set_order(policy, ALLOT_QUEUES, keys, n, policy ? &policy->slices : NULL);
}

int allot_policy_preempts(allot_policy *policy, int32_t function)
{
    if (function < ALLOT_NOBODY || function > INT32_MAX + ALLOT_REFUSED_TEST || !turn(policy))
        return ALLOT_EUSAGE;
    policy->tests[0] = ALLOT_REFUSED_TEST - function;
    policy->test_count = function == ALLOT_NOBODY ? 0 : 1;
    return ALLOT_OK;
}

int allot_policy_tests(allot_policy *policy, const int32_t *tests, int32_t n)
{
    bool known = tests && n >= 1 && n <= ALLOT_TESTS_MAX;
    for (int32_t i = 0; known && i < n; i++)
        known = tests[i] < ALLOT_REFUSED;
    if (!known || !turn(policy))
        return ALLOT_EUSAGE;
    memcpy(policy->tests, tests, (size_t)n * sizeof *tests);
    policy->test_count = n;
    return ALLOT_OK;
}

int allot_policy_fewest(allot_policy *policy, allot_fewest fewest)
{
    if (!allot_fewest_name((int)fewest) || !turn(policy))
        return ALLOT_EUSAGE;
    policy->fewest = fewest;
    return ALLOT_OK;
}

int allot_policy_backfill(allot_policy *policy, allot_backfill backfill)
{
    if (!allot_backfill_name((int)backfill) || !turn(policy))
        return ALLOT_EUSAGE;
    policy->backfill = backfill;
    return ALLOT_OK;
}

int allot_policy_lift(allot_policy *policy, int32_t lifts)
{
    if (lifts < 0 || lifts >= 1 << ALLOT_LIFT_COUNT || !turn(policy))
        return ALLOT_EUSAGE;
    policy->lift = lifts;
    return ALLOT_OK;
}

int allot_policy_job_types(allot_policy *policy, int32_t types)
{
    if (types < 0 || types > (ALLOT_PREEMPT_EXCLUSIVE | ALLOT_PREEMPT_BACKFILL) || !turn(policy))
        return ALLOT_EUSAGE;
    policy->job_types = types;
    return ALLOT_OK;
}

int allot_policy_lease(allot_policy *policy, int32_t function)
{
    allot_source source = {ALLOT_FROM_FUNCTION, function};
    if (!policy || !allot__source_valid(policy, ALLOT_LEASES, source, 0) || !turn(policy))
        return ALLOT_EUSAGE;
    policy->lease = function;
    return ALLOT_OK;
}

int32_t allot_policy_dispatches(const allot_policy *policy)
{
    return policy && policy->dispatches;
}
