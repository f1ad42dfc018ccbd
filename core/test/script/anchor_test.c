/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * anchor_test.c: policies whose functions take their own tables apart while they are read.
 *
 * What was read before must stay what it was: a sanitizer, or valgrind, sees a string that is read
 * after Lua has let go of it. Under a small memory cap Lua collects at any allocation.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/policy/policy.h"
#include "test/support/script_fixture.h"

static script_fixture it;

/* Every function wrecks all tables of the policy, those that it knows by draw; nothing but these
 * tables has their strings. */
static const char *const beginning =
    "local seed, hard = %d, %s\n"
    "local function draw(n) seed = (seed * 1103515245 + 12345) & 0x7fffffff; return seed %% n end\n"
    "local hold = {}\n"
    "local function churn()\n"
    "  for i = 1, 2500 do hold[i %% 40] = ('garbage%%d'):format(i) .. ('z'):rep(60) end\n"
    "end\n"
    "local function text(letter, i) return letter:rep(60) .. ('%%d'):format(i) end\n"
    "local P, seen\n"
    "local function wreck(t)\n"
    "  if seen[t] then return end\n"
    "  seen[t] = true\n"
    "  for key, value in pairs(t) do\n"
    "    local fate = draw(hard and 3 or 30)\n"
    "    if type(value) == 'table' then wreck(value) end\n"
    "    if fate == 0 and key ~= 'kind' then t[key] = nil\n"
    "    elseif fate == 1 and type(value) == 'string' and key ~= 'kind' and key ~= 'type' then\n"
    "      t[key] = text('x', draw(1000))\n"
    "    end\n"
    "  end\n"
    "end\n"
    "local function ruled(made)\n"
    "  return function ()\n"
    "    seen = {}\n"
    "    wreck(P)\n"
    "    churn()\n"
    "    return made()\n"
    "  end\n"
    "end\n";

/* As the words of the language make it: by hand, so that the core alone reads it. */
static const char *const by_hand =
    "local function declared(letter, kind)\n"
    "  local list = {}\n"
    "  for i = 1, 6 do\n"
    "    list[i] = { name = text(letter, i), type = kind, doc = text('d', i), default = 0 }\n"
    "  end\n"
    "  return list\n"
    "end\n"
    "local function guards()\n"
    "  local list = {}\n"
    "  for i = 1, 4 do\n"
    "    list[i] = { kind = 'guard', label = text('g', i), value = 'ran', min = 0, at = text('p', "
    "0) }\n"
    "  end\n"
    "  list[5] = { kind = 'guard', label = text('g', 5), tag = text('t', 5), max = 0 }\n"
    "  return list\n"
    "end\n"
    "local options = declared('o', 'integer')\n"
    "options[7] = { name = text('o', 7), type = 'string', values = { text('v', 1), text('v', 2) "
    "},\n"
    "  default = 0, max = 1 }\n"
    "P = { kind = 'policy', name = text('n', 1), attributes = declared('a', 'integer'),\n"
    "  task_attributes = declared('b', 'boolean'), options = options,\n"
    "  requirements = { { kind = 'requirement', name = text('r', 1),\n"
    "    test = function (gpu) return gpu == true end } },\n"
    "  victims = ruled(function () return { { key = text('b', 1) } } end),\n"
    "  guards = draw(2) == 0 and guards() or ruled(guards),\n"
    "  properties = ruled(function () return {} end) }\n"
    "if draw(3) > 0 then\n"
    "  P.quota = ruled(function () return { { kind = 'fill', label = text('f', 1),\n"
    "    by = text('a', 2), up_to = function (owned) return owned end } } end)\n"
    "  P.reclaim = ruled(function () return { kind = 'fill', by = 'over', at = text('p', 1) } "
    "end)\n"
    "  P.recall, P.shared = ruled(function () return 'first' end), ruled(function () end)\n"
    "  P.damping = ruled(function () return { dead_zone = 1 } end)\n"
    "else\n"
    "  P.attributes = {}\n"
    "  P.dispatch = ruled(function () return { { key = text('b', 2) } } end)\n"
    "  P.fewest = ruled(function () return 'mini_job' end)\n"
    "  P.lift = ruled(function () return { 'user_jlp' } end)\n"
    "  P.job_types = ruled(function () return { 'backfill' } end)\n"
    "  P.preempts = { kind = 'relation', { kind = 'test', at = text('p', 2),\n"
    "    test = function (high, low) return high.priority > low.priority end } }\n"
    "end\n"
    "return P\n";

static const char *const by_words =
    "local function declared(letter, n)\n"
    "  local all = {}\n"
    "  for i = 1, n do all[text(letter, i)] = { type = 'integer', default = 1, doc = text('d', i) "
    "} "
    "end\n"
    "  return all\n"
    "end\n"
    "P = policy { name = text('n', 1), attributes = declared('a', 6), options = declared('o', 6),\n"
    "  quota = ruled(function () return { fill 'all' { by = text('a', 1) } } end),\n"
    "  guards = ruled(function () return { min_run_time(3), guard(text('g', 1)) {\n"
    "    value = 'ran', min = 1 } } end),\n"
    "  victims = ruled(function () return order { 'ran' } end),\n"
    "  damping = ruled(function () return { dead_zone = 1 } end) }\n"
    "return P\n";

static bool all_of(const char *text, char letter)
{
    return strspn(text, (const char[]){letter, '\0'}) == 60 && strlen(text) <= 64;
}

/* What was declared before the first function ran is as it was. */
static void check_policy(void)
{
    CHECK(all_of(allot_policy_name(it.policy), 'n'));
    for (int32_t i = 0; i < allot_policy_attributes(it.policy); i++)
        CHECK(all_of(allot_policy_attribute_at(it.policy, i)->name, 'a'));
}

typedef struct tally {
    int loaded, refused, starved;
} tally;

static void load(const char *rest, int seed, bool hard, int64_t memory, tally *out)
{
    char text[8192];
    int used = snprintf(text, sizeof text, beginning, seed, hard ? "true" : "false");
    snprintf(text + used, sizeof text - (size_t)used, "%s", rest);
    it.limits.memory = memory;
    int status = script_load(&it, text);
    out->loaded += status == ALLOT_OK;
    out->refused += status == ALLOT_EPOLICY;
    out->starved += status == ALLOT_EBUDGET;
    CHECK(status == ALLOT_OK || status == ALLOT_EPOLICY || status == ALLOT_EBUDGET);
    CHECK(status == ALLOT_OK || allot_report_count(it.report) > 0);
    if (status == ALLOT_OK)
        check_policy();
}

static int runs(void)
{
    const char *more = getenv("ALLOT_RUNS");
    return more && atoi(more) > 0 ? atoi(more) : 30;
}

static void what_was_read_stays(void)
{
    tally all = {0};
    script_begin(&it);
    for (int seed = 1; seed <= runs(); seed++) {
        load(by_hand, seed, seed % 2 == 0, 0, &all);
        load(by_words, seed, seed % 2 == 0, 0, &all);
    }
    printf("# %d loaded, %d refused\n", all.loaded, all.refused);
    CHECK(all.loaded > 0 && all.refused > 0);
    CHECK_EQ(all.starved, 0);
    script_end(&it);
}

/* The cap is anywhere below what a load takes that has no cap. */
static void at_the_cap_too(void)
{
    tally all = {0};
    allot_script_meter meter = {.memory = 0};
    script_begin(&it);
    for (int seed = 1; seed <= runs(); seed++) {
        const char *rest = seed % 2 ? by_hand : by_words;
        it.limits.meter = &meter;
        meter.memory = 0;
        load(rest, seed, seed % 3 == 0, 0, &(tally){0});
        it.limits.meter = NULL;
        for (int tenth = 5; tenth < 20; tenth += 3)
            load(rest, seed, seed % 3 == 0, meter.memory * tenth / 20, &all);
    }
    printf("# %d loaded, %d refused, %d starved\n", all.loaded, all.refused, all.starved);
    CHECK(all.loaded > 0 && all.starved > 0);
    script_end(&it);
}

int main(void)
{
    RUN(what_was_read_stays);
    RUN(at_the_cap_too);
    return check_done();
}
