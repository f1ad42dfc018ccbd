/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* columns.c: the columns that a policy's rows have. */
#include "script/sandbox/script.h"

static int32_t built_in(allot_rows rows)
{
    static const int32_t counts[] = {ALLOT_COLUMN_COUNT, ALLOT_TASK_COLUMN_COUNT,
                                     ALLOT_SESSION_COLUMN_COUNT, ALLOT_QUEUE_COLUMN_COUNT,
                                     ALLOT_LEASE_COLUMN_COUNT};
    return rows < ALLOT_HOSTS ? counts[rows] : 0;
}

int32_t allot__read_columns(const allot__parsed *parsed, allot_rows rows)
{
    int32_t attributes = rows == ALLOT_CONSUMERS ? parsed->attribute_count
                         : rows == ALLOT_TASKS   ? parsed->task_attribute_count
                                                 : 0;
    return built_in(rows) + attributes;
}

/* NULL: the column is built in. */
static const allot_attribute *attribute_of(const allot__parsed *parsed, allot_rows rows,
                                           int32_t column)
{
    int32_t attribute = column - built_in(rows);
    if (attribute < 0)
        return NULL;
    return &(rows == ALLOT_TASKS ? parsed->task_attributes : parsed->attributes)[attribute];
}

const char *allot__read_column_name(const allot__parsed *parsed, allot_rows rows, int32_t column)
{
    const allot_attribute *attribute = attribute_of(parsed, rows, column);
    return attribute ? attribute->name : allot_rows_column_name(rows, column);
}

bool allot__read_flag(const allot__parsed *parsed, allot_rows rows, int32_t column)
{
    const allot_attribute *attribute = attribute_of(parsed, rows, column);
    return attribute ? attribute->type != ALLOT_INTEGER : allot_rows_column_flag(rows, column);
}
