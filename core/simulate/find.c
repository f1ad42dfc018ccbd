/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* find.c: whose a job is, by what the log says of it. */
#include <stdio.h>
#include <string.h>

#include "simulate/sim.h"

enum { TEXT = 260 };

void allot__record_text(const allot_record_name *name, char prefix, char *buf, size_t size)
{
    char digits[24];
    int64_t number = name->number;
    size_t at = sizeof digits - 1, len = 0;
    digits[at] = buf[0] = '\0';
    if (name->text)
        snprintf(buf, size, "%s", name->text);
    if (name->text || number < 0)
        return;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    digits[--at] = prefix;
    len = sizeof digits - at;
    memcpy(buf, digits + at, len < size ? len : size);
    buf[size - 1] = '\0';
}

/* ---- Leaves by name -------------------------------------------------------------------------- */

int allot__leaves_make(const allot_simulation *sim, allot__leaves *out)
{
    for (int32_t i = 0; i < sim->consumers; i++) {
        const char *name = allot_plan_name(sim->plan, i);
        if (!sim->accounts[i].leaf)
            continue;
        int32_t number = allot__strings_put(sim->engine, &out->names, name, strlen(name));
        if (number < 0)
            return ALLOT_ENOMEM;
        bool known = (size_t)number < out->handles.count;
        int32_t *handle = known ? (int32_t *)out->handles.items + number
                                : allot__push(sim->engine, &out->handles, sizeof *handle);
        if (!handle)
            return ALLOT_ENOMEM;
        *handle = known ? -1 : i;
    }
    return ALLOT_OK;
}

void allot__leaves_free(const allot_simulation *sim, allot__leaves *leaves)
{
    allot__strings_free(sim->engine, &leaves->names);
    allot__vector_free(sim->engine, &leaves->handles);
}

/* ---- Consumers ------------------------------------------------------------------------------- */

typedef struct trying {
    const allot_simulation *sim;
    const allot__leaves *leaves;
    char *tried;
    size_t size;
    int32_t found;
} trying;

static void note(trying *it, const char *path)
{
    size_t len = strlen(it->tried);
    if (len < it->size)
        snprintf(it->tried + len, it->size - len, "%s%s", len > 0 ? ", " : "", path);
}

/* The leaf at /first/second, or at /first where second is NULL. */
static void try_path(trying *it, const char *first, const char *second)
{
    char path[2 * TEXT + 3];
    if (it->found >= 0 || *first == '\0' || (second != NULL && *second == '\0'))
        return;
    int len = snprintf(path, sizeof path, "/%s%s%s", first, second ? "/" : "",
                       second != NULL ? second : "");
    int32_t consumer = allot_plan_find(it->sim->plan, path, (size_t)len);
    if (consumer >= 0 && it->sim->accounts[consumer].leaf)
        it->found = consumer;
    else
        note(it, path);
}

static void try_name(trying *it, const char *name)
{
    if (it->found >= 0 || *name == '\0')
        return;
    int32_t number = allot__strings_find(&it->leaves->names, name, strlen(name));
    if (number >= 0)
        it->found = ((const int32_t *)it->leaves->handles.items)[number];
}

static int32_t find_queue(trying *it, const allot_record *record)
{
    const allot_plan *plan = it->sim->plan;
    char name[TEXT];
    const char *header =
        record->queue.number >= 0 ? allot_trace_queue(it->sim->trace, record->queue.number) : NULL;
    allot__record_text(&record->queue, 'q', name, sizeof name);
    int32_t queue = *name != '\0' ? allot_plan_queue_find(plan, name) : -1;
    if (queue < 0 && header)
        queue = allot_plan_queue_find(plan, header);
    if (*name != '\0')
        note(it, name);
    if (header)
        note(it, header);
    allot__record_text(&record->group, 'g', name, sizeof name);
    if (queue < 0 && *name != '\0') {
        queue = allot_plan_queue_find(plan, name);
        note(it, name);
    }
    return queue < 0 && allot_plan_queues(plan) == 1 ? 0 : queue;
}

int32_t allot__find_consumer(const allot_simulation *sim, const allot__leaves *leaves,
                             const allot_record *record, char *tried, size_t size)
{
    trying it = {.sim = sim, .leaves = leaves, .tried = tried, .size = size, .found = -1};
    char user[TEXT], group[TEXT], queue[TEXT], partition[TEXT];
    tried[0] = '\0';
    if (sim->queues)
        return find_queue(&it, record);
    allot__record_text(&record->user, 'u', user, sizeof user);
    allot__record_text(&record->group, 'g', group, sizeof group);
    allot__record_text(&record->queue, 'q', queue, sizeof queue);
    allot__record_text(&record->partition, 'p', partition, sizeof partition);
    if (*user != '\0') {
        try_path(&it, group, user);
        try_path(&it, queue, user);
        try_path(&it, user, NULL);
        try_name(&it, user);
    }
    try_path(&it, group, NULL);
    try_path(&it, queue, NULL);
    try_path(&it, partition, NULL);
    return it.found;
}
