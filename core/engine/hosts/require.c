/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* require.c: which hosts meet what consumers require; each requirement is asked once. */
#include "engine/hosts/hosts.h"

enum { BATCH = 512 };

/* The number of the policy's requirement among those asked so far, added where it is new. */
static int32_t number_of(allot__rack *rack, const allot_policy *policy, const char *name)
{
    int32_t number = allot__requirement_find(policy, name);
    int32_t i = 0;
    while (i < rack->requirement_count &&
           (rack->requirements[i].policy != policy || rack->requirements[i].number != number))
        i++;
    if (i == rack->requirement_count && number >= 0) {
        rack->requirements[rack->requirement_count++] =
            (allot__requires){.policy = policy, .number = number};
    }
    return number >= 0 ? i : -1;
}

/* A row asks for what its consumer requires, else for what its parent asks. */
static int find_asks(allot__work *work, allot__rack *rack)
{
    size_t rows = (size_t)work->tree->rows, stated = work->plan->requires.count;
    const allot__require *list = work->plan->requires.items;
    rack->asks = allot__arena_take(work->arena, rows, sizeof *rack->asks);
    rack->requirements = allot__arena_take(work->arena, stated, sizeof *rack->requirements);
    if (!rack->asks || !rack->requirements)
        return ALLOT_ENOMEM;
    for (size_t row = 0; row < rows; row++)
        rack->asks[row] = -1;
    for (size_t i = 0; i < stated; i++) {
        int32_t row = allot__row(work->plan, work->index, list[i].consumer);
        rack->asks[row] = number_of(rack, allot__rules_at(work, row)->policy, list[i].name);
    }
    for (int32_t family = 1; family < work->tree->families; family++) {
        int32_t above = rack->asks[work->group->parent[family]];
        int32_t first = allot__family_first(work, family);
        for (int32_t row = first; row < first + allot__family_size(work, family); row++)
            rack->asks[row] = rack->asks[row] >= 0 ? rack->asks[row] : above;
    }
    return ALLOT_OK;
}

/* Asks about `count` of the plan's hosts. */
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
static int meet(allot__work *work, allot__rack *rack, allot__requires *requires)
{
    int64_t answers[BATCH];
    int32_t planned = 0;
    requires->met = allot__arena_take(work->arena, (size_t)rack->count, 1);
    if (!requires->met)
        return ALLOT_ENOMEM;
    while (planned < rack->count && rack->site[planned] < allot_plan_hosts(work->plan))
        planned++;
    for (int32_t host = planned; host < rack->count; host++) {
        requires->met[host] = 0;
    }
    for (int32_t first = 0; first < planned; first += BATCH) {
        int32_t count = planned - first < BATCH ? planned - first : BATCH;
        int status = ask(work, requires, rack->site + first, count, answers);
        for (int32_t i = 0; i < count && status == ALLOT_OK; i++) {
            requires->met[first + i] = answers[i] != 0;
        }
        if (status != ALLOT_OK)
            return status;
    }
    return ALLOT_OK;
}

/* Whoever wants slots, and requires what no open host is. */
static void say_unmet(const allot__work *work, const allot__rack *rack)
{
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool asks = rack->asks[row] >= 0 && allot__family_of(work, row) == 0;
        const allot__requires *requires = asks ? &rack->requirements[rack->asks[row]] : NULL;
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

/* A leaf can use no more slots than the hosts have that meet what it requires. */
static int cut_limits(allot__work *work, const allot__rack *rack)
{
    int32_t *limits = allot__arena_take(work->arena, (size_t)work->tree->rows, sizeof *limits);
    if (!limits)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < rack->requirement_count; i++) {
        int64_t slots = 0;
        for (int32_t host = 0; host < rack->count; host++)
            slots += rack->requirements[i].met[host] != 0 ? rack->slots[host] : 0;
        rack->requirements[i].slots = slots < ALLOT_AMOUNT_MAX ? (int32_t)slots : ALLOT_AMOUNT_MAX;
    }
    for (int32_t row = 0; row < work->tree->rows; row++) {
        bool asks = rack->asks[row] >= 0 && allot__family_of(work, row) == 0;
        int32_t most = asks ? rack->requirements[rack->asks[row]].slots : ALLOT_NONE;
        limits[row] = work->limit[row] < most ? work->limit[row] : most;
    }
    work->limit = limits;
    say_unmet(work, rack);
    return ALLOT_OK;
}

int allot__rack_require(allot__work *work, allot__rack *rack)
{
    if (work->plan->requires.count == 0)
        return ALLOT_OK;
    int status = find_asks(work, rack);
    for (int32_t i = 0; i < rack->requirement_count && status == ALLOT_OK; i++)
        status = meet(work, rack, &rack->requirements[i]);
    return status == ALLOT_OK ? cut_limits(work, rack) : status;
}
