/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* life.h: shared by the files of a service's life: its start, entering events, keeping rows. */
#ifndef ALLOT_SERVICE_LIFE_H
#define ALLOT_SERVICE_LIFE_H

#include "service/instance/service.h"
#include "service/wire/rpc.h"

/* The rows of components.c and methods.c. */
extern const allot__component allot__components[];
extern const allot__method allot__methods[];

/* As allot__upcalls has them. */
int allot__service_enter(allot_service *service, allot__event *event, const char *params,
                         size_t len, int64_t *seq, int64_t *batch, allot__error *fault);
int allot__service_swap(allot_service *service, allot__generation *generation,
                        const allot_plan_map *ids, allot_report *report, allot__generation **old);

/* Opens the store, chooses the first generation, and brings its books to where the store ends. The
 * files' generation is chosen if it passes the checks of a reload; else the one that decided last
 * goes on, and `refused` says why. Errors as allot__service_load; the files' own where no
 * generation decided before. */
int allot__service_begin(allot_service *service, allot_report *report);
/* Stores the generation as the one that decides from now on. ENOMEM. */
int allot__service_keep(allot_service *service);
/* Writes a snapshot when enough has happened since the last one, or `now`. */
void allot__service_snapshot(allot_service *service, bool now);
/* Deletes rows that need not be kept: now and then, and after each snapshot. */
void allot__service_let_go(allot_service *service);

#endif
