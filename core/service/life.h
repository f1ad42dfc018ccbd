/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* life.h: what the files of a service's life share: how it begins, and what it enters and keeps. */
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

/* Opens the store, finds the generation to begin with, and brings the books under it to where the
 * store ends: that of the files, if it may take over from the one that decided last as one that is
 * reloaded may; else that one, and `refused` says why. As allot__service_load, and of files that
 * may not while nothing decided before. */
int allot__service_begin(allot_service *service, allot_report *report);
/* Puts the generation in the store as the one that decides from now on. ENOMEM. */
int allot__service_keep(allot_service *service);
/* Brings the books to where the store ends. EIO, EINVALID (report), ENOMEM. */
int allot__service_load(allot_service *service, allot_report *report);
/* Writes a snapshot when enough has happened since the last one, or `now`. */
void allot__service_snapshot(allot_service *service, bool now);
/* Lets rows go that need not be kept: once in a while, and behind each snapshot. */
void allot__service_let_go(allot_service *service);

#endif
