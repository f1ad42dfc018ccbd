/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * joint.h: quotas within what hosts of their kind hold together (H-17).
 *
 * Whatever leaves are taken that require something of hosts, have hosts alone or are given some:
 * their quotas together are within the slots of all hosts that are open to any of them. Where the
 * group's size would give them more, it is as if slots were divided one after another: at the size
 * at which hosts are used up these leaves stay as they are, and the others go on. So who competes
 * for the same hosts shares them by the policy's own rules, and what they cannot use is the
 * others'.
 */
#ifndef ALLOT_ENGINE_HOSTS_JOINT_H
#define ALLOT_ENGINE_HOSTS_JOINT_H

#include "engine/hosts/match.h"

/* After need and quota, where hosts differ: lowers limits, and then computes need and quota anew,
 * until quotas fit. ENOMEM, or what a policy's function failed with. */
int allot__joint(allot__work *work);

#endif
