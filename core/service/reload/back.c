/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* back.c: what decided before stands in for what fails, or was refused at the start. */
#include <stdio.h>
#include <string.h>

#include "service/reload/reload.h"

#include "base/memory.h"

/* ---- What failed ----------------------------------------------------------------------------- */

void allot__reload_drop_culprit(allot__reload *it)
{
    allot__candidate_free(it->culprit);
    it->culprit = NULL;
}

/* ---- What decided before --------------------------------------------------------------------- */

int allot__reload_make_back(allot__reload *it)
{
    allot_service *service = it->service;
    allot__candidate *candidate;
    int status =
        allot__candidate_new(service->config.plan, NULL, &service->config.limits, &candidate);
    if (status != ALLOT_OK)
        return status;
    candidate->forced = true;
    candidate->live = service->generation;
    candidate->cycle_limit = service->config.cycle_limit;
    candidate->back = service->before;
    it->candidate = candidate;
    return ALLOT_OK;
}

void allot__reload_tried(allot__reload *it, const allot__candidate *candidate)
{
    allot__sources_free(&it->tried);
    /* No memory: what is not known is looked at once more. */
    allot__sources_copy(&it->tried, &candidate->sources);
}

void allot__reload_forget(allot__reload *it)
{
    allot__candidate_free(it->failed);
    it->failed = NULL;
}

void allot__reload_went_back(allot__reload *it)
{
    allot_service *service = it->service;
    allot__reload_forget(it);
    it->failed = it->culprit;
    it->culprit = NULL;
    it->failed_at = allot__service_now(service);
    it->fell_back++;
    allot__reload_tried(it, it->failed);
    allot__log(service, ALLOT_LOG_ERROR,
               "cycles failed: what decided before decides again, until the files are others",
               NULL);
    allot__log_report(service, it->failed->report);
}

int allot__reload_take_start(allot__reload *it)
{
    allot_service *service = it->service;
    const char *instead = service->generation->texts->instead;
    it->instead = instead != NULL ? allot__copy(service->engine, instead, strlen(instead)) : NULL;
    if (instead && !it->instead)
        return ALLOT_ENOMEM;
    if (!service->refused)
        return ALLOT_OK;
    it->failed = service->refused;
    service->refused = NULL;
    it->failed_at = allot__service_now(service);
    it->refused++;
    allot__reload_tried(it, it->failed);
    allot__log(service, ALLOT_LOG_ERROR,
               "plan and policies on disk are refused: what decided last goes on deciding", NULL);
    allot__log_report(service, it->failed->report);
    return ALLOT_OK;
}

bool allot__reload_ails(const allot_service *service, char *buf, size_t size)
{
    const allot__reload *it = service->components.reload;
    const allot_diagnostic *first = NULL;
    if (!it || !it->failed || !it->failed->replaced)
        return false;
    const allot_report *report = it->failed->report;
    for (int32_t i = 0; i < allot_report_count(report) && !first; i++)
        if (allot_report_at(report, i)->severity == ALLOT_ERROR)
            first = allot_report_at(report, i);
    int used = snprintf(buf, size, "an earlier plan or policy decides, since that on disk failed");
    if (first && used > 0 && (size_t)used < size)
        snprintf(buf + used, size - (size_t)used, "; %.200s:%d: %.300s",
                 first->file != NULL ? first->file : service->config.plan, (int)first->line,
                 first->message);
    return true;
}
