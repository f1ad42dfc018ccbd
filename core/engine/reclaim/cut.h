/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * cut.h: cuts a ledger's recalls: guards and damping let leaves keep slots (over.h), and claimants
 * wait until they may claim.
 */
#ifndef ALLOT_ENGINE_RECLAIM_CUT_H
#define ALLOT_ENGINE_RECLAIM_CUT_H

#include "engine/ownership/ledger.h"

/* Takes such recalls back. To be called once, after received and work->kept are known. */
void allot__ledger_cut(allot__work *work);

#endif
