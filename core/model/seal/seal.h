/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * seal.h: sealing a plan: lays its groups out by rows, checks them, and makes its variants.
 */
#ifndef ALLOT_MODEL_SEAL_SEAL_H
#define ALLOT_MODEL_SEAL_SEAL_H

#include "model/plan/plan.h"

/* Lays out a group by the plan's tree; ENOMEM: nothing is laid out. */
int allot__layout_make(const allot_plan *plan, allot__group *group);
void allot__layout_free(const allot_plan *plan, allot__group *group);
int64_t allot__family_sum(const allot__tree *tree, int32_t family, const int32_t *column);
/* Checks a group that is laid out; reports every fault in plan order: EINVALID, ENOMEM. */
int allot__check_group(const allot_plan *plan, int32_t group, allot_report *report);

/* Gives newcomers the values of their wildcards; ENOMEM, with some given. */
int allot__wildcards_inherit(allot_plan *plan);
/* Checks the wildcards in a group that is laid out; EINVALID. */
int allot__check_wildcards(const allot_plan *plan, int32_t group, allot_report *report);

void allot__variants_free(allot_plan *plan);
/* Checks the groups of all variants of a base that is laid out; EINVALID, ENOMEM. */
int allot__variants_check(const allot_plan *plan, allot_report *report);

#endif
