/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* grow.c: a generation of the same texts with more newcomers: consumers for which a wildcard of the
 * plan stands, and which events name. */
#include "service/reload/reload.h"

/* What still lacks a newcomer asks again. */
void allot__grow_end(allot__reload *it)
{
    allot_service *service = it->service;
    allot__growing *all = it->growing;
    it->growing = NULL;
    allot_report_free(it->wanted);
    it->wanted = NULL;
    while (all) {
        allot__growing *first = all;
        all = first->next;
        first->grown(first);
    }
    service->up->released(service);
}

void allot__grow_refuse(allot__reload *it, allot_report *newcomers)
{
    allot_report_free(it->unwanted);
    it->unwanted = newcomers;
    allot__grow_end(it);
}

bool allot__grow_begin(allot__reload *it)
{
    allot_service *service = it->service;
    allot__candidate *candidate = NULL;
    allot_report *newcomers = it->wanted;
    it->wanted = NULL;
    int status = allot__candidate_new(service->config.plan, service->generation->texts->instead,
                                      &service->config.limits, &candidate);
    if (status == ALLOT_OK)
        status = allot__newcomers_add(candidate->engine, newcomers, &candidate->newcomers);
    if (status != ALLOT_OK) {
        allot__candidate_free(candidate);
        allot__grow_refuse(it, newcomers);
        return false;
    }
    allot_report_free(newcomers);
    candidate->live = service->generation;
    candidate->back = service->generation->texts;
    candidate->forced = candidate->grows = true;
    it->candidate = candidate;
    return true;
}
