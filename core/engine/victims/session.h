/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * session.h: a leaf's quota divided among its sessions, one level further down the tree.
 *
 * Rules, in this order:
 *  1. a session needs what it demands, or as much as its leaf demands where it does not say;
 *  2. the fills of its scheduling, the policy's or these, are poured from the leaf's quota, each up
 *     to need:
 *       proportional  by priority
 *       minimum       by minimum up to minimum, then by priority
 *       priority      highest priority first, then the first created, then as the state lists
 *                     them: each gets all it needs before the next gets any (5.6)
 *  3. whole slots: floors, and those lost go one each to sessions with a fraction, by priority
 *     (highest first), then by creation (first first), then in the order of the state.
 */
#ifndef ALLOT_ENGINE_VICTIMS_SESSION_H
#define ALLOT_ENGINE_VICTIMS_SESSION_H

#include "engine/rows/rowset.h"

/* Writes session_need and session_quota of the group's sessions, quotas being known. Nothing where
 * those are NULL. ENOMEM, and what a policy's function fails with. */
int allot__sessions(allot__work *work);

#endif
