/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* near.c: edit distance, for "did you mean". */
#include "base/near.h"

#include <string.h>

/* Longer names are never near, which bounds the work for a suggestion. */
enum { LONGEST = 255 };

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), upper
 * and lower case alike. Three rows are enough: a swap looks back two. */
static int distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    int rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = (int)j;
    for (size_t i = 1; i <= a_len; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            int best = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                best = smaller(best, above2[j - 2] + 1);
            row[j] = best;
        }
    }
    return rows[a_len % 3][b_len];
}

allot__near allot__near_begin(const char *name, size_t len)
{
    int32_t allowed = len < 4 ? 1 : len < 9 ? 2 : (int32_t)(len / 3);
    return (allot__near){.name = name, .len = len, .best = 2 * (allowed + 1)};
}

bool allot__near_try(allot__near *near, const char *candidate, size_t len)
{
    size_t longer = len > near->len ? len : near->len;
    size_t apart = longer - (len > near->len ? near->len : len);
    if (near->len == 0 || longer > LONGEST || 2 * apart >= (size_t)near->best)
        return false;
    int edits = distance(near->name, near->len, candidate, len);
    if ((size_t)edits >= longer)
        return false; /* nothing in common */
    bool same_case = edits > 0 || (len == near->len && memcmp(near->name, candidate, len) == 0);
    int32_t score = 2 * edits + !same_case;
    if (score >= near->best)
        return false;
    near->best = score;
    return true;
}

const char *allot_nearest(const char *name, size_t len, const char *const *names, size_t n)
{
    const char *nearest = NULL;
    if (!name || !names)
        return NULL;
    allot__near near = allot__near_begin(name, len);
    for (size_t i = 0; i < n; i++)
        if (names[i] && allot__near_try(&near, names[i], strlen(names[i])))
            nearest = names[i];
    return nearest;
}
