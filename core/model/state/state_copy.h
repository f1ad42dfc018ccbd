/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* state_copy.h: a state while it is copied under another plan. */
#ifndef ALLOT_MODEL_STATE_STATE_COPY_H
#define ALLOT_MODEL_STATE_STATE_COPY_H

#include "model/state/state.h"

typedef struct allot__copying {
    const allot_state *from;
    allot_state *to;
    allot_report *report;
    int32_t *consumers, *groups,
        *attributes; /* by those of the one, those of the other; -1: none */
} allot__copying;

/* ENOENT: the other plan lacks what the state tells of, which the report says. */
int allot__copy_lacks(const allot__copying *it, const char *what, const char *name);
/* The other plan's consumer, also ALLOT_ROOT; its group and consumer, in place. ENOENT. */
int allot__copy_consumer(const allot__copying *it, int32_t consumer, int32_t *out);
int allot__copy_pair(const allot__copying *it, int32_t *group, int32_t *consumer);

/* Each of a kind. ENOENT, ENOMEM, or what the state's setters say. */
int allot__copy_hosts(const allot__copying *it);
int allot__copy_sessions(const allot__copying *it);
int allot__copy_loans(const allot__copying *it);
int allot__copy_flights(const allot__copying *it);
int allot__copy_tasks(const allot__copying *it);
int allot__copy_jobs(const allot__copying *it);
int allot__copy_leases(const allot__copying *it);

#endif
