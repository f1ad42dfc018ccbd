/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* measures.c: the names of rows' measures, and whether they differ. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <allot/diff.h>

static const struct kind {
    const char *name, *measures;
} kinds[] = {
#define KIND(name, text, measures) {text, measures},
    ALLOT_DIFF_MAP(KIND)
#undef KIND
};

static bool is_kind(int kind)
{
    return kind >= 0 && kind < ALLOT_DIFF_KINDS;
}

const char *allot_diff_kind_name(int kind)
{
    return is_kind(kind) ? kinds[kind].name : NULL;
}

int32_t allot_diff_measures(int kind)
{
    int32_t count = 1;
    for (const char *at = is_kind(kind) ? kinds[kind].measures : ""; *at != '\0'; at++)
        count += *at == ' ';
    return is_kind(kind) ? count : 0;
}

/* The name of a kind's i-th measure, or NULL. */
static const char *word(int kind, int32_t i)
{
    const char *at = i >= 0 && i < allot_diff_measures(kind) ? kinds[kind].measures : NULL;
    for (; at && i > 0; i--)
        at = strchr(at, ' ') + 1;
    return at;
}

size_t allot_diff_measure_name(int kind, int32_t i, char *buf, size_t size)
{
    const char *at = word(kind, i);
    int len = !at ? 0 : (int)strcspn(at += *at == '(', " )");
    return (size_t)snprintf(buf, size, "%.*s", len, at ? at : "");
}

int allot_diff_decided(int kind, int32_t i)
{
    const char *at = word(kind, i);
    return at != NULL && *at != '(';
}

/* Is the row on one side only, as its subject or group is not on the other? */
static bool is_alone(const allot_change *row)
{
    if (row->kind == ALLOT_DIFF_GROUP)
        return row->group[0] < 0 || row->group[1] < 0;
    if (row->kind == ALLOT_DIFF_LEASE)
        return row->item[0] < 0 || row->item[1] < 0;
    return row->kind == ALLOT_DIFF_CONSUMER &&
           (row->consumer[0] < 0 || row->consumer[1] < 0 || row->group[0] < 0 || row->group[1] < 0);
}

int allot_change_differs(const allot_change *row)
{
    bool differs = is_alone(row);
    const char *at = kinds[row->kind].measures;
    for (int32_t i = 0; at && !differs; i++) {
        differs = *at != '(' && row->value[0][i] != row->value[1][i];
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return differs;
}
