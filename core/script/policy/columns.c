/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* columns.c: the columns of a policy's rows. */
#include <string.h>

#include "script/policy/read.h"

static int32_t built_in(allot_rows rows)
{
    static const int32_t counts[] = {ALLOT_COLUMN_COUNT, ALLOT_TASK_COLUMN_COUNT,
                                     ALLOT_SESSION_COLUMN_COUNT, ALLOT_QUEUE_COLUMN_COUNT,
                                     ALLOT_LEASE_COLUMN_COUNT};
    return rows < ALLOT_HOSTS ? counts[rows] : 0;
}

int32_t allot__read_columns(const allot_policy *policy, allot_rows rows)
{
    int32_t attributes = rows == ALLOT_CONSUMERS ? allot_policy_attributes(policy)
                         : rows == ALLOT_TASKS   ? allot_policy_task_attributes(policy)
                                                 : 0;
    return built_in(rows) + attributes;
}

/* NULL: the column is built in. */
static const allot_attribute *attribute_of(const allot_policy *policy, allot_rows rows,
                                           int32_t column)
{
    return rows == ALLOT_TASKS ? allot_policy_task_attribute_at(policy, column - built_in(rows))
                               : allot_policy_attribute_at(policy, column - built_in(rows));
}

const char *allot__read_column_name(const allot_policy *policy, allot_rows rows, int32_t column)
{
    const allot_attribute *attribute = attribute_of(policy, rows, column);
    return attribute ? attribute->name : allot_rows_column_name(rows, column);
}

bool allot__read_flag(const allot_policy *policy, allot_rows rows, int32_t column)
{
    const allot_attribute *attribute = attribute_of(policy, rows, column);
    return attribute ? attribute->type != ALLOT_INTEGER : allot_rows_column_flag(rows, column);
}

int32_t allot__read_column(const allot_policy *policy, allot_rows rows, const char *name)
{
    int32_t count = allot__read_columns(policy, rows);
    for (int32_t i = 0; i < count; i++)
        if (strcmp(allot__read_column_name(policy, rows, i), name) == 0)
            return i;
    return -1;
}
