/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* near_test.c: "did you mean". */
#include "base/name.h"

#include <stdlib.h>
#include <string.h>

#include "test/support/check.h"

static const char *const columns[] = {"owned", "reserve", NULL, "limit", "rank", "share", "grace"};

static const char *nearest(const char *name)
{
    return allot_nearest(name, strlen(name), columns, sizeof columns / sizeof columns[0]);
}

static void slips_are_understood(void)
{
    CHECK_STR(nearest("owned"), "owned");
    CHECK_STR(nearest("ownd"), "owned");       /* left out */
    CHECK_STR(nearest("ownedd"), "owned");     /* doubled */
    CHECK_STR(nearest("lomit"), "limit");      /* mistaken */
    CHECK_STR(nearest("hsare"), "share");      /* swapped */
    CHECK_STR(nearest("reserved"), "reserve"); /* another form */
    CHECK_STR(nearest("RANK"), "rank");
    CHECK_STR(nearest("Lmiit"), "limit");
}

static void what_is_far_is_not_suggested(void)
{
    CHECK(!nearest("priority"));
    CHECK(!nearest(""));
    CHECK(!nearest("xy"));
    CHECK(nearest("rak") != NULL);
    CHECK(!nearest("ra")); /* two of two */
    CHECK(!allot_nearest("a", 1, NULL, 0));
    CHECK(!allot_nearest(NULL, 0, columns, 2));
    const char *const letters[] = {"B", "C"};
    CHECK(!allot_nearest("A", 1, letters, 2));
    CHECK_STR(allot_nearest("b", 1, letters, 2), "B");
}

static void the_length_decides_how_far(void)
{
    const char *const names[] = {"abcdefghijklmnop"};
    CHECK(allot_nearest("abcdefghijkXXXXX", 16, names, 1) != NULL); /* 5 of 16 */
    CHECK(!allot_nearest("abcdefghijXXXXXX", 16, names, 1));        /* 6 */
    const char *const four[] = {"abcd"};
    CHECK(allot_nearest("abXX", 4, four, 1) != NULL);
    CHECK(!allot_nearest("aXXX", 4, four, 1));
    const char *const three[] = {"abc"};
    CHECK(allot_nearest("abX", 3, three, 1) != NULL);
    CHECK(!allot_nearest("aXX", 3, three, 1));
}

static void the_first_of_the_nearest_is_taken(void)
{
    const char *const names[] = {"cart", "card", "care", "Cars"};
    CHECK_STR(allot_nearest("carx", 4, names, 4), "cart");
    CHECK_STR(allot_nearest("cars", 4, names, 4), "Cars");
    CHECK_STR(allot_nearest("caer", 4, names, 4), "care");
}

static void very_long_names_are_near_to_nothing(void)
{
    char *name = malloc(100001);
    if (!CHECK(name))
        return;
    memset(name, 'x', 100000);
    name[100000] = '\0';
    const char *const names[] = {name};
    CHECK(!allot_nearest(name, 100000, names, 1));
    CHECK(!allot_nearest(name, 256, names, 1));
    name[255] = '\0';
    CHECK(allot_nearest(name, 254, names, 1) == name);
    free(name);
}

int main(void)
{
    RUN(slips_are_understood);
    RUN(what_is_far_is_not_suggested);
    RUN(the_length_decides_how_far);
    RUN(the_first_of_the_nearest_is_taken);
    RUN(very_long_names_are_near_to_nothing);
    return check_done();
}
