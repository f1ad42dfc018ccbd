/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* policy_test.c: the policy language, what it makes, and what it says when it is misused. */
#include "model/policy/policy.h"
#include "test/support/script_fixture.h"

static script_fixture it;

/* ---- What a policy becomes ------------------------------------------------------------------- */

static void hybrid_is_four_fills(void)
{
    static const char *const labels[] = {"reserved", "owned", "borrowed", "spare"};
    size_t len;
    script_begin(&it);
    const char *text = allot_ready_policy_text("hybrid", &len);
    if (!CHECK(text) || !CHECK_EQ(script_load(&it, text), ALLOT_OK))
        return;
    CHECK_EQ(strlen(text), len);
    CHECK_STR(allot_policy_name(it.policy), "hybrid");
    CHECK_EQ(strlen(allot_policy_sha256(it.policy)), 64);
    CHECK_EQ(allot_policy_fills(it.policy), 4);
    for (int32_t i = 0; i < 4; i++)
        CHECK_STR(allot_policy_fill_label(it.policy, i), labels[i]);
    CHECK_EQ(it.policy->fills[1].up_to.value, ALLOT_OWNED);
    CHECK_EQ(it.policy->fills[2].up_to.kind, ALLOT_FROM_NEED);
    CHECK_EQ(it.policy->fills[3].by.kind, ALLOT_FROM_NUMBER);
    CHECK_EQ(it.policy->reclaim.keys[0].descending, 1);
    script_end(&it);
}

static void evenly_changes_the_fills(void)
{
    allot_use_option evenly = {.name = "evenly", .type = ALLOT_JSON_BOOLEAN, .integer = 1};
    script_begin(&it);
    CHECK_EQ(script_load_with(&it, allot_ready_policy_text("hybrid", NULL), &evenly, 1), ALLOT_OK);
    CHECK_EQ(allot_policy_fills(it.policy), 3);
    CHECK_EQ(it.policy->fills[1].up_to.value, ALLOT_CONFIGURED);
    CHECK_EQ(it.policy->fills[2].by.value, 1);
    script_end(&it);
}

static const char *const full =
    "return policy {\n"
    "  name = 'full', doc = 'all of it',\n"
    "  options = { top = { type = 'integer', default = 7, min = 1, max = 9 } },\n"
    "  attributes = {\n"
    "    zeal = { type = 'integer', min = -5, max = 5, default = -1, doc = 'how much' },\n"
    "    cap = { type = 'integer', default = none },\n"
    "    eager = { type = 'boolean', default = true },\n"
    "  },\n"
    "  quota = function (options)\n"
    "    return {\n"
    "      fill 'first' { by = function (share, cap) return share + cap end, up_to = options.top "
    "},\n"
    "      fill { by = 'share', up_to = 'cap', order = { desc 'zeal', 'rank' } },\n"
    "    }\n"
    "  end,\n"
    "  round = 'webster',\n"
    "  distribute = order { asc 'rank', desc(function (c) return c.quota end) },\n"
    "  reclaim = fill { order = order { desc 'over' }, by = 'over', up_to = 'over' },\n"
    "}\n";

static void everything_arrives(void)
{
    script_begin(&it);
    if (!CHECK_EQ(script_load(&it, full), ALLOT_OK)) {
        printf("# %s\n", script_finding(&it)->message);
        return;
    }
    CHECK_EQ(allot_policy_attributes(it.policy), 3); /* by name: cap, eager, zeal */
    CHECK_STR(allot_policy_attribute_at(it.policy, 0)->name, "cap");
    CHECK_EQ(allot_policy_attribute_at(it.policy, 0)->fallback, ALLOT_NONE);
    CHECK_EQ(allot_policy_attribute_at(it.policy, 1)->type, ALLOT_BOOLEAN);
    CHECK_EQ(allot_policy_attribute_at(it.policy, 1)->fallback, 1);
    CHECK_EQ(allot_policy_attribute_at(it.policy, 2)->min, -5);
    CHECK_STR(allot_policy_attribute_at(it.policy, 2)->doc, "how much");
    CHECK_STR(allot_policy_fill_label(it.policy, 0), "reserved"); /* put first by the core */
    CHECK_STR(allot_policy_fill_label(it.policy, 2), "fill2");
    const allot__fill *first = &it.policy->fills[1], *second = &it.policy->fills[2];
    CHECK_EQ(first->by.kind, ALLOT_FROM_FUNCTION);
    CHECK_EQ(first->up_to.value, 7);
    const allot__function *functions = it.policy->functions.items;
    CHECK_EQ(it.policy->functions.count, 2);
    CHECK_EQ(functions[0].columns[0], ALLOT_SHARE);
    CHECK_EQ(functions[0].columns[1], ALLOT_COLUMN_COUNT);
    CHECK_EQ(second->order.count, 2);
    CHECK_EQ(second->order.keys[0].descending, 1);
    CHECK_EQ(second->order.keys[0].source.value, ALLOT_COLUMN_COUNT + 2);
    CHECK_EQ(it.policy->rounding, ALLOT_ROUND_WEBSTER);
    CHECK_EQ(it.policy->distribute.count, 2);
    script_end(&it);
}

static void a_policy_can_require_allot(void)
{
    script_begin(&it);
    CHECK_EQ(script_load(&it, "local allot = require 'allot'\n"
                              "return allot.policy { name = 'x', quota = { allot.fill 'a' {} } }"),
             ALLOT_OK);
    script_end(&it);
}

/* ---- What is said of a bad one --------------------------------------------------------------- */

typedef struct bad {
    const char *text;
    int32_t line;
    const char *code, *message, *hint;
} bad;

#define IN(rest) "return policy { name = 'x',\n quota = { fill 'a' { by = 1 } },\n" rest "}"

static const bad bad_policies[] = {
    {"return {", 1, "E-policy-syntax", "unexpected symbol near <eof>", NULL},
    {"\n\nlocal x = = 1", 3, "E-policy-syntax", "unexpected symbol near '='", NULL},
    {"return 5", 1, "E-policy", "the file returns a number; it ends with return policy { ... }",
     NULL},
    {"return {}", 1, "E-policy", "what the file returns is no policy: make it with policy { ... }",
     NULL},
    {"\nreturn polcy {}", 2, "E-policy", "unknown name 'polcy'", "did you mean 'policy'?"},
    {"\nx = 1", 2, "E-policy", "assignment to global 'x'", "did you mean 'local x'?"},
    {"return policy {}", 1, "E-policy", "a policy needs a name", NULL},
    {"return policy { name = 'x', qota = {} }", 1, "E-policy", "unknown key of policy 'qota'",
     "did you mean 'quota'?"},
    {"return policy { name = 'x', quota = {} }", 1, "E-policy",
     "quota has 0 fills; 1 to 16 are allowed", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = 'ownd' } } }", 2, "E-policy",
     "unknown column 'ownd'; known are", "did you mean 'owned'?"},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = 'over' } } }", 2, "E-policy",
     "column 'over' is not known yet in quota", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = 2.5 } } }", 2, "E-policy",
     "by = 2.5, a float; whole numbers only", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = -1 } } }", 2, "E-policy",
     "by = -1; a number here is 0 to 1000000000", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { upto = 1 } } }", 2, "E-policy",
     "unknown key of fill 'upto'", "did you mean 'up_to'?"},
    {"return policy { name = 'x', quota = {\n fill 'a b' {} } }", 2, "E-policy",
     "a fill's label is a name (letters, digits, '_', '-'), not 'a b'", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' {},\n fill 'a' {} } }", 3, "E-policy",
     "two fills are called 'a'", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' } }", 1, "E-policy",
     "quota[1] is no fill: write fill \"label\" { by = ... }", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { order = { 5 } } } }", 2, "E-policy",
     "key 1 of an order is a number; a key is a column's name, a function, or one of these under "
     "desc",
     NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = function (ownd, share) end } } }", 2,
     "E-policy", "unknown column 'ownd'; known are", "did you mean 'owned'?"},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = function (owend) end } } }", 2,
     "E-policy", "unknown column (and too like one to name a row) 'owend'; known are allocated,",
     "did you mean 'owned'?"},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = function (over, share) end } } }", 2,
     "E-policy", "column 'over' is not known yet at this stage", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = function (...) end } } }", 2,
     "E-policy", "a function names the columns it reads; '...' names none", NULL},
    {"return policy { name = 'x', quota = {\n fill 'a' { by = math.max } } }", 2, "E-policy",
     "by is a function of the library; write one in Lua", NULL},
    {"return policy { name = 'x',\n quota = function (o)\n return { fill 'a' { by = 'lmit' } } end "
     "}",
     3, "E-policy", "unknown column 'lmit'", "did you mean 'limit'?"},
    {"return policy { name = 'x', options = { evenly = { type = 'boolean' } },\n"
     " quota = function (o)\n return { fill 'a' { by = o.evenl and 1 or 2 } } end }",
     3, "E-policy", "unknown option 'evenl'", "did you mean 'evenly'?"},
    {IN("round = 'websta'"), 3, "E-policy", "unknown rounding 'websta'", "did you mean 'webster'?"},
    {IN("distribute = { 'ranc' }"), 3, "E-policy", "unknown column 'ranc'", "did you mean 'rank'?"},
    {IN("distribute = { 'over' }"), 3, "E-policy", "column 'over' is not known yet in distribute",
     NULL},
    {IN("reclaim = fill { by = 'over', up_to = 'quota' }"), 3, "E-policy",
     "reclaim takes what is over; its up_to is \"over\" or left out", NULL},
    {IN("attributes = { owned = { type = 'integer' } }"), 3, "E-policy",
     "attribute 'owned' is a built-in column", NULL},
    {IN("attributes = { x = { type = 'int' } }"), 3, "E-policy",
     "attribute 'x': unknown type 'int'; known are integer, boolean", NULL},
    {IN("attributes = { x = { type = 'integer', min = 5, default = 2 } }"), 3, "E-policy",
     "attribute 'x': default is a whole number, 5 to 1000000000", NULL},
    {IN("options = { x = { type = 'integer', default = none } }"), 3, "E-policy",
     "option 'x': default is a whole number, 0 to 1000000000", NULL},
    {"error('no good')", 1, "E-policy", "no good", NULL},
    {"\nerror { message = 'no good' }", 2, "E-policy", "no good", NULL},
    {"\n\nlocal t = nil  print(t.x)", 3, "E-policy", "attempt to index a nil value (local 't')",
     NULL},
};

static void bad_policies_are_told_line_and_way_out(void)
{
    script_begin(&it);
    for (size_t i = 0; i < sizeof bad_policies / sizeof *bad_policies; i++) {
        const bad *row = &bad_policies[i];
        int passed = CHECK_EQ(script_load(&it, row->text), ALLOT_EPOLICY);
        const allot_diagnostic *found = script_finding(&it);
        passed &= CHECK_STR(found->code, row->code) &
                  CHECK_EQ(strncmp(found->message, row->message, strlen(row->message)), 0) &
                  CHECK_STR(found->hint, row->hint) & CHECK_EQ(found->line, row->line) &
                  CHECK_STR(found->file, "site/fair.lua");
        if (!passed)
            printf("#   in %s\n", row->text);
    }
    script_end(&it);
}

/* Lua shortens long names in its messages; a diagnostic does not. */
static void a_long_file_name_stays_whole(void)
{
    char name[200];
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    script_begin(&it);
    CHECK_EQ(allot_script_load(it.engine, "\nerror 'no'", 11, name, NULL, 0, NULL, it.report,
                               &it.policy),
             ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->file, name);
    CHECK_STR(script_finding(&it)->message, "no");
    CHECK_EQ(script_finding(&it)->line, 2);
    script_end(&it);
}

/* ---- Tables made by hand --------------------------------------------------------------------- */

#define HAND(rest)                                                                                 \
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1 } }" rest

static const char *const by_hand[] = {
    "return { kind = 'policy' }",
    "return { kind = 'policy', name = {}, quota = {} }",
    "return { kind = 'policy', name = 'h', quota = 5 }",
    "return { kind = 'policy', name = 'h', quota = { 5 } }",
    "return { kind = 'policy', name = 'h', quota = { {} } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill' } } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = {} } } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1 << 40 } } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1, at = {} } } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1, label = '!' } } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1, order = 5 } } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1, order = { 5 } } } }",
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1, order = { {} } } } }",
    "return { kind = 'policy', name = 'h', quota = function () return policy end }",
    "return { kind = 'policy', name = ('x'):rep(4000), quota = { { kind = 'fill', by = 1 } } }",
    "local q = {}  for i = 1, 17 do q[i] = { kind = 'fill', by = 1 } end\n"
    "return { kind = 'policy', name = 'h', quota = q }",
    "local o = {}  for i = 1, 9 do o[i] = { key = 'rank' } end\n"
    "return { kind = 'policy', name = 'h', quota = { { kind = 'fill', by = 1, order = o } } }",
    HAND(", round = 'up' }"),
    HAND(", qota = 1 }"),
    HAND(", [1] = 1 }"),
    HAND(", distribute = 5 }"),
    HAND(", reclaim = { kind = 'fill', by = 'over', up_to = 3 } }"),
    HAND(", attributes = 5 }"),
    HAND(", attributes = { 5 } }"),
    HAND(", attributes = { { name = '!', type = 'integer' } } }"),
    HAND(", attributes = { { name = 'x', min = 5, max = 2 } } }"),
    HAND(", attributes = { { name = 'x', min = 1.5 } } }"),
    HAND(", attributes = { { name = 'owned' } } }"),
    HAND(", attributes = { { name = ('x'):rep(200) } } }"),
    HAND(", options = { {} } }"),
};

static void tables_made_by_hand_do_no_harm(void)
{
    script_begin(&it);
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++)
        if (!CHECK_EQ(script_load(&it, by_hand[i]), ALLOT_EPOLICY) ||
            !CHECK_EQ(allot_report_count(it.report), 1))
            printf("#   %s\n", by_hand[i]);
    CHECK_EQ(script_load(&it, HAND("}")), ALLOT_OK); /* a sound one is as good as any */
    script_end(&it);
}

/* ---- Options --------------------------------------------------------------------------------- */

static void options_are_checked(void)
{
    allot_use_option top = {.name = "top", .type = ALLOT_JSON_INTEGER, .integer = 3, .mine = 1};
    script_begin(&it);
    CHECK_EQ(script_load_with(&it, full, &top, 1), ALLOT_OK);
    CHECK_EQ(it.policy->fills[1].up_to.value, 3);
    top.integer = 10;
    CHECK_EQ(script_load_with(&it, full, &top, 1), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->message, "option \"top\" is 10, allowed is 1 ... 9");
    CHECK_STR(script_finding(&it)->path, "top");
    CHECK_STR(script_finding(&it)->file, NULL);
    top.type = ALLOT_JSON_BOOLEAN;
    CHECK_EQ(script_load_with(&it, full, &top, 1), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->message, "option \"top\" of policy \"full\" is a whole number");
    top = (allot_use_option){.name = "tpo", .type = ALLOT_JSON_INTEGER, .integer = 3, .mine = 1};
    CHECK_EQ(script_load_with(&it, full, &top, 1), ALLOT_EPOLICY);
    CHECK_STR(script_finding(&it)->message, "policy \"full\" has no option \"tpo\"");
    CHECK_STR(script_finding(&it)->hint, "did you mean \"top\"?");
    top.mine = 0; /* from the plan's common options: another policy's */
    CHECK_EQ(script_load_with(&it, full, &top, 1), ALLOT_OK);
    CHECK_EQ(it.policy->fills[1].up_to.value, 7);
    script_end(&it);
}

/* ---- The sandbox's own library --------------------------------------------------------------- */

static const char *const library =
    "local function same(a, b) if a ~= b then error(tostring(a) .. ' is not ' .. tostring(b), 2) "
    "end"
    " end\n"
    "same(('a,b,,c'):split(',')[4], 'c')  same(#('a,b,,c'):split(','), 4)\n"
    "same(('fair.lua'):ends('.lua'), true)  same(('fair'):ends('unfair'), false)\n"
    "same(('fair.lua'):starts('fair'), true)  same((''):starts(''), true)\n"
    "same(('team-42'):glob('team-*'), true)  same(('team-42'):glob('team-?'), false)\n"
    "same(('abcabd'):glob('*abd'), true)  same((''):glob('*'), true)  same(('x'):glob(''), false)\n"
    "same((('a.b'):find('.')), 2)  same(('a.b'):find('x'), nil)  same((('aXa'):find('a', 2)), 3)\n"
    "same(('ab'):rep(3, '-'), 'ab-ab-ab')  same(('ab'):rep(0), '')\n"
    "same(tostring({}), 'table')  same(tostring(print), 'function')\n"
    "same(string.format('%s %d', {}, 3), 'table 3')  same(pcall(string.format, '%p', {}), false)\n"
    "local keys = {}  for k in pairs { b = 1, a = 1, [3] = 1, [1.5] = 1, [true] = 1 } do\n"
    "  keys[#keys + 1] = tostring(k) end\n"
    "same(table.concat(keys, ' '), '1.5 3 a b true')\n"
    "local t = { 'b1', 'a1', 'b2', 'a2' }\n"
    "table.sort(t, function (x, y) return x:byte(1) < y:byte(1) end)\n"
    "same(table.concat(t, ' '), 'a1 a2 b1 b2')\n"
    "local n = {}  for i = 1, 100 do n[i] = i * 37 % 101 end  table.sort(n)\n"
    "for i = 1, 100 do same(n[i], i) end\n"
    "table.insert(t, 1, 'x')  same(t[1] .. t[2], 'xa1')  same(table.remove(t, 1), 'x')\n"
    "same(table.remove(t), 'b2')  same(select('#', table.unpack(t)), 3)\n"
    "same(select(-1, 1, 2, 3), 3)  same(tonumber('0x10'), 16)  same(tonumber('x'), nil)\n"
    "same(pcall(error, 5), false)  same(select(2, pcall(error, 'e', 0)), 'e')\n"
    "same(math.type(3 // 1), 'integer')  same(assert(3), 3)  same(log('x', nil, {}), nil)\n"
    "local total = 0  for i, v in ipairs { 5, 6, 7 } do total = total + i * v end  same(total, "
    "38)\n"
    "return policy { name = 'x', quota = { fill 'a' {} } }\n";

static void the_library_does_what_it_says(void)
{
    script_begin(&it);
    if (!CHECK_EQ(script_load(&it, library), ALLOT_OK))
        printf("#   line %d: %s\n", (int)script_finding(&it)->line, script_finding(&it)->message);
    script_end(&it);
}

/* lua/allot/language/columns.lua repeats the core's columns for plain Lua. */
static void columns_are_the_cores(void)
{
    char text[2000] = "local known = {";
    for (int i = 0; i < ALLOT_COLUMN_COUNT; i++)
        strcat(strcat(strcat(text, "'"), allot_column_name(i)), "',");
    strcat(text, "}\nlocal columns = require 'allot.language.columns'\n"
                 "assert(#known == #columns.names)\n"
                 "for i, name in ipairs(known) do assert(columns.names[i] == name, name) end\n"
                 "return policy { name = 'x', quota = { fill 'a' {} } }\n");
    script_begin(&it);
    CHECK_EQ(script_load(&it, text), ALLOT_OK);
    script_end(&it);
}

int main(void)
{
    RUN(hybrid_is_four_fills);
    RUN(evenly_changes_the_fills);
    RUN(everything_arrives);
    RUN(a_policy_can_require_allot);
    RUN(bad_policies_are_told_line_and_way_out);
    RUN(a_long_file_name_stays_whole);
    RUN(tables_made_by_hand_do_no_harm);
    RUN(options_are_checked);
    RUN(the_library_does_what_it_says);
    RUN(columns_are_the_cores);
    return check_done();
}
