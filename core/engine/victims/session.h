/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * session.h: a leaf's quota divided among its sessions, one level further down the tree.
 *
 * Rules, in this order:
 *  1. a session needs what it demands, or its leaf's demand if the session states none;
 *  2. the fills of its scheduling, the policy's or these, divide the leaf's quota, each up to need:
 *       proportional  by priority
 *       minimum       by minimum up to minimum, then by priority
 *       priority      highest priority first, then the first created, then as the state lists
 *                     them: each gets all it needs before the next gets any (5.6)
 *  3. whole slots: floors, and slots lost go one each to sessions with a fraction, by priority
 *     (highest first), then by creation (first first), then in the order of the state.
 */
#ifndef ALLOT_ENGINE_VICTIMS_SESSION_H
#define ALLOT_ENGINE_VICTIMS_SESSION_H

#include "engine/rows/rowset.h"

/* Writes session_need and session_quota of the group's sessions, once quotas are known; does
 * nothing if those are NULL. ENOMEM, or what a policy's function failed with. */
int allot__sessions(allot__work *work);

#endif
