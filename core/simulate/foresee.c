/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * foresee.c: outlooks of a simulation's groups: they tell most of what rigid.c would ask a cycle.
 */
#include "simulate/sim.h"

static int make(allot_simulation *sim)
{
    int status = ALLOT_OK;
    sim->outlooks_known = true;
    if (sim->varies || sim->hosted || sim->options.always_cycles)
        return ALLOT_OK;
    sim->outlooks = allot__new(sim->engine, (size_t)sim->groups, sizeof(allot_outlook *));
    if (!sim->outlooks)
        return ALLOT_ENOMEM;
    for (int32_t i = 0; i < sim->groups && status == ALLOT_OK; i++)
        status = allot_outlook_new(sim->plan, i, &sim->outlooks[i]);
    if (status != ALLOT_OK)
        allot__foresee_free(sim);
    return status == ALLOT_ENOENT ? ALLOT_OK : status;
}

void allot__foresee_free(allot_simulation *sim)
{
    for (int32_t i = 0; sim->outlooks && i < sim->groups; i++)
        allot_outlook_free(sim->outlooks[i]);
    allot__free(sim->engine, sim->outlooks, (size_t)sim->groups, sizeof(allot_outlook *));
    sim->outlooks = NULL;
}

int allot__foresee_begin(allot_simulation *sim)
{
    return sim->outlooks_known ? ALLOT_OK : make(sim);
}

void allot__foresee_account(allot_simulation *sim, const allot__account *account, bool kind)
{
    int64_t claim = kind ? account->running : 0;
    if (!account->leaf)
        return;
    if (account->rigid_waiting > 0 && account->asks)
        claim = account->running + allot__job_of(sim, allot__wait_first(account))->slots;
    allot_outlook_set(sim->outlooks[account->group], account->consumer,
                      allot__demand_of(sim, account),
                      claim < ALLOT_AMOUNT_MAX ? claim : ALLOT_AMOUNT_MAX);
}

void allot__foresee_sums(allot_simulation *sim, bool kind)
{
    for (int32_t c = 0; c < sim->groups * sim->consumers; c++)
        allot__foresee_account(sim, &sim->accounts[c], kind);
}

int allot__foresee_all(allot_simulation *sim, bool *hold)
{
    int32_t held = 1;
    int status = ALLOT_OK;
    for (int32_t i = 0; i < sim->groups && held && status == ALLOT_OK; i++)
        status = allot_outlook_all(sim->outlooks[i], &held);
    *hold = held != 0;
    return status;
}

bool allot__foresee_each(allot_simulation *sim)
{
    bool hold = true;
    for (int32_t i = 0; i < sim->groups && hold; i++)
        hold = allot_outlook_each(sim->outlooks[i]) != 0;
    return hold;
}

int allot__foresee_one(allot_simulation *sim, const allot__account *account, int64_t slots,
                       bool *hold)
{
    int32_t held = 0;
    int status = allot_outlook_one(sim->outlooks[account->group], account->consumer,
                                   account->running + slots, &held);
    *hold = held != 0;
    return status;
}
