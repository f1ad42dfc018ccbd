/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queue.h: a queue as a consumer, in sentences. */
#ifndef ALLOT_ENGINE_EXPLAIN_QUEUE_H
#define ALLOT_ENGINE_EXPLAIN_QUEUE_H

#include "engine/jobs/slices.h"
#include "engine/explain/explain.h"

/* What the queue wants, has and gets; its pool and limits; the queues that it preempts, and those
 * that preempt it. ENOMEM. */
int allot__explain_queue(const allot__explanation *about, int32_t queue);
/* slices.c: its slice of a pool, step by step. ENOMEM. */
int allot__explain_slices(const allot__explanation *about, int32_t queue);
/* What it might use of its slice, where that is less. */
void allot__explain_may_use(const allot__explanation *about, const allot__cut *cut);

#endif
