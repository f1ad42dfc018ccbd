/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* loan.c: slots lent, as a state tells them. */
#include "model/jobs/queue.h"
#include "model/state/state.h"

int allot_state_loan(allot_state *state, const allot_loan *loan)
{
    if (!allot__state_changes(state) || !loan || loan->group < 0 ||
        loan->group >= state->plan->group_count || loan->lender == loan->borrower ||
        !allot__plan_leaf(state->plan, loan->lender) ||
        !allot__plan_leaf(state->plan, loan->borrower) || state->loans.count >= INT32_MAX - 1 ||
        allot__queue_count(state->plan) > 0)
        return ALLOT_EUSAGE;
    if (loan->slots < 0 || loan->slots > ALLOT_AMOUNT_MAX)
        return ALLOT_ERANGE;
    allot_loan *added = allot__push(state->engine, &state->loans, sizeof *added);
    if (!added)
        return ALLOT_ENOMEM;
    *added = *loan;
    return ALLOT_OK;
}

int allot_state_loans_end(allot_state *state)
{
    if (!allot__state_changes(state))
        return ALLOT_EUSAGE;
    state->loans.count = 0;
    return ALLOT_OK;
}

int32_t allot_state_loans(const allot_state *state)
{
    return state ? (int32_t)state->loans.count : 0;
}

const allot_loan *allot_state_loan_at(const allot_state *state, int32_t i)
{
    if (i < 0 || i >= allot_state_loans(state))
        return NULL;
    return (const allot_loan *)state->loans.items + i;
}
