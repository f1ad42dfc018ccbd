/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan_answer.h: a generation, for clients: what they need to decide as it does.
 */
#ifndef ALLOT_SERVICE_GENERATION_PLAN_ANSWER_H
#define ALLOT_SERVICE_GENERATION_PLAN_ANSWER_H

#include "service/generation/generation.h"

/* Adds {file, sha256, text, instead, policies: {name: text}}; `file` is the plan's name. */
void allot__plan_answer_put(const allot__generation *generation, const char *file,
                            allot__text *out);

#endif
