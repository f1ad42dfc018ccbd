/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * hosts.c: hosts that a state lists; and sites, where tasks run: the plan's hosts, the state's own,
 * and those that only tasks name.
 */
#include <allot/stated.h>

#include "base/least.h"
#include "base/getter.h"
#include "model/state/state.h"

/* ---- Hosts ----------------------------------------------------------------------------------- */

int allot_state_host(allot_state *state, const char *name, int64_t slots, allot_closed closed)
{
    if (!allot__state_changes(state))
        return ALLOT_EUSAGE;
    if (!allot__label_valid(name))
        return ALLOT_ENAME;
    if (slots != -1 && !allot__is_amount(slots))
        return ALLOT_ERANGE;
    const allot__host *planned = allot__host_find(&state->plan->hosts, name);
    if (slots == -1 && !planned)
        return ALLOT_ENOENT;
    allot__host *host = allot__host_find(&state->hosts, name);
    if (!host)
        host = allot__host_add(state->engine, &state->hosts, name);
    if (!host)
        return ALLOT_ENOMEM;
    host->group = planned ? planned->group : 0;
    host->slots = slots == -1 ? planned->slots : slots;
    host->planned = slots == -1;
    host->closed = closed;
    state->tasks.arranged = false;
    return ALLOT_OK;
}

/* The state's entry of a host, made if the host has been as planned so far. */
static int told_host(allot_state *state, const char *name, allot__host **out)
{
    if (!allot__state_changes(state) || !name)
        return ALLOT_EUSAGE;
    if (!allot__host_find(&state->hosts, name)) {
        if (!allot__host_find(&state->plan->hosts, name))
            return ALLOT_ENOENT;
        int status = allot_state_host(state, name, -1, ALLOT_OPEN);
        if (status)
            return status;
    }
    *out = allot__host_find(&state->hosts, name);
    state->tasks.arranged = false;
    return ALLOT_OK;
}

int allot_state_host_load(allot_state *state, const char *name, int64_t load)
{
    allot__host *host;
    if (!allot__is_amount(load))
        return ALLOT_ERANGE;
    int status = told_host(state, name, &host);
    if (status == ALLOT_OK)
        host->load = (int32_t)load + 1;
    return status;
}

int allot_state_host_exclusive(allot_state *state, const char *name, int32_t consumer)
{
    allot__host *host;
    if (state && consumer != ALLOT_ROOT && (consumer < 0 || consumer >= state->plan->tree.rows))
        return ALLOT_EUSAGE;
    int status = told_host(state, name, &host);
    if (status == ALLOT_OK)
        host->exclusive_to = consumer + 1;
    return status;
}

int allot_state_host_set(allot_state *state, const allot_stated_host *host)
{
    if (!state || !host || host->exclusive_to < ALLOT_ROOT ||
        host->exclusive_to >= state->plan->tree.rows)
        return ALLOT_EUSAGE;
    if (host->load != -1 && !allot__is_amount(host->load))
        return ALLOT_ERANGE;
    int status = allot_state_host(state, host->name, host->slots, host->closed);
    if (status != ALLOT_OK)
        return status;
    allot__host *it = allot__host_find(&state->hosts, host->name);
    it->load = (int32_t)host->load + 1;
    it->exclusive_to = host->exclusive_to + 1;
    return ALLOT_OK;
}

int allot_state_host_end(allot_state *state, const char *name)
{
    if (!allot__state_changes(state) || !name)
        return ALLOT_EUSAGE;
    allot__host *host = allot__host_find(&state->hosts, name);
    if (!host)
        return ALLOT_ENOENT;
    allot__host_end(state->engine, &state->hosts, host);
    state->tasks.arranged = false;
    return ALLOT_OK;
}

ALLOT__GETTER(int32_t, allot_state_hosts, allot_state, (int32_t)it->hosts.list.count, 0)

int allot_state_host_at(const allot_state *state, int32_t i, allot_stated_host *out)
{
    if (!out || i < 0 || i >= allot_state_hosts(state))
        return ALLOT_EUSAGE;
    const allot__host *host = (const allot__host *)state->hosts.list.items + i;
    *out = (allot_stated_host){.name = host->name,
                               .slots = host->slots,
                               .closed = (allot_closed)host->closed,
                               .load = host->load - 1,
                               .exclusive_to =
                                   host->exclusive_to > 0 ? host->exclusive_to - 1 : ALLOT_ROOT,
                               .planned = host->planned};
    return ALLOT_OK;
}

/* ---- Sites ----------------------------------------------------------------------------------- */

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

/* Applies the state's hosts: they replace the plan's values, or follow the plan's hosts. */
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

bool allot__label_is_host(const allot_state *state, allot__label *label)
{
    label->site = site_named(state, label->text);
    label->is_host = label->is_host || label->site >= 0;
    return label->site >= 0;
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
