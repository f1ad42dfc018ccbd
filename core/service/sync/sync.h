/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sync.h: the call `sync`: the whole truth of a source at once.
 *
 * A thread reads it (truth.h). Then, while nobody else changes the books (instance/hold.h), it is
 * laid beside them slice by slice, and what differs is entered as ordinary events, all of which go
 * to the store in one batch: after a crash all are there or none. A cycle decides, and the answer
 * is its decision.
 */
#ifndef ALLOT_SERVICE_SYNC_SYNC_H
#define ALLOT_SERVICE_SYNC_SYNC_H

#include "service/wire/rpc.h"

/* The method; and a request that is too long for a line of others, whose buffer it takes. */
void allot__sync_call(allot__request *call);
void allot__sync_line(allot__request *call, allot__text *line);
/* The component: how often, how many rows were left out, and how long the loop was busy with the
 * last one: in all, and at a time. */
void allot__sync_status(allot_service *service, allot__text *out);

#endif
