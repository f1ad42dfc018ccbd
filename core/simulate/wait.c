/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* wait.c: jobs of an account that wait: the highest priority first, then the first submitted. */
#include <string.h>

#include "simulate/sim.h"

int allot__touch(allot_simulation *sim, allot__account *account)
{
    sim->due = account->stale = true;
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

static int32_t *waiting_of(const allot__account *account)
{
    return (int32_t *)account->waiting.items + account->gone;
}

/* How many of those that wait go before a job. */
static size_t place_of(const allot_simulation *sim, const allot__account *account, int32_t job)
{
    const int32_t *list = waiting_of(account);
    size_t low = 0, high = allot__waits(account);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (goes_before(sim, list[middle], job))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int allot__wait_put(allot_simulation *sim, allot__account *account, int32_t job)
{
    size_t at = place_of(sim, account, job), behind = allot__waits(account) - at;
    if (!allot__push(sim->engine, &account->waiting, sizeof job))
        return ALLOT_ENOMEM;
    int32_t *list = waiting_of(account);
    memmove(list + at + 1, list + at, behind * sizeof *list);
    list[at] = job;
    allot__job_of(sim, job)->queued = 1;
    return ALLOT_OK;
}

int32_t allot__wait_at(const allot__account *account, size_t i)
{
    return i < allot__waits(account) ? waiting_of(account)[i] : -1;
}

void allot__wait_remove(allot_simulation *sim, allot__account *account, int32_t job)
{
    size_t at = place_of(sim, account, job), behind = allot__waits(account) - 1 - at;
    int32_t *list = waiting_of(account);
    allot__job_of(sim, job)->queued = 0;
    if (at > 0) {
        memmove(list + at, list + at + 1, behind * sizeof *list);
        account->waiting.count--;
    } else if (++account->gone > account->waiting.count / 2) {
        memmove(account->waiting.items, list + 1, behind * sizeof *list);
        account->waiting.count = behind;
        account->gone = 0;
    }
}
