# SPDX-License-Identifier: MIT
# Copyright the allot authors
"""What the package uses of liballot. The compiler checks each declaration against the headers."""

import shlex
import subprocess

from cffi import FFI


def asked(option):
    """The words that pkg-config answers about liballot."""
    return shlex.split(subprocess.check_output(["pkg-config", option, "allot"], text=True))


DECLARATIONS = """
typedef struct allot_engine allot_engine;
typedef struct allot_report allot_report;
typedef struct allot_plan allot_plan;
typedef struct allot_state allot_state;
typedef struct allot_decision allot_decision;

const char *allot_version(void);
const char *allot_status_name(int status);
const char *allot_status_text(int status);

typedef struct allot_diagnostic {
    int severity;
    const char *code, *file;
    int32_t line, col;
    const char *path, *message, *hint, *source;
    ...;
} allot_diagnostic;
int allot_report_new(allot_engine *engine, allot_report **out);
void allot_report_free(allot_report *report);
int32_t allot_report_count(const allot_report *report);
const allot_diagnostic *allot_report_at(const allot_report *report, int32_t i);

typedef struct allot_policy_loader {
    const char *instead;
    ...;
} allot_policy_loader;
int allot_engine_new(void *alloc, void *ud, allot_engine **out);
void allot_engine_free(allot_engine *engine);
int allot_script_loader_new(allot_engine *engine, void *limits, allot_policy_loader *loader);
void allot_script_loader_free(allot_engine *engine, allot_policy_loader *loader);

int allot_plan_read(allot_engine *engine, const char *text, size_t len, const char *file,
    const allot_policy_loader *loader, allot_report *report, allot_plan **out);
void allot_plan_free(allot_plan *plan);
int32_t allot_plan_groups(const allot_plan *plan);
const char *allot_plan_group_name(const allot_plan *plan, int32_t group);
int32_t allot_plan_group_find(const allot_plan *plan, const char *name, size_t len);
int64_t allot_plan_group_slots(const allot_plan *plan, int32_t group);
int32_t allot_plan_find(const allot_plan *plan, const char *path, size_t len);
size_t allot_plan_nearest(const allot_plan *plan, const char *path, size_t len, char *buf,
    size_t size);
size_t allot_plan_path(const allot_plan *plan, int32_t consumer, char *buf, size_t size);
int32_t allot_plan_next(const allot_plan *plan, int32_t consumer);

typedef struct allot_task {
    const char *id;
    int32_t consumer, group;
    int64_t slots, started, submitted;
    const char *session, *host;
    int state;
    int64_t priority;
    ...;
} allot_task;
int allot_state_read(const allot_plan *plan, const char *text, size_t len, const char *file,
    allot_report *report, allot_state **out);
void allot_state_free(allot_state *state);
int allot_state_now(allot_state *state, int64_t now);
int64_t allot_state_now_get(const allot_state *state);
int allot_state_slots(allot_state *state, int32_t group, int64_t slots);
int allot_state_demand(allot_state *state, int32_t group, int32_t consumer, int64_t slots);
int allot_state_allocated(allot_state *state, int32_t group, int32_t consumer, int64_t slots);
int allot_state_task(allot_state *state, const allot_task *task);
int allot_state_task_end(allot_state *state, const char *id);
int32_t allot_state_tasks(const allot_state *state);
int allot_state_task_at(const allot_state *state, int32_t i, allot_task *out);
int allot_state_seal(allot_state *state, allot_report *report);
int allot_state_open(allot_state *state);

typedef struct allot_apply {
    int32_t starts;
    const char *task_ids, *reclaim_ids;
    ...;
} allot_apply;
int allot_state_apply(allot_state *state, const allot_decision *decision, const allot_apply *how);
int32_t allot_state_reclaims(const allot_state *state);
typedef struct allot_in_flight {
    const char *id;
    ...;
} allot_in_flight;
int allot_state_reclaim_at(const allot_state *state, int32_t i, allot_in_flight *out);
int allot_state_reclaim_return(allot_state *state, int32_t i, int32_t how);

int allot_cycle(const allot_plan *plan, const allot_state *state, allot_report *report,
    allot_decision **out);
void allot_decision_free(allot_decision *decision);

typedef struct allot_ratio {
    uint64_t num_high, num_low, den_high, den_low;
} allot_ratio;
typedef struct allot_verdict {
    int64_t demand, need, reserve;
    allot_ratio owned, exact;
    int64_t quota, allocated, in_flight, received, granted, held, over, deficit, earmarked,
        reclaimed, own_used, lent, borrowed, shared, planned;
    ...;
} allot_verdict;
int allot_decision_verdict(const allot_decision *decision, int32_t group, int32_t consumer,
    allot_verdict *out);

typedef struct allot_grant {
    int32_t group, consumer;
    int64_t slots;
    const int32_t *tasks;
    int32_t task_count;
    ...;
} allot_grant;
int32_t allot_decision_grants(const allot_decision *decision);
int allot_decision_grant(const allot_decision *decision, int32_t i, allot_grant *out);

typedef struct allot_claim {
    int32_t consumer;
    int64_t slots;
} allot_claim;
typedef struct allot_reclaim {
    int32_t group, consumer;
    int64_t slots, grace, deadline;
    const char *reason;
    const allot_claim *claims;
    int32_t claim_count;
    const int32_t *tasks;
    int32_t task_count;
    ...;
} allot_reclaim;
int32_t allot_decision_reclaims(const allot_decision *decision);
int allot_decision_reclaim(const allot_decision *decision, int32_t i, allot_reclaim *out);

typedef struct allot_kill {
    int32_t task;
    const char *reason;
    ...;
} allot_kill;
int32_t allot_decision_kills(const allot_decision *decision);
int allot_decision_kill(const allot_decision *decision, int32_t i, allot_kill *out);

typedef struct collected {
    char *text;
    size_t len;
    ...;
} collected;
void collected_free(collected *to);
int decision_text(const allot_decision *decision, const allot_report *warnings, collected *to);
int state_text(const allot_state *state, collected *to);
int explain_text(const allot_decision *decision, int32_t group, int32_t consumer, collected *to);
int explain_task_text(const allot_decision *decision, const char *id, collected *to);
"""

# The library calls back with pieces of text. Collecting them in C keeps Python, and so the freeing
# of other objects, out of its calls.
SOURCE = """
#include <stdlib.h>
#include <string.h>

#include <allot/json.h>
#include <allot/script.h>

typedef struct collected {
    char *text;
    size_t len, size;
    int failed;
} collected;

static void collected_free(collected *to) { free(to->text); }

static int add(void *ud, const char *text, size_t len)
{
    collected *to = ud;
    if (to->size - to->len < len) {
        size_t size = 2 * to->size + len;
        char *more = realloc(to->text, size);
        if (!more)
            return to->failed = 1;
        to->text = more;
        to->size = size;
    }
    memcpy(to->text + to->len, text, len);
    to->len += len;
    return 0;
}

static void add_line(void *ud, const char *text)
{
    if (!add(ud, text, strlen(text)))
        add(ud, "\\n", 1);
}

static int ended(int status, const collected *to) { return to->failed ? ALLOT_ENOMEM : status; }

static int decision_text(const allot_decision *decision, const allot_report *warnings,
    collected *to)
{
    return ended(allot_decision_write(decision, warnings, add, to), to);
}

static int state_text(const allot_state *state, collected *to)
{
    return ended(allot_state_write(state, add, to), to);
}

static int explain_text(const allot_decision *decision, int32_t group, int32_t consumer,
    collected *to)
{
    return ended(allot_explain(decision, group, consumer, add_line, to), to);
}

static int explain_task_text(const allot_decision *decision, const char *id, collected *to)
{
    return ended(allot_explain_task(decision, id, add_line, to), to);
}
"""

ffi = FFI()
ffi.cdef(DECLARATIONS)
ffi.set_source(
    "allot_engine._library",
    SOURCE,
    extra_compile_args=asked("--cflags"),
    extra_link_args=asked("--libs"),
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
