/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * joint.h: quotas within the slots that hosts offer leaves together (H-17).
 *
 * For any set of leaves that require something, are exclusive, or are given hosts, the sum of their
 * quotas is within the slots of all hosts open to any of them. If the group's size would give them
 * more, slots are divided as if the group grew slot by slot: at the size at which the hosts are
 * used up, quotas of these leaves stay, and those of other leaves grow on. So leaves that compete
 * for hosts share them by the policy's own rules, and other leaves get the slots that they cannot
 * use.
 */
#ifndef ALLOT_ENGINE_HOSTS_JOINT_H
#define ALLOT_ENGINE_HOSTS_JOINT_H

#include "engine/hosts/match.h"

/* After need and quota, if hosts differ: lowers limits and computes need and quota anew until
 * quotas fit. ENOMEM, or what a policy's function failed with. */
int allot__joint(allot__work *work);

#endif
