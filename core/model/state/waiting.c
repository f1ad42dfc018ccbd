/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* waiting.c: things of leaves, leaf by leaf; a state's tasks that wait, in the order in which they
 * start. */
#include <string.h>

#include "model/state/state.h"

void allot__by_leaf(const int32_t *leaf, size_t n, size_t leaves, int32_t *first, int32_t *order)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (leaf[i] >= 0)
            first[leaf[i]]++;
    for (size_t c = 0; c <= leaves; c++) {
        int32_t own = first[c];
        first[c] = sum;
        sum += own;
    }
    for (size_t i = 0; i < n; i++)
        if (leaf[i] >= 0)
            order[first[leaf[i]]++] = (int32_t)i;
    memmove(first + 1, first, leaves * sizeof *first); /* each is now where the next begins */
    first[0] = 0;
}

bool allot__task_starts_before(const allot__tasks *tasks, int32_t a, int32_t b)
{
    const allot__task *one = allot__task_at(tasks, a);
    const allot__task *other = allot__task_at(tasks, b);
    if (one->priority != other->priority)
        return one->priority > other->priority;
    if (one->submitted != other->submitted)
        return one->submitted < other->submitted;
    return strcmp(one->thing.id, other->thing.id) < 0;
}

static void sink(const allot__tasks *tasks, int32_t *heap, int32_t count, int32_t i)
{
    for (;;) {
        int32_t last = i;
        for (int32_t k = 2 * i + 1; k <= 2 * i + 2 && k < count; k++)
            if (allot__task_starts_before(tasks, heap[last], heap[k]))
                last = k;
        if (last == i)
            return;
        int32_t number = heap[i];
        heap[i] = heap[last];
        heap[last] = number;
        i = last;
    }
}

/* Sorts the tasks of a leaf; mostly they come in order. */
static void sort(const allot__tasks *tasks, int32_t *list, int32_t count)
{
    int32_t sorted = 1;
    while (sorted < count && !allot__task_starts_before(tasks, list[sorted], list[sorted - 1]))
        sorted++;
    if (sorted >= count)
        return;
    for (int32_t i = count / 2; i > 0; i--)
        sink(tasks, list, count, i - 1);
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t last = list[0];
        list[0] = list[i];
        list[i] = last;
        sink(tasks, list, i, 0);
    }
}

int allot__waiting_make(allot_state *state, int32_t group, const int32_t *leaf)
{
    allot__tasks *tasks = &state->tasks;
    allot__waiting *out = &tasks->waiting[group];
    size_t count = allot__task_count(tasks), leaves = (size_t)state->plan->tree.rows;
    for (size_t i = 0; i < count; i++)
        out->count += leaf[i] >= 0;
    if (out->count == 0)
        return ALLOT_OK;
    out->first = allot__new(state->engine, leaves + 1, sizeof *out->first);
    out->tasks = allot__new(state->engine, (size_t)out->count, sizeof *out->tasks);
    if (!out->first || !out->tasks)
        return ALLOT_ENOMEM;
    allot__by_leaf(leaf, count, leaves, out->first, out->tasks);
    for (size_t i = 0; i < leaves; i++)
        sort(tasks, out->tasks + out->first[i], out->first[i + 1] - out->first[i]);
    return ALLOT_OK;
}

void allot__waiting_free(allot_state *state, int32_t group)
{
    allot__waiting *it = &state->tasks.waiting[group];
    size_t leaves = (size_t)state->plan->tree.rows + 1;
    allot__free(state->engine, it->first, leaves, sizeof *it->first);
    allot__free(state->engine, it->tasks, (size_t)it->count, sizeof *it->tasks);
    *it = (allot__waiting){0};
}

bool allot__units_wide(const allot_state *state, int32_t group, int32_t consumer)
{
    const allot__units *units = &state->tasks.units[group];
    for (int32_t i = units->first ? units->first[consumer] : 0;
         units->first && i < units->first[consumer + 1]; i++) {
        int32_t count;
        const int32_t *tasks = allot__unit_tasks(units, i, &count);
        if (units->slots[i] > 1 || allot__task_at(&state->tasks, tasks[0])->part > 0)
            return true;
    }
    return false;
}
