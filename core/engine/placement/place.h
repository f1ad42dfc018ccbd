/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * place.h: grants on hosts.
 *
 * Stacked: one host is finished before the next, in plan order. Balanced: each slot is on the host
 * that has most free by then, ties in plan order. An exclusive consumer finishes its own hosts,
 * then takes empty ones; it and whoever requires something of hosts are placed before others.
 *
 * What a consumer cannot use, since no host that serves it has it free, it is not granted: others
 * are, as far as they can. Slots that are free on hosts which nobody knows are granted all the same
 * to those who take any host, and told as unplaced.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_PLACE_H
#define ALLOT_ENGINE_PLACEMENT_PLACE_H

#include "engine/hosts/hosts.h"

/* Distributes, and places what is granted. Without hosts it only distributes. */
int allot__place(allot__work *work);

/* Slots that a leaf lacks and that are idle, but on no host that serves it. */
int64_t allot__barred(const allot__work *work, int32_t row);

#endif
