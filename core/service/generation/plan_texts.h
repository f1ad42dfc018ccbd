/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan_texts.h: a generation as texts, from which it can be rebuilt without its files: those of the
 * live one, or a former one's in the store.
 */
#ifndef ALLOT_SERVICE_GENERATION_PLAN_TEXTS_H
#define ALLOT_SERVICE_GENERATION_PLAN_TEXTS_H

#include "service/store/store.h"
#include "service/generation/generation.h"

/* Reads the texts of these names from the store. ENOENT: the plan or a policy is missing. EIO
 * (report): one is damaged. ENOMEM. Blocks. */
int allot__plan_texts_store(allot_engine *engine, allot__store *store,
                            const allot__store_pair *names, allot_report *report,
                            allot__plan_texts **out);
/* Sets those texts as a generation's inputs; they must outlive `ask`. */
void allot__plan_texts_ask(const allot__plan_texts *texts, allot__generation_ask *ask);

/* Puts the texts of a generation in the store: its plan, its policies and their list. ENOMEM. */
int allot__plan_texts_keep(allot__store *store, const allot__generation *generation);
bool allot__plan_texts_is(const allot__store_pair *names, const allot__generation *generation);

#endif
