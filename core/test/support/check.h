/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * check.h: assertions that print TAP. One test program includes it once.
 *
 * A test is a function; RUN calls it and prints "ok" or "not ok" with every check that failed.
 */
#ifndef ALLOT_TEST_SUPPORT_CHECK_H
#define ALLOT_TEST_SUPPORT_CHECK_H

#include <stdio.h>
#include <string.h>

static struct {
    int tests, failed_tests, failed_checks;
} check__;

static inline int check__that(int passed, const char *text, const char *file, int line)
{
    if (!passed) {
        check__.failed_checks++;
        printf("# %s:%d: %s\n", file, line, text);
    }
    return passed;
}

static inline int check__equal(long long a, long long b, const char *text, const char *file,
                               int line)
{
    if (!check__that(a == b, text, file, line))
        printf("#   %lld, wanted %lld\n", a, b);
    return a == b;
}

static inline int check__text(const char *a, const char *b, const char *text, const char *file,
                              int line)
{
    int same = a && b ? strcmp(a, b) == 0 : a == b;
    if (!check__that(same, text, file, line))
        printf("#   \"%s\", wanted \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
    return same;
}

static inline void check__run(const char *name, void (*test)(void))
{
    int before = check__.failed_checks;
    test();
    int failed = check__.failed_checks > before;
    check__.failed_tests += failed;
    printf("%sok %d - %s\n", failed ? "not " : "", ++check__.tests, name);
    fflush(stdout);
}

/* The plan at the end, and what main returns. */
static inline int check_done(void)
{
    printf("1..%d\n", check__.tests);
    return check__.failed_tests > 0 || check__.tests == 0;
}

/* Each gives whether it passed. */
#define CHECK(condition)       check__that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_EQ(got, wanted)  check__equal((got), (wanted), #got, __FILE__, __LINE__)
#define CHECK_STR(got, wanted) check__text((got), (wanted), #got, __FILE__, __LINE__)
#define RUN(test)              check__run(#test, test)

#endif
