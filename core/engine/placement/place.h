/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * place.h: puts grants on hosts.
 *
 * Stacked: each host is filled before the next, in plan order. Balanced: each slot goes to the host
 * with the most free slots by then, ties in plan order. An exclusive consumer fills its own hosts,
 * then takes empty ones; exclusive consumers and consumers with a requirement are placed before
 * others.
 *
 * A consumer is not granted slots that no host serving it has free; other consumers that can use
 * them get them. Free slots on unknown hosts are granted to consumers that take any host, as
 * unplaced.
 */
#ifndef ALLOT_ENGINE_PLACEMENT_PLACE_H
#define ALLOT_ENGINE_PLACEMENT_PLACE_H

#include "engine/hosts/hosts.h"

/* Distributes idle slots. */
int allot__place(allot__work *work);
/* Then, if hosts are known, finds hosts for the granted slots. */
int allot__place_grants(allot__work *work);

/* Slots that a leaf lacks although they are idle: no host that serves it has them. */
int64_t allot__barred(const allot__work *work, int32_t row);

#endif
