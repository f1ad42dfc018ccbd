/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* guard.c: changes that take many slots: compared with the live generation, they wait until they
 * are confirmed or dropped. */
#include "service/reload/reload.h"

#include <string.h>

#include "base/memory.h"
#include "service/wire/wire.h"

bool allot__guard_exceeds(int64_t most, int64_t taken)
{
    return most >= 0 && (taken < 0 || taken > most);
}

/* A rollback is asked for by its version, and a fall-back is urgent: neither waits. */
bool allot__guard_wants(const allot__reload *it)
{
    const allot__candidate *candidate = it->candidate;
    return candidate->dry || (it->service->config.most_change >= 0 && !candidate->back);
}

/* Runs on a thread. A dry run must come out; else what is not known counts as too much. */
int allot__guard_compare(allot__reload *it, const allot_state *state)
{
    allot__candidate *candidate = it->candidate;
    int status = state ? allot__candidate_compare(candidate, state) : ALLOT_EINVALID;
    if (!state && candidate->dry)
        allot_report_say(candidate->report, ALLOT_ERROR, "E-state",
                         "nothing can decide about the cluster as it is, so nothing is compared");
    if (status == ALLOT_OK || status == ALLOT_ENOMEM || candidate->dry)
        return status;
    candidate->found.taken = -1;
    return ALLOT_OK;
}

/* ---- Words ----------------------------------------------------------------------------------- */

void allot__guard_put(allot__text *out, const allot__reload *it, const allot__candidate *candidate)
{
    const allot__pair_found *found = &candidate->found;
    allot__text_member(out, "version", candidate->name);
    allot__text_member(out, "from", candidate->text ? "call" : "files");
    allot__text_number(out, "since", candidate->since);
    if (found->taken >= 0)
        allot__text_number(out, "reclaims", found->taken);
    allot__text_number(out, "most_change", it->service->config.most_change);
    allot__pair_put_kinds(out, found->kinds);
    allot__pair_put_quotas(out, found, "then");
}

void allot__guard_status(allot__text *out, const allot__reload *it)
{
    if (!it->held)
        return;
    allot__text_open(out, "waits", "{");
    allot__guard_put(out, it, it->held);
    allot__text_puts(out, "}");
}

static void log_held(const allot__reload *it, const char *message)
{
    const allot__candidate *held = it->held;
    const allot__log_field fields[] = {
        {.name = "version", .text = held->name},
        {.name = "reclaims", .number = held->found.taken},
        {.name = "most_change", .number = it->service->config.most_change},
        {.name = NULL}};
    allot__log(it->service, ALLOT_LOG_WARNING, message, fields);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void tell_feed(const allot__reload *it)
{
    allot__text params = {.engine = it->service->engine};
    allot__text_puts(&params, "{");
    allot__guard_put(&params, it, it->held);
    allot__text_puts(&params, "}");
    if (!params.failed)
        allot__feed_tell(it->service->feed, "change_waits", params.bytes, params.len);
    allot__text_free(&params);
}

bool allot__guard_holds(allot__reload *it)
{
    allot__candidate *candidate = it->candidate;
    if (!allot__guard_wants(it) ||
        !allot__guard_exceeds(it->service->config.most_change, candidate->found.taken))
        return false;
    allot__guard_end(it);
    allot__sample_states_clear(&it->trial);
    candidate->outcome = ALLOT__GUARDED;
    candidate->since = allot__service_now(it->service);
    it->held = candidate;
    if (!candidate->text)
        allot__reload_fail(it, NULL);
    log_held(it, "a change waits, since it would take more slots than allowed: `allot confirm` "
                 "shows, installs or drops it");
    tell_feed(it);
    allot__reload_finish(it);
    return true;
}

void allot__guard_end(allot__reload *it)
{
    allot__candidate *held = it->held;
    allot__sample_states none = {.count = 0};
    if (!held || held == it->candidate)
        return;
    it->held = NULL;
    allot__reload_let_go(it->service, held->generation, &none);
    held->generation = NULL;
    it->again = it->again || !held->text;
    allot__candidate_free(held);
}

/* ---- Confirmed ------------------------------------------------------------------------------- */

static void answer_unknown(allot__reload *it, const char *name)
{
    allot__error fault = {.code = ""};
    allot__reply *reply = it->answering;
    it->answering = NULL;
    if (it->held)
        allot__error_set(
            &fault, ALLOT_ENOENT, "E-version", "version", "`allot confirm` shows what waits",
            "the change \"%.64s\" does not wait any more: found %s", name, it->held->name);
    else
        allot__error_set(&fault, ALLOT_ENOENT, "E-version", "version", NULL, "no change waits");
    allot__rpc_fault(&reply->call, &fault);
    allot__reply_end(reply);
}

/* Files that changed meanwhile are tried afterwards. */
void allot__guard_confirm(allot__reload *it, const char *name)
{
    if (!it->held || strcmp(it->held->name, name) != 0) {
        answer_unknown(it, name);
        allot__reload_order_free(it);
        if (it->waiting)
            allot__reload_begin(it);
        else
            allot__reload_soon(it);
        return;
    }
    log_held(it, "the change is confirmed");
    it->candidate = it->held;
    it->held = NULL;
    it->candidate->outcome = ALLOT__MADE;
    it->again = true;
    allot__reload_order_free(it);
    allot__reload_write(it);
}

void allot__guard_drop(allot__reload *it)
{
    allot__candidate *held = it->held;
    log_held(it, "the change is dropped");
    if (held->text) {
        allot__guard_end(it);
        return;
    }
    allot__sample_states none = {.count = 0};
    it->held = NULL;
    allot__reload_let_go(it->service, held->generation, &none);
    held->generation = NULL;
    allot_report_say(held->report, ALLOT_ERROR, "E-dropped",
                     "the change was dropped by `confirm`; `reload` tries it again");
    allot__candidate_refuse(held, ALLOT_EUSAGE);
    allot__reload_fail(it, held);
}
