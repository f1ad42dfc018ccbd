/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* column.c: the names of columns and options. */
#include <stdbool.h>
#include <string.h>

#include <allot/plan.h>

#include "base/getter.h"
#include "model/names/names.h"

typedef struct column {
    const char *name, *doc;
} column;

#define COLUMN(name, text, doc) {text, doc},
static const column consumer_columns[] = {ALLOT_COLUMN_MAP(COLUMN)};
static const column task_columns[] = {ALLOT_TASK_COLUMN_MAP(COLUMN)};
static const column session_columns[] = {ALLOT_SESSION_COLUMN_MAP(COLUMN)};
static const column queue_columns[] = {ALLOT_QUEUE_COLUMN_MAP(COLUMN)};
static const column lease_columns[] = {ALLOT_LEASE_COLUMN_MAP(COLUMN)};
#undef COLUMN

/* The built-in columns of rows of a kind, *count of them. */
static const column *columns_of(allot_rows rows, int *count)
{
    switch (rows) {
    case ALLOT_CONSUMERS:
        *count = ALLOT_COLUMN_COUNT;
        return consumer_columns;
    case ALLOT_TASKS:
        *count = ALLOT_TASK_COLUMN_COUNT;
        return task_columns;
    case ALLOT_SESSIONS:
        *count = ALLOT_SESSION_COLUMN_COUNT;
        return session_columns;
    case ALLOT_QUEUES:
        *count = ALLOT_QUEUE_COLUMN_COUNT;
        return queue_columns;
    case ALLOT_LEASES:
        *count = ALLOT_LEASE_COLUMN_COUNT;
        return lease_columns;
    case ALLOT_HOSTS:
        break;
    }
    *count = 0;
    return NULL;
}

const char *allot_rows_column_name(allot_rows rows, int column)
{
    int count;
    const struct column *columns = columns_of(rows, &count);
    return column >= 0 && column < count ? columns[column].name : NULL;
}

const char *allot_rows_column_doc(allot_rows rows, int column)
{
    int count;
    const struct column *columns = columns_of(rows, &count);
    return column >= 0 && column < count ? columns[column].doc : NULL;
}

int allot_rows_column_find(allot_rows rows, const char *name, size_t len)
{
    int count;
    const struct column *columns = columns_of(rows, &count);
    for (int i = 0; name && i < count; i++)
        if (strlen(columns[i].name) == len && memcmp(columns[i].name, name, len) == 0)
            return i;
    return -1;
}

int allot_rows_column_flag(allot_rows rows, int column)
{
    return rows == ALLOT_CONSUMERS && (column == ALLOT_EXCLUSIVE || column == ALLOT_REBALANCE);
}

const char *allot_column_name(int column)
{
    return allot_rows_column_name(ALLOT_CONSUMERS, column);
}

const char *allot_column_doc(int column)
{
    return allot_rows_column_doc(ALLOT_CONSUMERS, column);
}

int allot_column_find(const char *name, size_t len)
{
    return allot_rows_column_find(ALLOT_CONSUMERS, name, len);
}

ALLOT__WORDS(allot_scheduling_name, "proportional", "minimum", "priority")
ALLOT__WORDS(allot_fewest_name, "no", "mini_job", "optimal_mini_job")

/* ---- Options --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int64_t min, max, fallback;
} options[] = {
#define OPTION(name, text, min, max, fallback) {text, min, max, fallback},
    ALLOT_OPTION_MAP(OPTION)
#undef OPTION
};

const char *allot_option_name(int option)
{
    return option >= 0 && option < ALLOT_OPTION_COUNT ? options[option].name : NULL;
}

int allot__option_check(int option, int64_t value)
{
    if (option < 0 || option >= ALLOT_OPTION_COUNT)
        return ALLOT_EUSAGE;
    bool allowed = value >= options[option].min && value <= options[option].max;
    return allowed ? ALLOT_OK : ALLOT_ERANGE;
}

int64_t allot__option_fallback(int option)
{
    return options[option].fallback;
}
