/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* names.c: the names and parents of consumers, and their index; lists of named things. */
#include "model/names/names.h"

#include <allot/plan.h>
#include <stdbool.h>
#include <string.h>

#include "base/getter.h"

/* ---- Names of consumers ---------------------------------------------------------------------- */

static uint32_t hash_child(int32_t parent, const char *name, size_t len)
{
    return allot__hash((uint32_t)parent + 1, name, len);
}

static int make_room(allot_engine *engine, allot__names *names, size_t len)
{
    size_t count = (size_t)names->count;
    if (names->count == INT32_MAX - 1 || names->used + len + 1 > UINT32_MAX)
        return ALLOT_ENOMEM;
    void *entries =
        allot__grow(engine, names->entries, &names->capacity, count + 1, sizeof *names->entries);
    if (!entries)
        return ALLOT_ENOMEM;
    names->entries = entries;
    void *text = allot__grow(engine, names->text, &names->room, names->used + len + 1, 1);
    if (!text)
        return ALLOT_ENOMEM;
    names->text = text;
    return allot__index_room(engine, &names->index);
}

int allot__names_add(allot_engine *engine, allot__names *names, int32_t parent, const char *name,
                     size_t len)
{
    int status = make_room(engine, names, len);
    if (status)
        return status;
    names->entries[names->count] = (allot__entry){parent, (uint32_t)names->used};
    memcpy(names->text + names->used, name, len);
    names->used += len;
    names->text[names->used++] = '\0';
    allot__index_add(&names->index, hash_child(parent, name, len), names->count++);
    return ALLOT_OK;
}

const char *allot__names_at(const allot__names *names, int32_t consumer, size_t *len)
{
    const allot__entry *entry = &names->entries[consumer];
    size_t end = consumer + 1 < names->count ? entry[1].text : names->used;
    *len = end - entry->text - 1;
    return names->text + entry->text;
}

int32_t allot__names_find(const allot__names *names, int32_t parent, const char *name, size_t len)
{
    uint32_t hash = hash_child(parent, name, len), probe = 0;
    int32_t found;
    while ((found = allot__index_next(&names->index, hash, &probe)) >= 0) {
        size_t found_len;
        const char *text = allot__names_at(names, found, &found_len);
        if (names->entries[found].parent == parent && found_len == len &&
            memcmp(text, name, len) == 0)
            return found;
    }
    return ALLOT_ROOT;
}

/* Shrinks a block; if that fails, the block stays as it is. */
static void *shrink(allot_engine *engine, void *block, size_t *capacity, size_t count, size_t size)
{
    if (count == 0 || count == *capacity)
        return block;
    void *less = allot_engine_alloc(engine, block, *capacity * size, count * size);
    if (!less)
        return block;
    *capacity = count;
    return less;
}

void allot__names_trim(allot_engine *engine, allot__names *names)
{
    names->entries = shrink(engine, names->entries, &names->capacity, (size_t)names->count,
                            sizeof *names->entries);
    names->text = shrink(engine, names->text, &names->room, names->used, 1);
}

void allot__names_free(allot_engine *engine, allot__names *names)
{
    allot__free(engine, names->entries, names->capacity, sizeof *names->entries);
    allot__free(engine, names->text, names->room, 1);
    allot__index_free(engine, &names->index);
}

/* ---- Lists of named things ------------------------------------------------------------------- */

static uint32_t hash_of(const char *name)
{
    return allot__hash(0, name, strlen(name));
}

int32_t allot__named_find(const allot__vector *list, const allot__index *index, const char *name)
{
    uint32_t hash = hash_of(name), probe = 0;
    int32_t found;
    while ((found = allot__index_next(index, hash, &probe)) >= 0)
        if (strcmp(allot__named_at(list, found), name) == 0)
            return found;
    return -1;
}

void *allot__named_add(allot_engine *engine, allot__pool *pool, allot__vector *list,
                       allot__index *index, const char *name, size_t size)
{
    if (list->count >= INT32_MAX - 1 || allot__index_room(engine, index))
        return NULL;
    const char *copy = allot__pool_copy(engine, pool, name);
    const char **added = copy ? allot__push(engine, list, size) : NULL;
    if (!added)
        return NULL;
    *added = copy;
    allot__index_add(index, hash_of(name), (int32_t)list->count - 1);
    return added;
}

int32_t allot__named_number(allot_engine *engine, allot__pool *pool, allot__vector *list,
                            allot__index *index, const char *name)
{
    int32_t found = allot__named_find(list, index, name);
    if (found >= 0)
        return found;
    bool added = allot__named_add(engine, pool, list, index, name, sizeof(const char *));
    return added ? (int32_t)list->count - 1 : -2;
}

int allot__texts_copy(allot_engine *engine, allot__pool *pool, const char *const *texts, int32_t n,
                      const char *const **out)
{
    const char **copy = NULL;
    if (n > 0) {
        copy = allot__pool_take(engine, pool, (size_t)n * sizeof *copy, sizeof *copy);
        if (!copy)
            return ALLOT_ENOMEM;
    }
    for (int32_t i = 0; i < n; i++) {
        copy[i] = allot__pool_copy(engine, pool, texts[i]);
        if (!copy[i])
            return ALLOT_ENOMEM;
    }
    *out = copy;
    return ALLOT_OK;
}

int allot__text_copy(allot_engine *engine, allot__pool *pool, const char *text, const char **out)
{
    const char *copy = text ? allot__pool_copy(engine, pool, text) : NULL;
    if (text && !copy)
        return ALLOT_ENOMEM;
    *out = copy;
    return ALLOT_OK;
}

int allot__texts_check(const char *const *texts, int32_t n)
{
    if (n < 0 || (n > 0 && !texts))
        return ALLOT_EUSAGE;
    for (int32_t i = 0; i < n; i++)
        if (!allot__label_valid(texts[i]))
            return ALLOT_ENAME;
    return ALLOT_OK;
}

/* ---- Columns and options --------------------------------------------------------------------- */

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

int allot_task_column_waits(int column)
{
    switch (column) {
    case ALLOT_TASK_SLOTS:
    case ALLOT_TASK_STARTED:
    case ALLOT_TASK_SUBMITTED:
    case ALLOT_TASK_RAN:
    case ALLOT_TASK_PREEMPTED:
    case ALLOT_TASK_PREEMPTION_RANK:
    case ALLOT_TASK_PRIORITY:
    case ALLOT_TASK_CREATED:
    case ALLOT_TASK_LEAST_RAN:
    case ALLOT_TASK_UNINTERRUPTED:
    case ALLOT_TASK_WAITED:
        return 1;
    default:
        return column >= ALLOT_TASK_COLUMN_COUNT;
    }
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
ALLOT__WORDS(allot_backfill_name, "first_fit", "none", "easy", "conservative")

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
