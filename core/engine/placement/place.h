/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * place.h: grants on hosts.
 *
 * Stacked: one host is finished before the next, in plan order. Balanced: each slot is on the host
 * that has most free by then, ties in plan order. An exclusive consumer finishes its own hosts,
 * then takes empty ones; exclusive consumers and consumers with a requirement are placed before
 * others.
 *
 * A consumer is not granted slots that it cannot use since no host that serves it has them free;
 * others get them, as far as they can use them. Slots that are free on unknown hosts are granted
 * all the same to consumers that take any host, as unplaced.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_PLACE_H
#define ALLOT_ENGINE_PLACEMENT_PLACE_H

#include "engine/hosts/hosts.h"

/* Distributes. */
int allot__place(allot__work *work);
/* Then, where hosts are known, finds hosts for what is granted. */
int allot__place_grants(allot__work *work);

/* Slots that a leaf lacks and that are idle, but on no host that serves it. */
int64_t allot__barred(const allot__work *work, int32_t row);

#endif
