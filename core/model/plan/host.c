/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* host.c: hosts, of a plan and of a state; and what consumers require of hosts. */
#include <string.h>

#include "model/names/names.h"
#include "base/getter.h"
#include "model/plan/plan.h"

bool allot__host_number(const allot__hosts *hosts, const char *name, int32_t *out)
{
    int32_t found = allot__named_find(&hosts->list, &hosts->index, name);
    if (found >= 0)
        *out = found;
    return found >= 0;
}

allot__host *allot__host_find(const allot__hosts *hosts, const char *name)
{
    int32_t number;
    bool known = allot__host_number(hosts, name, &number);
    return known ? (allot__host *)hosts->list.items + number : NULL;
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

static void host_free(allot_engine *engine, allot__host *host)
{
    allot__vector_free(engine, &host->values);
    allot__free_string(engine, host->name);
}

void allot__host_end(allot_engine *engine, allot__hosts *hosts, allot__host *host)
{
    allot__host *list = hosts->list.items;
    size_t number = (size_t)(host - list);
    host_free(engine, host);
    memmove(host, host + 1, (--hosts->list.count - number) * sizeof *host);
    allot__index_clear(&hosts->index);
    for (size_t i = 0; i < hosts->list.count; i++)
        allot__index_add(&hosts->index, allot__hash(0, list[i].name, strlen(list[i].name)),
                         (int32_t)i);
}

void allot__hosts_free(allot_engine *engine, allot__hosts *hosts)
{
    allot__host *list = hosts->list.items;
    for (size_t i = 0; i < hosts->list.count; i++)
        host_free(engine, &list[i]);
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

/* ---- Attributes ---- */

static const allot_host_value *value_find(const allot__host *host, const char *name)
{
    const allot_host_value *values = host->values.items;
    for (size_t i = 0; i < host->values.count; i++)
        if (strcmp(values[i].name, name) == 0)
            return &values[i];
    return NULL;
}

/* Is it a name that a script can use for a parameter? */
static bool value_name_valid(const char *name)
{
    return name && allot__name_valid(name, strlen(name)) && !strchr(name, '-');
}

/* Is it an attribute that every host has? */
static bool is_own(const char *name)
{
    return strcmp(name, "name") == 0 || strcmp(name, "slots") == 0 || strcmp(name, "group") == 0;
}

int allot_plan_host_set(allot_plan *plan, const char *host, const allot_host_value *value)
{
    if (!plan || plan->sealed || !value)
        return ALLOT_EUSAGE;
    if (!value_name_valid(value->name))
        return ALLOT_ENAME;
    allot__host *it = host ? allot__host_find(&plan->hosts, host) : NULL;
    if (!it)
        return ALLOT_ENOENT;
    if (is_own(value->name) || value_find(it, value->name))
        return ALLOT_EEXIST;
    allot_engine *engine = plan->engine;
    allot_host_value copy = *value;
    if (allot__text_copy(engine, &plan->pool, value->name, &copy.name) ||
        allot__text_copy(engine, &plan->pool, value->text, &copy.text))
        return ALLOT_ENOMEM;
    allot_host_value *added = allot__push(engine, &it->values, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = copy;
    return ALLOT_OK;
}

/* ---- Getters ---- */

static const allot__host *host_at(const allot_plan *plan, int32_t host)
{
    bool known = plan && host >= 0 && (size_t)host < plan->hosts.list.count;
    return known ? (const allot__host *)plan->hosts.list.items + host : NULL;
}

ALLOT__GETTER(int32_t, allot_plan_hosts, allot_plan, (int32_t)it->hosts.list.count, 0)
ALLOT__GETTER_AT(const char *, allot_plan_host_name, allot_plan, host_at(of, i), name, NULL)
ALLOT__GETTER_AT(int32_t, allot_plan_host_group, allot_plan, host_at(of, i), group, -1)
ALLOT__GETTER_AT(int64_t, allot_plan_host_slots, allot_plan, host_at(of, i), slots, 0)

int32_t allot_plan_host_find(const allot_plan *plan, const char *name)
{
    int32_t number;
    return plan && name && allot__host_number(&plan->hosts, name, &number) ? number : -1;
}

int allot_plan_host_value(const allot_plan *plan, int32_t host, const char *name,
                          allot_host_value *out)
{
    const allot__host *it = host_at(plan, host);
    if (!it || !name || !out)
        return ALLOT_EUSAGE;
    const allot_host_value *value = value_find(it, name);
    if (!value)
        return ALLOT_ENOENT;
    *out = *value;
    return ALLOT_OK;
}

/* ---- Requirements ---------------------------------------------------------------------------- */

/* A consumer's place in the list, which is by rising handle, or where to insert it. */
static size_t place_of(const allot_plan *plan, int32_t consumer)
{
    const allot__require *list = plan->requires.items;
    size_t low = 0, high = plan->requires.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].consumer < consumer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static allot__require *find(const allot_plan *plan, int32_t consumer)
{
    size_t place = place_of(plan, consumer);
    allot__require *it = allot__vector_from(&plan->requires, place, sizeof *it);
    return place < plan->requires.count && it->consumer == consumer ? it : NULL;
}

static allot__require *insert(allot_plan *plan, int32_t consumer)
{
    size_t place = place_of(plan, consumer), behind = plan->requires.count - place;
    if (!allot__push(plan->engine, &plan->requires, sizeof(allot__require)))
        return NULL;
    allot__require *it = (allot__require *)plan->requires.items + place;
    memmove(it + 1, it, behind * sizeof *it);
    *it = (allot__require){.consumer = consumer};
    return it;
}

int allot_plan_require(allot_plan *plan, int32_t consumer, const char *name)
{
    if (!plan || plan->sealed || consumer < 0 || consumer >= plan->names->count)
        return ALLOT_EUSAGE;
    if (!allot__label_valid(name))
        return ALLOT_ENAME;
    const char *copy = allot__pool_copy(plan->engine, &plan->pool, name);
    allot__require *it = copy ? find(plan, consumer) : NULL;
    if (copy && !it)
        it = insert(plan, consumer);
    if (!it)
        return ALLOT_ENOMEM;
    it->name = copy;
    return ALLOT_OK;
}
