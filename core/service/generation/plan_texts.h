/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan_texts.h: a generation of the plan as texts, from which it can be made again whatever has
 * become of its files: those of one that decides, or what the store has kept of one that did.
 */
#ifndef ALLOT_SERVICE_GENERATION_PLAN_TEXTS_H
#define ALLOT_SERVICE_GENERATION_PLAN_TEXTS_H

#include "service/store/store.h"
#include "service/generation/generation.h"

/* What the store has under these names. ENOENT: it lacks the plan, or some policy. EIO (report):
 * one is damaged. ENOMEM. Blocks. */
int allot__plan_texts_store(allot_engine *engine, allot__store *store,
                            const allot__store_pair *names, allot_report *report,
                            allot__plan_texts **out);
/* Says of what a generation is to be made that it is from those texts, which must outlive it. */
void allot__plan_texts_ask(const allot__plan_texts *texts, allot__generation_ask *ask);

/* Puts the texts of a generation in the store: its plan, its policies and their list. ENOMEM. */
int allot__plan_texts_keep(allot__store *store, const allot__generation *generation);
bool allot__plan_texts_is(const allot__store_pair *names, const allot__generation *generation);

#endif
