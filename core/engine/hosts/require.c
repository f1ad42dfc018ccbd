/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* require.c: which hosts meet the requirements of consumers; evaluates each requirement once. */
#include "engine/hosts/hosts.h"

enum { BATCH = 512 };

/* The number of the policy's requirement among those asked so far, added where it is new. */
static int32_t number_of(allot__group_hosts *hosts, const allot_policy *policy, const char *name)
{
    int32_t number = allot__requirement_find(policy, name);
    int32_t i = 0;
    while (i < hosts->requirement_count &&
           (hosts->requirements[i].policy != policy || hosts->requirements[i].number != number))
        i++;
    if (i == hosts->requirement_count && number >= 0) {
        hosts->requirements[hosts->requirement_count++] =
            (allot__requires){.policy = policy, .number = number};
    }
    return number >= 0 ? i : -1;
}

/* Finds each row's requirement: its consumer's, else its parent's. */
static int find_asks(allot__work *work, allot__group_hosts *hosts)
{
    size_t rows = (size_t)work->tree->rows, stated = work->plan->requires.count;
    const allot__require *list = work->plan->requires.items;
    hosts->asks = allot__arena_take(work->arena, rows, sizeof *hosts->asks);
    hosts->requirements = allot__arena_take(work->arena, stated, sizeof *hosts->requirements);
    if (!hosts->asks || !hosts->requirements)
        return ALLOT_ENOMEM;
    for (size_t row = 0; row < rows; row++)
        hosts->asks[row] = -1;
    for (size_t i = 0; i < stated; i++) {
        int32_t row = allot__row(work->plan, work->index, list[i].consumer);
        hosts->asks[row] = number_of(hosts, allot__rules_at(work, row)->policy, list[i].name);
    }
    for (int32_t family = 1; family < work->tree->families; family++) {
        int32_t above = hosts->asks[work->group->parent[family]];
        int32_t first = allot__family_first(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++)
            hosts->asks[row] = hosts->asks[row] >= 0 ? hosts->asks[row] : above;
    }
    return ALLOT_OK;
}

/* Evaluates a requirement for `count` of the plan's hosts. */
static int ask(const allot__work *work, const allot__requires *requires, const int32_t *sites,
               int32_t count, int64_t *out)
{
    const allot_policy *policy = requires->policy;
    const allot__requirement *it =
        (const allot__requirement *)policy->requirements.items + requires->number;
    allot_batch batch = {.count = count,
                         .plan = work->plan,
                         .group = work->index,
                         .rows = ALLOT_HOSTS,
                         .items = sites,
                         .state = work->state};
    return policy->provider.compute(policy->provider.ud, it->function, &batch, out, work->report);
}

/* The plan's hosts come first; others have no attributes, and meet nothing. */
static int meet(allot__work *work, allot__group_hosts *hosts, allot__requires *requires)
{
    int64_t answers[BATCH];
    int32_t planned = 0;
    requires->met = allot__arena_take(work->arena, (size_t)hosts->count, 1);
    if (!requires->met)
        return ALLOT_ENOMEM;
    while (planned < hosts->count && hosts->site[planned] < allot_plan_hosts(work->plan))
        planned++;
    for (int32_t host = planned; host < hosts->count; host++) {
        requires->met[host] = 0;
    }
    for (int32_t first = 0; first < planned; first += BATCH) {
        int32_t count = planned - first < BATCH ? planned - first : BATCH;
        int status = ask(work, requires, hosts->site + first, count, answers);
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
            requires->met[first + i] = answers[i] != 0;
        }
        if (status != ALLOT_OK)
            return status;
    }
    return ALLOT_OK;
}

/* Reports consumers that want slots but whose requirement no open host meets. */
static void say_unmet(const allot__work *work, const allot__group_hosts *hosts)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool asks = hosts->asks[row] >= 0 && allot__family_of(work, row) == 0;
        const allot__requires *requires = asks ? &hosts->requirements[hosts->asks[row]] : NULL;
        if (!asks || requires->slots > 0 || work->demand[row] == 0)
            continue;
        const allot__requirement *it =
            (const allot__requirement *) requires->policy->requirements.items + requires->number;
        char path[512];
        allot_plan_path(work->plan, allot__handle(work, row), path, sizeof path);
        allot_report_say(work->report, ALLOT_WARNING, "W-requires",
                         "%.400s requires \"%.100s\": no open host meets that, so it gets nothing",
                         path, it->name);
    }
}

/* Limits leaves to the slots of hosts that meet their requirements. */
static int cut_limits(allot__work *work, const allot__group_hosts *hosts)
{
    int32_t *limits = allot__arena_take(work->arena, (size_t)work->tree->rows, sizeof *limits);
    if (!limits)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < hosts->requirement_count; i++) {
        int64_t slots = 0;
        for (int32_t host = 0; host < hosts->count; host++)
            slots += hosts->requirements[i].met[host] != 0 ? hosts->slots[host] : 0;
        hosts->requirements[i].slots = slots < ALLOT_AMOUNT_MAX ? (int32_t)slots : ALLOT_AMOUNT_MAX;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool asks = hosts->asks[row] >= 0 && allot__family_of(work, row) == 0;
        int32_t most = asks ? hosts->requirements[hosts->asks[row]].slots : ALLOT_NONE;
        limits[row] = work->limit[row] < most ? work->limit[row] : most;
    }
    work->limit = limits;
    say_unmet(work, hosts);
    return ALLOT_OK;
}

int allot__group_hosts_require(allot__work *work, allot__group_hosts *hosts)
{
    if (work->plan->requires.count == 0)
        return ALLOT_OK;
    int status = find_asks(work, hosts);
    for (int32_t i = 0; i < hosts->requirement_count && status == ALLOT_OK; i++)
        status = meet(work, hosts, &hosts->requirements[i]);
    return status == ALLOT_OK ? cut_limits(work, hosts) : status;
}
