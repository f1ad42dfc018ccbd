/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * joint.h: quotas within what hosts of their kind hold together (H-17).
 *
 * For any set of leaves that require something of hosts, or have hosts alone, or are given hosts:
 * their quotas together are within the slots of all hosts that are open to any of them. If the
 * group's size would give them more, slots are divided as if one after another: at the size at
 * which the hosts are used up these leaves stay as they are, and the other leaves go on. So leaves
 * that compete for the same hosts share them by the policy's own rules, and other leaves get what
 * they cannot use.
 */
#ifndef ALLOT_ENGINE_HOSTS_JOINT_H
#define ALLOT_ENGINE_HOSTS_JOINT_H

#include "engine/hosts/match.h"

/* After need and quota, where hosts differ: lowers limits, and then computes need and quota anew,
 * until quotas fit. ENOMEM, or what a policy's function failed with. */
int allot__joint(allot__work *work);

#endif
