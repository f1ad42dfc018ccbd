/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * outlook.h: whether quotas would hold what leaves want, without a cycle.
 *
 * An outlook knows what every leaf of a resource group demands, and what some leaves *claim*: the
 * part of its demand that a leaf's quota must hold. It answers whether a cycle's quotas would hold
 * all claims. Mostly the outlook adds up one family, or less, since it remembers refusals. If the
 * answer depends on which rows get the slots that fractions leave, the outlook computes the quotas.
 *
 * The answers are those of a group of its planned size, without windows, hosts and switches.
 */
#ifndef ALLOT_OUTLOOK_H
#define ALLOT_OUTLOOK_H

#include <allot/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct allot_outlook allot_outlook;

/* Makes an outlook of a sealed plan, which must outlive it; nobody demands anything. ENOENT: the
 * group's quotas do not follow from demands and the plan's columns alone, by fills that have no
 * order, raise no totals (C-15) and are rounded by rank, under one policy. EUSAGE, ENOMEM. */
ALLOT_API int allot_outlook_new(const allot_plan *plan, int32_t group, allot_outlook **out);
ALLOT_API void allot_outlook_free(allot_outlook *outlook);

/* Sets a leaf's demand, and the part of the demand that the leaf claims. EUSAGE: not a leaf;
 * ERANGE. */
ALLOT_API int allot_outlook_set(allot_outlook *outlook, int32_t consumer, int64_t demand,
                                int64_t claim);
/* Would quotas hold all claims? *held is 1 or 0. EUSAGE, ENOMEM. */
ALLOT_API int allot_outlook_all(allot_outlook *outlook, int32_t *held);
/* ... and if one leaf demanded and claimed `demand`? EUSAGE: also if that is less than its present
 * demand; ERANGE, ENOMEM. */
ALLOT_API int allot_outlook_one(allot_outlook *outlook, int32_t consumer, int64_t demand,
                                int32_t *held);
/* 1: quotas would hold all claims, and would still hold the others if any claims, with the demand
 * for them, were missing. 0: unknown. */
ALLOT_API int32_t allot_outlook_each(allot_outlook *outlook);

#ifdef __cplusplus
}
#endif

#endif
