/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_copy_lists.c: hosts, sessions, loans and reclaims in flight under another plan. */
#include "model/state/state_copy.h"

/* ---- Hosts, sessions, loans, flights --------------------------------------------------------- */

int allot__copy_hosts(const allot__copying *it)
{
    const allot__host *hosts = it->from->hosts.list.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < it->from->hosts.list.count && status == ALLOT_OK; i++) {
        const allot__host *host = &hosts[i];
        int32_t holder = ALLOT_ROOT;
        status = allot_state_host(it->to, host->name, host->slots, (allot_closed)host->closed);
        if (status == ALLOT_OK && host->load > 0)
            status = allot_state_host_load(it->to, host->name, host->load - 1);
        if (status == ALLOT_OK && host->exclusive_to > 0)
            status = allot__copy_consumer(it, host->exclusive_to - 1, &holder);
        if (status == ALLOT_OK && host->exclusive_to > 0)
            status = allot_state_host_exclusive(it->to, host->name, holder);
    }
    return status;
}

int allot__copy_sessions(const allot__copying *it)
{
    int status = ALLOT_OK;
    for (int32_t i = 0; i < allot_state_sessions(it->from) && status == ALLOT_OK; i++) {
        allot_session session = *allot_state_session_at(it->from, i);
        status = allot__copy_pair(it, &session.group, &session.consumer);
        if (status == ALLOT_OK)
            status = allot_state_session(it->to, &session);
    }
    return status;
}

int allot__copy_loans(const allot__copying *it)
{
    const allot_loan *loans = it->from->loans.items;
    int status = ALLOT_OK;
    for (size_t i = 0; i < it->from->loans.count && status == ALLOT_OK; i++) {
        allot_loan loan = loans[i];
        status = allot__copy_pair(it, &loan.group, &loan.lender);
        if (status == ALLOT_OK)
            status = allot__copy_consumer(it, loan.borrower, &loan.borrower);
        if (status == ALLOT_OK)
            status = allot_state_loan(it->to, &loan);
    }
    return status;
}

/* The lists of a flight, in blocks of their own. */
static int fill_flight(const allot__copying *it, const allot__flight *flight, allot_claim *claims,
                       const char **tasks)
{
    const allot_claim *from =
        allot__vector_from(&it->from->claims, (size_t)flight->first, sizeof *from);
    const allot__flight_task *named =
        allot__vector_from(&it->from->flight_tasks, (size_t)flight->first_task, sizeof *named);
    allot_in_flight copy = {.id = flight->id,
                            .group = flight->group,
                            .consumer = flight->consumer,
                            .slots = flight->slots,
                            .deadline = flight->deadline,
                            .claims = claims,
                            .claim_count = flight->count,
                            .tasks = tasks,
                            .task_count = flight->task_count,
                            .gone = flight->gone};
    int status = allot__copy_pair(it, &copy.group, &copy.consumer);
    for (int32_t i = 0; i < flight->count && status == ALLOT_OK; i++) {
        claims[i] = from[i];
        status = allot__copy_consumer(it, from[i].consumer, &claims[i].consumer);
    }
    for (int32_t i = 0; i < flight->task_count; i++)
        tasks[i] = named[i].id;
    return status == ALLOT_OK ? allot_state_in_flight(it->to, &copy) : status;
}

int allot__copy_flights(const allot__copying *it)
{
    const allot__flight *flights = it->from->flights.items;
    allot_engine *engine = it->to->engine;
    int status = ALLOT_OK;
    for (size_t i = 0; i < it->from->flights.count && status == ALLOT_OK; i++) {
        size_t claims = (size_t)flights[i].count, tasks = (size_t)flights[i].task_count;
        allot_claim *to = allot__new(engine, claims + 1, sizeof *to);
        const char **named = allot__new(engine, tasks + 1, sizeof *named);
        status = to && named ? fill_flight(it, &flights[i], to, named) : ALLOT_ENOMEM;
        allot__free(engine, to, claims + 1, sizeof *to);
        allot__free(engine, (void *)named, tasks + 1, sizeof *named);
    }
    return status;
}
