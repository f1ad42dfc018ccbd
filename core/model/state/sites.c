/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sites.c: where tasks run: the plan's hosts, the state's own, and those that tasks alone name. */
#include "base/least.h"
#include "model/state/state.h"

static int32_t planned_site(const allot_plan *plan, const char *name)
{
    const allot__host *host = allot__host_find(&plan->hosts, name);
    return host ? (int32_t)(host - (const allot__host *)plan->hosts.list.items) : -1;
}

static allot__site site_of(const allot__host *host)
{
    return (allot__site){.name = host->name,
                         .group = host->group,
                         .slots = (int32_t)host->slots,
                         .closed = host->closed,
                         .load = host->load - 1,
                         .exclusive_to = host->exclusive_to - 1,
                         .important = -1};
}

/* What the state tells of hosts: over what the plan says, or behind that. */
static void put_hosts(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    const allot__hosts *planned = &state->plan->hosts;
    for (size_t i = 0; i < planned->list.count; i++)
        tasks->sites[i] = site_of((const allot__host *)planned->list.items + i);
    tasks->site_count = (int32_t)planned->list.count;
    for (size_t i = 0; i < state->hosts.list.count; i++) {
        allot__host *host = (allot__host *)state->hosts.list.items + i;
        host->site = planned_site(state->plan, host->name);
        if (host->site < 0)
            host->site = tasks->site_count++;
        tasks->sites[host->site] = site_of(host);
    }
}

static int32_t site_named(const allot_state *state, const char *name)
{
    int32_t site = planned_site(state->plan, name);
    const allot__host *told = site < 0 ? allot__host_find(&state->hosts, name) : NULL;
    return told ? told->site : site;
}

int allot__sites_make(allot_state *state)
{
    allot__tasks *tasks = &state->tasks;
    size_t room = state->plan->hosts.list.count + state->hosts.list.count;
    for (size_t i = 0; i < tasks->labels.count; i++)
        room += allot__label_at(tasks, (int32_t)i)->is_host;
    if (room == 0)
        return ALLOT_OK;
    if (room > INT32_MAX)
        return ALLOT_ENOMEM;
    tasks->sites = allot__new(state->engine, room, sizeof *tasks->sites);
    if (!tasks->sites)
        return ALLOT_ENOMEM;
    tasks->site_room = (int32_t)room;
    put_hosts(state);
    for (size_t i = 0; i < tasks->labels.count; i++) {
        allot__label *label = allot__label_at(tasks, (int32_t)i);
        label->site = label->is_host ? site_named(state, label->text) : -1;
        if (!label->is_host || label->site >= 0)
            continue;
        label->site = tasks->site_count++;
        tasks->sites[label->site] = (allot__site){.name = label->text,
                                                  .group = -1,
                                                  .slots = -1,
                                                  .load = -1,
                                                  .exclusive_to = ALLOT_ROOT,
                                                  .important = -1};
    }
    return ALLOT_OK;
}

int64_t allot__draining(const allot_state *state, int32_t group)
{
    const allot__tasks *tasks = &state->tasks;
    int64_t sum = 0;
    for (int32_t i = 0; i < tasks->site_count; i++) {
        const allot__site *site = &tasks->sites[i];
        if (site->group == group && site->closed == ALLOT_DRAIN)
            sum += allot__least(site->busy, site->slots);
    }
    return sum;
}
