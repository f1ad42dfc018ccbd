/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * quota.h: what each consumer is entitled to, top-down (C-3, C-4).
 *
 * In each family the policy's fills divide the parent's quota, one after another, until slots run
 * out; then exact shares become whole slots, a parent's before those of its children.
 */
#ifndef ALLOT_ENGINE_QUOTA_QUOTA_H
#define ALLOT_ENGINE_QUOTA_QUOTA_H

#include "engine/rows/work.h"

/* Writes quota and, by family, critical. ENOMEM, or what a policy's function failed with. */
int allot__quota(allot__work *work);

/* The same by the plain implementation; for tests. */
int allot__quota_exact(allot__work *work);

#endif
