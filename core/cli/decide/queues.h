/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues.h: what verbs say of queues, jobs and contracts. */
#ifndef ALLOT_CLI_DECIDE_QUEUES_H
#define ALLOT_CLI_DECIDE_QUEUES_H

#include "cli/term/cli.h"

/* Queues, orders, jobs that wait, and contracts of a decision; nothing if the plan has none. */
void allot__cli_queues(const allot_decision *decision, allot__text *out, const allot__look *look);

/* What jobs hold of the plan's resources; nothing where it has none (resources.c). */
void allot__cli_resources(const allot_decision *decision, allot__text *out,
                          const allot__look *look);

/* "job 17 (queue short)", of a number in the state. */
void allot__cli_put_job(allot__text *out, const allot_decision *decision, int32_t number);
/* " on h1 (2), h2 (1)"; of one host without the number. */
void allot__cli_put_places(allot__text *out, const allot_place *places, int32_t count);

#endif
