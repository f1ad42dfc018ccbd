/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * sync.h: the call `sync`, which states the whole truth of a source at once.
 *
 * A thread reads the truth (truth.h). While the call holds the books (instance/hold.h), the truth
 * is compared with them slice by slice; differences are entered as ordinary events, which go to the
 * store in one batch: after a crash all are there or none. Then a cycle decides, and the answer has
 * its decision.
 */
#ifndef ALLOT_SERVICE_SYNC_SYNC_H
#define ALLOT_SERVICE_SYNC_SYNC_H

#include "service/wire/rpc.h"

/* The method; and the same for a request longer than other lines, whose buffer it takes. */
void allot__sync_call(allot__request *call);
void allot__sync_line(allot__request *call, allot__text *line);
/* The component: numbers of calls and of dropped rows, and how long the last call kept the loop
 * busy, in all and at most in one turn. */
void allot__sync_status(allot_service *service, allot__text *out);

#endif
