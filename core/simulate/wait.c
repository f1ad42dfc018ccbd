/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wait.c: jobs of an account that wait: the highest priority first, then the first submitted. */
#include "simulate/sim.h"

int allot__touch(allot_simulation *sim, allot__account *account)
{
    sim->due = true;
    if (account->dirty)
        return ALLOT_OK;
    int32_t *added = allot__push(sim->engine, &sim->dirty, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = (int32_t)(account - sim->accounts);
    account->dirty = true;
    return ALLOT_OK;
}

/* Jobs number in the order of submission. */
static bool goes_before(const allot_simulation *sim, int32_t a, int32_t b)
{
    int32_t one = allot__job_of(sim, a)->priority, other = allot__job_of(sim, b)->priority;
    return one != other ? one > other : a < b;
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t kept = *a;
    *a = *b;
    *b = kept;
}

int allot__wait_put(allot_simulation *sim, allot__account *account, int32_t job)
{
    int32_t *added = allot__push(sim->engine, &account->waiting, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    int32_t *heap = account->waiting.items;
    size_t at = account->waiting.count - 1;
    *added = job;
    for (; at > 0 && goes_before(sim, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
    allot__job_of(sim, job)->queued = 1;
    account->rigid_waiting += allot__job_of(sim, job)->rigid;
    sim->rigid_waiting += allot__job_of(sim, job)->rigid;
    return ALLOT_OK;
}

int32_t allot__wait_first(const allot__account *account)
{
    return account->waiting.count > 0 ? *(const int32_t *)account->waiting.items : -1;
}

/* Takes out what lies at a place. */
static void drop_at(allot_simulation *sim, allot__account *account, size_t at)
{
    int32_t *heap = account->waiting.items;
    size_t count = --account->waiting.count;
    allot__job_of(sim, heap[at])->queued = 0;
    account->rigid_waiting -= allot__job_of(sim, heap[at])->rigid;
    sim->rigid_waiting -= allot__job_of(sim, heap[at])->rigid;
    heap[at] = heap[count];
    for (; at > 0 && goes_before(sim, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
    for (;;) {
        size_t first = at, child = 2 * at + 1;
        if (child < count && goes_before(sim, heap[child], heap[first]))
            first = child;
        if (child + 1 < count && goes_before(sim, heap[child + 1], heap[first]))
            first = child + 1;
        if (first == at)
            return;
        swap(&heap[at], &heap[first]);
        at = first;
    }
}

void allot__wait_drop(allot_simulation *sim, allot__account *account)
{
    drop_at(sim, account, 0);
}

void allot__wait_remove(allot_simulation *sim, allot__account *account, int32_t job)
{
    const int32_t *heap = account->waiting.items;
    size_t at = 0;
    while (heap[at] != job)
        at++;
    drop_at(sim, account, at);
}
