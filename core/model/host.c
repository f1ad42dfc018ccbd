/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* host.c: hosts, of a plan and of a state. */
#include <string.h>

#include "model/plan.h"

allot__host *allot__host_find(const allot__hosts *hosts, const char *name)
{
    uint32_t hash = allot__hash(0, name, strlen(name)), probe = 0;
    int32_t found;
    while ((found = allot__index_next(&hosts->index, hash, &probe)) >= 0) {
        allot__host *host = (allot__host *)hosts->list.items + found;
        if (strcmp(host->name, name) == 0)
            return host;
    }
    return NULL;
}

allot__host *allot__host_add(allot_engine *engine, allot__hosts *hosts, const char *name)
{
    size_t len = strlen(name);
    if (hosts->list.count >= INT32_MAX - 1 || allot__index_room(engine, &hosts->index))
        return NULL;
    char *copy = allot__copy(engine, name, len);
    if (!copy)
        return NULL;
    allot__host *host = allot__push(engine, &hosts->list, sizeof *host);
    if (!host) {
        allot__free_string(engine, copy);
        return NULL;
    }
    host->name = copy;
    allot__index_add(&hosts->index, allot__hash(0, name, len), (int32_t)hosts->list.count - 1);
    return host;
}

void allot__hosts_free(allot_engine *engine, allot__hosts *hosts)
{
    allot__host *list = hosts->list.items;
    for (size_t i = 0; i < hosts->list.count; i++)
        allot__free_string(engine, list[i].name);
    allot__vector_free(engine, &hosts->list);
    allot__index_free(engine, &hosts->index);
}

int allot_plan_host(allot_plan *plan, const char *name, int32_t group, int64_t slots)
{
    if (!allot__label_valid(name))
        return ALLOT_ENAME;
    if (slots < 0 || slots > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    int32_t from, to;
    int status = group == ALLOT_ALL ? ALLOT_EUSAGE : allot__plan_range(plan, group, &from, &to);
    if (status)
        return status;
    if (allot__host_find(&plan->hosts, name))
        return ALLOT_EEXIST;
    allot__host *host = allot__host_add(plan->engine, &plan->hosts, name);
    if (!host)
        return ALLOT_ENOMEM;
    host->group = group;
    host->slots = slots;
    return ALLOT_OK;
}
