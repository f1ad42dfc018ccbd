/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* scan_test.c: what is JSON and what is not, to the line and column. */
#include "test/support/json_fixture.h"

typedef struct bad {
    const char *text, *faults, *message;
} bad;

/* Plans that are no JSON; each ends the reading at its first flaw. */
static const bad syntax[] = {
    {"", "E-syntax:1:1", "found the end of the document, expected a value"},
    {" \n ", "E-syntax:2:2", "found the end of the document, expected a value"},
    {"{", "E-syntax:1:2",
     "found the end of the document, expected a key in double quotes or \"}\""},
    {"{\"a\"", "E-syntax:1:5", "found the end of the document, expected \":\""},
    {"{\"a\":", "E-syntax:1:6", "found the end of the document, expected a value"},
    {"{\"a\":1", "E-syntax:1:7", "found the end of the document, expected \",\" or \"}\""},
    {"[1 2]", "E-syntax:1:4", "found \"2\", expected \",\" or \"]\""},
    {"{\"a\":1,,}", "E-syntax:1:8", "found \",\", expected a key in double quotes"},
    {"[,]", "E-syntax:1:2", "found \",\", expected a value or \"]\""},
    {"[1,,2]", "E-syntax:1:4", "found \",\", expected a value"},
    {"{a:1}", "E-syntax:1:2", "found \"a\", expected a key in double quotes or \"}\""},
    {"{'a':1}", "E-syntax:1:2", "found \"'\", expected a key in double quotes or \"}\""},
    {"{\"a\":}", "E-syntax:1:6", "found \"}\", expected a value"},
    {"{\"a\" 1}", "E-syntax:1:6", "found \"1\", expected \":\""},
    {"{\"a\":1]", "E-syntax:1:7", "found \"]\", expected \",\" or \"}\""},
    {"[1}", "E-syntax:1:3", "found \"}\", expected \",\" or \"]\""},
    {"{} {}", "E-syntax:1:4", "found \"{\", expected the end of the document"},
    {"{}\n\nx", "E-syntax:3:1", "found \"x\", expected the end of the document"},
    {"[tru]", "E-syntax:1:2", "found \"tru\", expected a value"},
    {"[True]", "E-syntax:1:2", "found \"True\", expected a value or \"]\""},
    {"[nulll]", "E-syntax:1:2", "found \"nulll\", expected a value"},
    {"[NaN]", "E-syntax:1:2", "found \"NaN\", expected a value or \"]\""},
    {"[-Infinity]", "E-syntax:1:2", "found \"-Infinity\", expected a value"},
    {"[+1]", "E-syntax:1:2", "found \"+1\", expected a value or \"]\""},
    {"[.5]", "E-syntax:1:2", "found \".5\", expected a value or \"]\""},
    {"[-]", "E-syntax:1:2", "found \"-\", expected a value"},
    {"[007]", "E-syntax:1:2", "found the number 007, expected one without leading zeros"},
    {"[-01]", "E-syntax:1:2", "found the number -01, expected one without leading zeros"},
    {"[1.]", "E-syntax:1:4", "found \"]\", expected a digit after the decimal point"},
    {"[1.e5]", "E-syntax:1:4", "found \"e5\", expected a digit after the decimal point"},
    {"[1e]", "E-syntax:1:4", "found \"]\", expected a digit in the exponent"},
    {"[1e+]", "E-syntax:1:5", "found \"]\", expected a digit in the exponent"},
    {"[0x10]", "E-syntax:1:3", "found \"x10\", expected \",\" or \"]\""},
    {"[1e400]", "E-range:1:2", "found the number 1e400, allowed numbers below 1e308"},
    {"[-1e308]", "E-range:1:2", "found the number -1e308, allowed numbers below 1e308"},
    {"[1e99999999999999999999]", "E-range:1:2",
     "found the number 1e99999999999999999999, allowed numbers below 1e308"},
    {"[1.000000000000000000000000000000000000000000000000000000000000001]", "E-range:1:2",
     "found a number of 65 characters, allowed 63"},
    {"[\"a]\n", "E-syntax:1:2", "found a string that does not end on its line"},
    {"[\"a", "E-syntax:1:2", "found a string that does not end on its line"},
    {"[\"a\tb\"]", "E-syntax:1:4", "found the control character 0x09 in a string; write \\u0009"},
    {"[\"\\x\"]", "E-syntax:1:3", "found a backslash that begins no escape of JSON"},
    {"[\"\\", "E-syntax:1:3", "found a backslash that begins no escape of JSON"},
    {"[\"\\u12\"]", "E-syntax:1:3", "found \"\\u\" without four hex digits behind it"},
    {"[\"\\u0000\"]", "E-syntax:1:3", "found \"\\u0000\", which no text holds"},
    {"[\"\\ud800\"]", "E-syntax:1:3",
     "found \"\\ud800\", half of a surrogate pair without the other half"},
    {"[\"\\ud800\\u0041\"]", "E-syntax:1:3",
     "found \"\\ud800\", half of a surrogate pair without the other half"},
    {"[\"\\udc00\"]", "E-syntax:1:3",
     "found \"\\udc00\", half of a surrogate pair without the other half"},
    {"[\x01]", "E-syntax:1:2", "found the control character 0x01, expected a value or \"]\""},
    {"[\xC3\xA9]", "E-syntax:1:2", "found \"\xC3\xA9\", expected a value or \"]\""},
    {"[\"\xC3\xA9\", x]", "E-syntax:1:7", "found \"x\", expected a value"},
    {"\xEF\xBB\xBF{}", "E-syntax:1:1", "found a byte order mark, expected a value"},
    {"[\"\xE9\"]", "E-utf8:1:3",
     "found the byte 0xe9, which is not UTF-8 here; documents are UTF-8"},
    {"[\"\xC0\xAF\"]", "E-utf8:1:3",
     "found the byte 0xc0, which is not UTF-8 here; documents are UTF-8"},
    {"[\"\xED\xA0\x80\"]", "E-utf8:1:3",
     "found the byte 0xed, which is not UTF-8 here; documents are UTF-8"},
    {"[\"\xF4\x90\x80\x80\"]", "E-utf8:1:3",
     "found the byte 0xf4, which is not UTF-8 here; documents are UTF-8"},
    {"[\"\xE2\x82\"]", "E-utf8:1:3",
     "found the byte 0xe2, which is not UTF-8 here; documents are UTF-8"},
    {"// \xFF\n{}", "E-utf8:1:4",
     "found the byte 0xff, which is not UTF-8 here; documents are UTF-8"},
    {"/* no end", "E-syntax:1:1", "found a comment that does not end"},
    {"{} /", "E-syntax:1:4", "found \"/\", expected the end of the document"},
    {"[1,,]", "E-syntax:1:4", "found \",\", expected a value"},
};

static void test_syntax(void)
{
    bench it;
    bench_begin(&it);
    for (size_t i = 0; i < sizeof syntax / sizeof syntax[0]; i++) {
        int passed = CHECK_EQ(bench_plan(&it, syntax[i].text), ALLOT_EINVALID) &&
                     CHECK_STR(bench_faults(&it), syntax[i].faults) &&
                     CHECK_STR(allot_report_at(it.report, 0)->message, syntax[i].message);
        if (!passed)
            printf("# in case %zu: %s\n", i, syntax[i].text);
    }
    bench_end(&it);
}

static void test_zero_byte(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan_bytes(&it, "{}\0", 3), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-syntax:1:3");
    CHECK_EQ(bench_plan_bytes(&it, "[\"a\0b\"]", 7), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-syntax:1:4");
    CHECK_EQ(bench_plan_bytes(&it, NULL, 0), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-syntax:1:1");
    bench_end(&it);
}

static void test_hints(void)
{
    bench it;
    bench_begin(&it);
    bench_plan(&it, "[True]");
    CHECK_STR(allot_report_at(it.report, 0)->hint, "did you mean true?");
    bench_plan(&it, "{\n \"consumers\": [\n  1,\n\n");
    CHECK_STR(bench_faults(&it), "E-syntax:5:1");
    CHECK_STR(allot_report_at(it.report, 0)->hint, "the \"[\" at line 2, column 15 is not closed");
    bench_plan(&it, "\xEF\xBB\xBF{}");
    CHECK_STR(allot_report_at(it.report, 0)->hint, "save it as UTF-8 without a byte order mark");
    bench_end(&it);
}

/* Nesting of lists: as deep as allowed it is only the wrong type, one deeper is its own fault. */
static void test_depth(void)
{
    bench it;
    static char text[2100];
    bench_begin(&it);
    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-type:1:1");
    memset(text, '[', 1001);
    memset(text + 1001, ']', 1001);
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-depth:1:1001");
    bench_end(&it);
}

/* A consumer takes two levels, so 499 fit below the plan's own list. */
static void test_deep_tree(void)
{
    bench it;
    static char text[40000];
    size_t len = (size_t)sprintf(text, "{\"consumers\": [");
    bench_begin(&it);
    for (int i = 0; i < 499; i++)
        len +=
            (size_t)sprintf(text + len, "{\"name\": \"n\"%s", i < 498 ? ", \"children\": [" : "");
    for (int i = 0; i < 499; i++)
        len += (size_t)sprintf(text + len, "}]");
    sprintf(text + len, "}");
    CHECK_EQ(bench_plan(&it, text), ALLOT_OK);
    CHECK_EQ(allot_plan_consumers(it.plan), 499);
    CHECK_EQ(allot_plan_depth(it.plan, 498), 498);
    bench_end(&it);
}

static void test_comments(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it,
                        "// a plan\n{/* \"\xC3\xA9\" // */ \"consumers\" /**/ : // the list\r\n"
                        "[{\"name\": \"a//b\",},\n/* { */ {\"name\": \"b\" , \n},\n ], } //"),
             ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-name:3:11"); /* the // inside a string is no comment */
    CHECK_EQ(bench_plan(&it, "// a plan\n{/* // */ \"consumers\" /**/ : // the list\r\n"
                             "[{\"name\": \"a\",},\n/* { */ {\"name\": \"b\" , \n},\n ], } //"),
             ALLOT_OK);
    CHECK_EQ(allot_plan_consumers(it.plan), 2);
    CHECK_EQ(bench_plan(&it, "/* \xC3\xA9\xC3\xA9 */ {\"consumers\": [] /* , */ , \"slot\": 1}"),
             ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-unknown-key:1:37");
    CHECK_STR(allot_report_at(it.report, 0)->source,
              "/* \xC3\xA9\xC3\xA9 */ {\"consumers\": [] /* , */ , \"slot\": 1}");
    bench_end(&it);
}

static void test_state_is_strict(void)
{
    bench it;
    bench_begin(&it);
    CHECK_EQ(bench_plan(&it, "{\"consumers\": [{\"name\": \"a\"}]}"), ALLOT_OK);
    CHECK_EQ(bench_state(&it, "{\"now\": 1} // x"), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-syntax:1:12");
    CHECK_STR(allot_report_at(it.report, 0)->message, "found a comment; only plans may have them");
    CHECK_EQ(bench_state(&it, "{\"now\": 1,\n}"), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-syntax:1:10");
    CHECK_STR(allot_report_at(it.report, 0)->message,
              "found a comma before \"}\"; only plans may have that");
    CHECK_EQ(bench_state(&it, "{\"now\": 1, \"hosts\": {\"\\ud83d\\ude00 \\\"\\\\\": "
                              "{\"slots\": 1, \"load\": 0.5e-3}}}"),
             ALLOT_OK);
    bench_end(&it);
}

/* A fault far to the right shows no source line, since it would not be on it. */
static void test_long_lines(void)
{
    bench it;
    static char text[1000];
    bench_begin(&it);
    memset(text, ' ', 300);
    strcpy(text + 300, "[1]");
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-type:1:301");
    CHECK_STR(allot_report_at(it.report, 0)->source, NULL);
    memcpy(text + 10, "[1]", 3);
    memset(text + 13, ' ', 400);
    CHECK_EQ(bench_plan(&it, text), ALLOT_EINVALID);
    CHECK_STR(bench_faults(&it), "E-type:1:11");
    CHECK_EQ(strlen(allot_report_at(it.report, 0)->source), 200);
    bench_end(&it);
}

int main(void)
{
    RUN(test_syntax);
    RUN(test_zero_byte);
    RUN(test_hints);
    RUN(test_depth);
    RUN(test_deep_tree);
    RUN(test_comments);
    RUN(test_state_is_strict);
    RUN(test_long_lines);
    return check_done();
}
