/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * allot.h: who gets how many slots, and who gives them back.
 *
 * A plan (who owns what) and a state (what is demanded and held) go in, a decision comes out. This
 * header is pure: it needs no Lua, no JSON and no event loop. json.h reads and writes the three
 * documents, script.h loads a policy written in Lua.
 *
 * The library reads no clock (`now` is an input), does no I/O except opening policy files in
 * script.h's loader, has no globals of its own, and draws no random numbers. The same input gives
 * the same decision, bit by bit.
 *
 * Threads: an engine and everything made from it belong to one thread at a time. Different engines
 * share nothing and may run in different threads at once.
 *
 * Memory: everything goes through the engine's allocator, except what cJSON takes from malloc while
 * it reads documents. cJSON also writes an error pointer of the whole process, which the library
 * never reads (see json.h). The `_free` function of a noun frees what its `_new` function made;
 * every `_free` takes NULL. Free in reverse order of making: decision, state, plan, policy, report,
 * engine. A pointer that a getter returns is borrowed from the getter's object and lives as long as
 * that object, unless the getter says otherwise.
 *
 * Errors: a function returns ALLOT_OK (0) or a negative status, and has no effect when it fails:
 * `*out` is untouched. Functions that read whole documents also take a report, which collects a
 * diagnostic for every fault (NULL: no diagnostics, only the status).
 *
 * Units: slots are whole numbers 0 ... ALLOT_AMOUNT_MAX; times are Unix seconds; durations are
 * seconds. Rule numbers (C-4, H-6) are those of core/RULES.md.
 *
 * Not in this header = not API.
 */
#ifndef ALLOT_ALLOT_H
#define ALLOT_ALLOT_H

#include <allot/report.h>
#include <allot/policy.h>
#include <allot/plan.h>
#include <allot/queue.h>
#include <allot/state.h>
#include <allot/job.h>
#include <allot/decision.h>
#include <allot/dispatch.h>
#include <allot/lease.h>
#include <allot/members.h>
#include <allot/stated.h>
#include <allot/apply.h>
#include <allot/diff.h>

#endif
