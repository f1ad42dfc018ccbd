/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reload_back.c: what decided before stands in for what fails, or was refused at the start. */
#include <stdio.h>
#include <string.h>

#include "service/reload/reload.h"

static void pass_on(const allot_report *from, allot_report *to)
{
    for (int32_t i = 0; i < allot_report_count(from); i++)
        allot_report_add(to, allot_report_at(from, i));
}

/* ---- What failed ----------------------------------------------------------------------------- */

void allot__reload_drop_culprit(allot__reload *it)
{
    allot__attempt_free(it->culprit);
    it->culprit = NULL;
}

/* The version that decides, as an attempt that was refused. */
static int blame(allot__reload *it, int status, const allot_report *report)
{
    allot_service *service = it->service;
    allot__attempt *culprit;
    int made =
        allot__attempt_new(service->config.plan, it->instead, &service->config.limits, &culprit);
    if (made != ALLOT_OK)
        return made;
    pass_on(report, culprit->report);
    made = allot__sources_copy(&culprit->sources, &service->version->sources);
    if (made != ALLOT_OK) {
        allot__attempt_free(culprit);
        return made;
    }
    allot__attempt_refuse(culprit, status);
    culprit->replaced = true;
    it->culprit = culprit;
    return ALLOT_OK;
}

void allot__reload_back(allot_service *service, int status, const allot_report *report)
{
    allot__reload *it = service->parts.reload;
    if (!it || it->culprit || service->stopping)
        return;
    if (!service->before) {
        allot__log(service, ALLOT_LOG_ERROR,
                   "cycles go on failing, and it is not known what decided before", NULL);
        return;
    }
    /* Without memory the next cycle that fails asks once more. */
    if (blame(it, status, report) == ALLOT_OK && it->phase == ALLOT__RELOAD_IDLE)
        allot__reload_begin(it);
}

/* ---- What decided before --------------------------------------------------------------------- */

int allot__reload_make_back(allot__reload *it)
{
    allot_service *service = it->service;
    allot__attempt *attempt;
    int status = allot__attempt_new(service->config.plan, NULL, &service->config.limits, &attempt);
    if (status != ALLOT_OK)
        return status;
    attempt->forced = true;
    attempt->live = service->version;
    attempt->cycle_limit = service->config.cycle_limit;
    attempt->back = service->before;
    it->attempt = attempt;
    return ALLOT_OK;
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
    const char *instead = service->version->instead;
    it->instead =
        instead != NULL ? allot__sv_copy(service->engine, instead, strlen(instead)) : NULL;
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
    const allot__reload *it = service->parts.reload;
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
