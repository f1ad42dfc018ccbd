/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * cut.h: of what a ledger calls back, what is carried out: guards and damping let leaves
 * keep slots (over.h), and claimants wait until they may claim.
 */
#ifndef ALLOT_ENGINE_RECLAIM_CUT_H
#define ALLOT_ENGINE_RECLAIM_CUT_H

#include "engine/ownership/ledger.h"

/* Takes back recalls that are not to be carried out. Once; received and work->kept are known. */
void allot__ledger_cut(allot__work *work);

#endif
