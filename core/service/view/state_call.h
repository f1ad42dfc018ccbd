/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * state_call.h: the method `state`: all that the service knows of the cluster, as a state document,
 * by which a client can decide what the service would.
 *
 * A large state is written piece by piece, between other work of the loop, as long as the state
 * stays as it is. The rest is written at once when an event or a cycle is about to change the
 * state.
 */
#ifndef ALLOT_SERVICE_VIEW_STATE_CALL_H
#define ALLOT_SERVICE_VIEW_STATE_CALL_H

#include "service/instance/service.h"
#include "service/wire/rpc.h"

/* The component, and its method: state {plan}. */
int allot__state_call_start(allot_service *service, allot_report *report);
void allot__state_call_stop(allot_service *service);
void allot__state_call_free(allot_service *service);
void allot__state_call(allot__request *call);

#endif
