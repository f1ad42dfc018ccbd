/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * outlook.h: whether quotas would hold what leaves want, without a cycle.
 *
 * An outlook knows what every leaf of a resource group demands, and what some of them *claim*: so
 * many slots of their demand their quota is to hold. Whether a cycle's quotas would hold all claims
 * it mostly tells by adding up a family, or less, since it remembers what was refused before; where
 * that leaves it open, since slots are whole and somebody gets what fractions leave, it computes
 * the quotas.
 *
 * All that is meant of a group that has its planned size, without windows, hosts and switches.
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

/* From now on a leaf demands so much and claims so much of it, 0: nothing. EUSAGE: not a leaf;
 * ERANGE. */
ALLOT_API int allot_outlook_set(allot_outlook *outlook, int32_t consumer, int64_t demand,
                                int64_t claim);
/* Would quotas hold all claims? *held is 1 or 0. EUSAGE, ENOMEM. */
ALLOT_API int allot_outlook_all(allot_outlook *outlook, int32_t *held);
/* ... and if besides a leaf demanded and claimed so much? EUSAGE: also if that is less than it
 * demands; ERANGE, ENOMEM. */
ALLOT_API int allot_outlook_one(allot_outlook *outlook, int32_t consumer, int64_t demand,
                                int32_t *held);
/* Would they hold all claims, and also, whichever of these were not there nor the demand for them,
 * the others? 0: it is not known. */
ALLOT_API int32_t allot_outlook_each(allot_outlook *outlook);

#ifdef __cplusplus
}
#endif

#endif
