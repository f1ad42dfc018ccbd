/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* path.c: consumers by path, and paths by consumer. */
#include <string.h>

#include "base/near.h"
#include "model/plan/plan.h"

/* So many siblings at most are compared for a suggestion. */
enum { SIBLINGS_TRIED = 10000 };

static size_t component(const char *path, size_t len)
{
    const char *end = memchr(path, '/', len);
    return end ? (size_t)(end - path) : len;
}

int32_t allot_plan_find(const allot_plan *plan, const char *path, size_t len)
{
    if (!plan || !path || len == 0 || path[0] != '/')
        return ALLOT_ROOT;
    int32_t consumer = ALLOT_ROOT;
    for (size_t at = 1; at <= len;) {
        size_t part = component(path + at, len - at);
        consumer = allot__names_find(plan->names, consumer, path + at, part);
        if (consumer < 0)
            return ALLOT_ROOT;
        at += part + 1;
    }
    return consumer;
}

static size_t path_length(const allot__names *names, int32_t consumer)
{
    size_t total = 0, len;
    for (; consumer >= 0; consumer = names->entries[consumer].parent) {
        allot__names_at(names, consumer, &len);
        total += len + 1;
    }
    return total;
}

size_t allot_plan_path(const allot_plan *plan, int32_t consumer, char *buf, size_t size)
{
    if (!plan || consumer < 0 || consumer >= plan->names->count) {
        if (size > 0)
            buf[0] = '\0';
        return 0;
    }
    const allot__names *names = plan->names;
    size_t total = path_length(names, consumer), at = total;
    if (size > 0)
        buf[total < size ? total : size - 1] = '\0';
    for (; size > 1 && consumer >= 0; consumer = names->entries[consumer].parent) {
        size_t len;
        const char *name = allot__names_at(names, consumer, &len);
        at -= len + 1;
        if (at >= size - 1)
            continue;
        size_t room = size - 1 - at;
        buf[at] = '/';
        memcpy(buf + at + 1, name, len < room ? len : room - 1);
    }
    return total;
}

/* The child of that name, or else the one whose name is nearest, or ALLOT_ROOT. */
static int32_t nearest_child(const allot__names *names, int32_t parent, const char *name,
                             size_t len)
{
    int32_t nearest = allot__names_find(names, parent, name, len);
    if (nearest >= 0)
        return nearest;
    allot__near near = allot__near_begin(name, len);
    int32_t tried = 0;
    for (int32_t i = parent + 1; i < names->count && tried < SIBLINGS_TRIED; i++) {
        if (names->entries[i].parent != parent)
            continue;
        size_t sibling_len;
        const char *sibling = allot__names_at(names, i, &sibling_len);
        if (allot__near_try(&near, sibling, sibling_len))
            nearest = i;
        tried++;
    }
    return nearest;
}

size_t allot_plan_nearest(const allot_plan *plan, const char *path, size_t len, char *buf,
                          size_t size)
{
    int32_t consumer = ALLOT_ROOT;
    for (size_t at = 0; plan && path && at < len;) {
        size_t part = component(path + at, len - at);
        if (part > 0) {
            consumer = nearest_child(plan->names, consumer, path + at, part);
            if (consumer < 0)
                return 0;
        }
        at += part + 1;
    }
    return consumer < 0 ? 0 : allot_plan_path(plan, consumer, buf, size);
}
