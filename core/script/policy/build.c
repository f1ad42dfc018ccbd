/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* build.c: the policy that a parsed policy describes. No Lua runs here. */
#include <stdio.h>
#include <string.h>

#include "script/sandbox/script.h"

/* Reports what the core does not accept; the parsed policy's checks report it better before. */
static int refuse(const allot__script *script, allot_report *report, int status, const char *what,
                  const char *name)
{
    char message[400];
    if (status == ALLOT_OK || status == ALLOT_ENOMEM)
        return status;
    snprintf(message, sizeof message, "%s \"%.128s\": %s", what, name ? name : "",
             allot_status_text(status));
    allot__fault_say(script, "E-policy", 0, message, NULL, report);
    return ALLOT_EPOLICY;
}

static int add_attributes(allot_policy *policy, const allot__script *script,
                          const allot__parsed *parsed, allot_report *report)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; !status && i < parsed->attribute_count; i++) {
        status = refuse(script, report, allot_policy_attribute(policy, &parsed->attributes[i]),
                        "attribute", parsed->attributes[i].name);
    }
    for (int32_t i = 0; !status && i < parsed->task_attribute_count; i++) {
        status =
            refuse(script, report, allot_policy_task_attribute(policy, &parsed->task_attributes[i]),
                   "task attribute", parsed->task_attributes[i].name);
    }
    return status;
}

static int add_function(allot_policy *policy, const allot__call *call, const int32_t *columns,
                        int32_t *out)
{
    int32_t count = call->rows == ALLOT_HOSTS ? 0 : call->count;
    return allot_policy_rows_function(policy, call->rows, columns, count, out);
}

/* Their numbers are those of the script's calls: both count from 0 in the same order. */
static int add_functions(allot_policy *policy, const allot__script *script, allot_report *report)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; !status && i < script->call_count; i++) {
        const allot__call *call = &script->calls[i];
        int32_t columns[ALLOT__COLUMNS_MAX], number;
        for (int32_t c = 0; c < call->count; c++)
            columns[c] = call->columns[c];
        status = refuse(script, report, add_function(policy, call, columns, &number), "function",
                        call->role);
    }
    return status;
}

static int add_fill(allot_policy *policy, const char *label, const allot__parsed_fill *fill)
{
    const allot__parsed_order *order = &fill->order;
    switch (fill->kind) {
    case ALLOT__PARSED_POOL:
        return allot_policy_pool(policy, label, fill->by, fill->up_to);
    case ALLOT__PARSED_LOAN:
        return allot_policy_loan(policy, label, fill->by, fill->up_to, order->keys, order->count);
    case ALLOT__PARSED_FILL:
        break;
    }
    int status = allot_policy_fill(policy, label, fill->by, fill->up_to, order->keys, order->count);
    return status || !fill->level ? status : allot_policy_fill_level(policy);
}

static int add_fills(allot_policy *policy, const allot__script *script, const allot__parsed *parsed,
                     allot_report *report)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; !status && i < parsed->fill_count; i++) {
        const allot__parsed_fill *fill = &parsed->fills[i];
        char label[ALLOT_NAME_MAX + 1];
        snprintf(label, sizeof label, "%s", fill->label);
        if (!*label)
            snprintf(label, sizeof label, "fill%d", (int)i + 1);
        status = refuse(script, report, add_fill(policy, label, fill), "fill", label);
    }
    return status;
}

static int add_damping(allot_policy *policy, const allot__script *script,
                       const allot__parsed *parsed, allot_report *report)
{
    int status = ALLOT_OK;
    for (int i = 0; !status && i < ALLOT_OPTION_COUNT; i++) {
        if (parsed->damping_set >> i & 1)
            status = refuse(script, report, allot_policy_damp(policy, i, parsed->damping[i]),
                            "damping", allot_option_name(i));
    }
    return status;
}

static int add_rules(allot_policy *policy, const allot__script *script, const allot__parsed *parsed,
                     allot_report *report)
{
    const allot__parsed_order *order = &parsed->distribute, *reclaim = &parsed->reclaim.order;
    int status = add_fills(policy, script, parsed, report);
    if (!status && !parsed->dispatches)
        status =
            refuse(script, report, allot_policy_round(policy, parsed->rounding), "policy", "round");
    if (!status)
        status =
            refuse(script, report, allot_policy_scale(policy, parsed->scale), "policy", "scale");
    for (int i = 0; !status && i < ALLOT_SWITCH_COUNT; i++)
        status = refuse(script, report,
                        allot_policy_switch(policy, (allot_switch)i, parsed->switches[i]), "policy",
                        "switch");
    if (!status && order->given)
        status = refuse(script, report, allot_policy_distribute(policy, order->keys, order->count),
                        "policy", "distribute");
    if (!status && parsed->reclaim_given)
        status =
            refuse(script, report,
                   allot_policy_reclaim(policy, parsed->reclaim.by, reclaim->keys, reclaim->count),
                   "policy", "reclaim");
    return status ? status : add_damping(policy, script, parsed, report);
}

static int add_sessions(allot_policy *policy, const allot__script *script,
                        const allot__parsed *parsed, allot_report *report)
{
    int status = ALLOT_OK;
    for (int s = 0; !status && s < ALLOT_SCHEDULING_COUNT; s++) {
        for (int32_t i = 0; !status && i < parsed->session_fill_count[s]; i++) {
            const allot__parsed_fill *fill = &parsed->session_fills[s][i];
            status =
                refuse(script, report,
                       allot_policy_session_fill(policy, (allot_scheduling)s, fill->by, fill->up_to,
                                                 fill->order.keys, fill->order.count),
                       "sessions", allot_scheduling_name(s));
        }
    }
    return status;
}

static int add_tasks(allot_policy *policy, const allot__script *script, const allot__parsed *parsed,
                     allot_report *report)
{
    const allot__parsed_order *order = &parsed->victims;
    int status = ALLOT_OK;
    if (order->given)
        status = refuse(script, report, allot_policy_victims(policy, order->keys, order->count),
                        "policy", "victims");
    for (int32_t i = 0; !status && i < parsed->guard_count; i++) {
        const allot__parsed_guard *guard = &parsed->guards[i];
        status =
            refuse(script, report,
                   allot_policy_guard(policy, guard->label, guard->value, guard->min, guard->max),
                   "guard", guard->label);
    }
    for (int32_t i = 0; !status && i < parsed->requirement_count; i++) {
        const allot__parsed_requirement *it = &parsed->requirements[i];
        status = refuse(script, report, allot_policy_requirement(policy, it->name, it->function),
                        "requirement", it->name);
    }
    return status ? status : add_sessions(policy, script, parsed, report);
}

static int add_queues(allot_policy *policy, const allot__script *script,
                      const allot__parsed *parsed, allot_report *report)
{
    const allot__parsed_order *dispatch = &parsed->dispatch, *slices = &parsed->slices;
    int32_t relation = parsed->nobody ? ALLOT_NOBODY : 0;
    int status = ALLOT_OK;
    if (dispatch->given)
        status =
            refuse(script, report, allot_policy_dispatch(policy, dispatch->keys, dispatch->count),
                   "policy", "dispatch");
    if (!status && parsed->preempts_given)
        status =
            refuse(script, report, allot_policy_preempts(policy, relation), "policy", "preempts");
    if (!status && parsed->fewest_given)
        status =
            refuse(script, report, allot_policy_fewest(policy, parsed->fewest), "policy", "fewest");
    if (!status && parsed->lift_given)
        status = refuse(script, report, allot_policy_lift(policy, parsed->lift), "policy", "lift");
    if (!status && parsed->job_types_given)
        status = refuse(script, report, allot_policy_job_types(policy, parsed->job_types), "policy",
                        "job_types");
    if (!status && slices->given)
        status = refuse(script, report, allot_policy_slices(policy, slices->keys, slices->count),
                        "policy", "slices");
    if (!status && parsed->lease_given)
        status =
            refuse(script, report, allot_policy_lease(policy, parsed->lease), "policy", "lease");
    return status;
}

int allot__build_policy(allot__script *script, const allot__parsed *parsed, allot_report *report,
                        allot_policy **out)
{
    allot_policy *policy = NULL;
    int status = refuse(script, report, allot_policy_new(script->box.engine, parsed->name, &policy),
                        "policy name", parsed->name);
    if (!status)
        status = add_attributes(policy, script, parsed, report);
    if (!status)
        status = add_functions(policy, script, report);
    if (!status)
        status = add_rules(policy, script, parsed, report);
    if (!status)
        status = add_tasks(policy, script, parsed, report);
    if (!status)
        status = add_queues(policy, script, parsed, report);
    if (!status) {
        allot_provider provider;
        allot__script_provider(script, &provider);
        status =
            refuse(script, report, allot_policy_provider(policy, &provider), "policy", "provider");
    }
    if (status) {
        allot_policy_free(policy);
        return status;
    }
    *out = policy;
    return ALLOT_OK;
}
