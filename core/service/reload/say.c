/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* say.c: results of reloads, for the log, callers, status and metrics. */
#include "service/reload/reload.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- Words ----------------------------------------------------------------------------------- */

/* The first error of a report. */
static const allot_diagnostic *first_error(const allot_report *report)
{
    for (int32_t i = 0; i < allot_report_count(report); i++)
        if (allot_report_at(report, i)->severity == ALLOT_ERROR)
            return allot_report_at(report, i);
    return NULL;
}

void allot__reload_error(allot__text *out, const allot_report *report)
{
    const allot_diagnostic *it = first_error(report);
    if (!it)
        return;
    allot__text_member(out, "code", it->code);
    allot__text_member(out, "file", it->file);
    if (it->line > 0)
        allot__text_number(out, "line", it->line);
    if (it->col > 0)
        allot__text_number(out, "col", it->col);
    allot__text_member(out, "path", it->path);
    allot__text_member(out, "message", it->message);
    allot__text_member(out, "hint", it->hint);
}

/* The policies of the groups, and the files they and others were read from. */
static void put_policies(allot__text *out, const allot__generation *generation)
{
    allot__text_open(out, "policies", "[");
    for (int32_t i = 0; i < allot_plan_groups(generation->plan); i++) {
        const allot_policy *policy = allot_plan_group_policy(generation->plan, i);
        allot__text_key(out, NULL);
        allot__text_json(out, policy ? allot_policy_name(policy) : NULL);
    }
    allot__text_puts(out, "]");
    allot__text_open(out, "files", "[");
    for (size_t i = 0; i < generation->sources.count; i++) {
        allot__text_key(out, NULL);
        allot__text_json(out, generation->sources.items[i].path);
    }
    allot__text_puts(out, "]");
}

static void put_generation(allot__text *out, const allot__generation *generation)
{
    allot__text_member(out, "plan", generation->sha256);
    put_policies(out, generation);
}

static void put_numbers(allot__text *out, const allot__candidate *candidate)
{
    allot__text_number(out, "checked", candidate->checked);
    allot__text_number(out, "rehearsed", candidate->tried);
}

/* ---- The log --------------------------------------------------------------------------------- */

static void log_swap(const allot__reload *it, const allot__candidate *candidate)
{
    const allot__generation *live = it->service->generation;
    const allot__log_field fields[] = {
        {.name = "plan", .text = live->sha256},
        {.name = "policy", .text = live->texts->instead ? live->texts->instead : "as planned"},
        {.name = "checked", .number = candidate->checked},
        {.name = "rehearsed", .number = candidate->tried},
        {.name = "build_us", .number = candidate->build_us},
        {.name = "swap_us", .number = it->swap_us},
        {.name = "took_ms", .number = it->took_us / 1000},
        {.name = NULL}};
    allot__log(it->service, ALLOT_LOG_INFO, "reloaded", fields);
}

void allot__reload_log(const allot__reload *reload, const allot__candidate *candidate)
{
    if (candidate->outcome == ALLOT__MADE) {
        log_swap(reload, candidate);
    } else if (candidate->outcome == ALLOT__REFUSED) {
        allot__log(reload->service, ALLOT_LOG_ERROR,
                   "reload refused: what decided before goes on deciding", NULL);
        allot__log_report(reload->service, candidate->report);
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void answer_one(const allot__reload *reload, const allot__candidate *candidate,
                       allot__reply *reply)
{
    allot__request *call = &reply->call;
    /* Refused before, and unchanged. */
    const allot__candidate *bad =
        candidate != NULL && candidate->outcome == ALLOT__SAME ? reload->failed : candidate;
    if (!candidate) {
        allot__rpc_error(call, ALLOT__RPC_BUSY, "the service is stopping, or has no memory", NULL);
    } else if (bad && bad->outcome == ALLOT__REFUSED) {
        allot__rpc_report(call, bad->status, bad->report);
    } else {
        allot__text *out = allot__rpc_begin(call);
        bool swapped = candidate->outcome == ALLOT__MADE;
        allot__text_puts(out, "{");
        allot__text_member(out, "result", swapped ? "swapped" : "unchanged");
        put_generation(out, reload->service->generation);
        if (swapped)
            put_numbers(out, candidate);
        allot__text_puts(out, "}");
        allot__rpc_end(call);
    }
    allot__reply_end(reply);
}

void allot__reload_answer(allot__reload *reload, const allot__candidate *candidate)
{
    while (reload->answering) {
        allot__reply *it = reload->answering;
        reload->answering = it->next;
        answer_one(reload, candidate, it);
    }
}

/* ---- Health ---------------------------------------------------------------------------------- */

bool allot__reload_ails(const allot_service *service, char *buf, size_t size)
{
    const allot__reload *it = service->components.reload;
    if (!it->failed || !it->failed->replaced)
        return false;
    const allot_diagnostic *first = first_error(it->failed->report);
    int used = snprintf(buf, size, "an earlier plan or policy decides, since that on disk failed");
    if (first && used > 0 && (size_t)used < size)
        snprintf(buf + used, size - (size_t)used, "; %.200s:%d: %.300s",
                 first->file ? first->file : service->config.plan, (int)first->line,
                 first->message);
    return true;
}

/* ---- Status ---------------------------------------------------------------------------------- */

static void put_failure(allot__text *out, const allot__reload *it)
{
    allot__text_open(out, "error", "{");
    allot__text_number(out, "at", it->failed_at);
    allot__reload_error(out, it->failed->report);
    allot__text_puts(out, "}");
}

static void put_totals(allot__text *out, const allot__reload *it)
{
    allot__text_open(out, "total", "{");
    allot__text_number(out, "swapped", it->swapped);
    allot__text_number(out, "refused", it->refused);
    allot__text_number(out, "unchanged", it->same);
    allot__text_number(out, "fell_back", it->fell_back);
    allot__text_puts(out, "}");
}

void allot__reload_status(allot_service *service, allot__text *out)
{
    static const char *const phases[] = {"idle", "building", "rehearsing", "settling", "writing"};
    const allot__reload *it = service->components.reload;
    const char *instead = service->generation->texts->instead;
    allot__text_open(out, "reload", "{");
    allot__text_member(out, "phase", phases[it->phase]);
    allot__text_open(out, "active", "{");
    put_generation(out, service->generation);
    allot__text_member(out, "promoted", instead);
    if (it->changed_at != 0)
        allot__text_number(out, "since", it->changed_at);
    allot__text_puts(out, "}");
    if (it->failed) {
        allot__text_bool(out, "stands_in", it->failed->replaced);
        put_failure(out, it);
    }
    put_totals(out, it);
    if (it->swapped > 0) {
        allot__text_number(out, "last_ms", it->took_us / 1000);
        allot__text_number(out, "last_swap_us", it->swap_us);
        allot__text_number(out, "last_rehearsed", it->rehearsed);
    }
    allot__text_number(out, "recorded", it->samples.count);
    allot__text_number(out, "watched", it->watch.folders);
    if (it->watch.lame)
        allot__text_bool(out, "polled_only", true);
    allot__text_puts(out, "}");
}
