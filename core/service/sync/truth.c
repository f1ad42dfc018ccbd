/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* truth.c: making and freeing a truth, and dropped rows. */
#include "service/sync/truth.h"

enum { DROPS_TOLD = 1000 };

/* A block of assembled texts, one after the other. */
typedef struct allot__truth_block {
    struct allot__truth_block *next;
    size_t used, size;
    char bytes[];
} allot__truth_block;

static const char *name_of_list(allot__truth_list list)
{
    static const char *const names[ALLOT__TRUTH_LISTS] = {
        [ALLOT__TRUTH_SLOTS] = "slots",       [ALLOT__TRUTH_HOSTS] = "hosts",
        [ALLOT__TRUTH_SESSIONS] = "sessions", [ALLOT__TRUTH_TASKS] = "tasks",
        [ALLOT__TRUTH_JOBS] = "jobs",         [ALLOT__TRUTH_LEAVES] = "consumers"};
    return names[list];
}

/* ---- Its life -------------------------------------------------------------------------------- */

int allot__truth_new(allot_engine *engine, const allot_plan *plan, int64_t now, allot__truth **out)
{
    allot__truth *truth = allot__new(engine, 1, sizeof *truth);
    if (!truth)
        return ALLOT_ENOMEM;
    truth->engine = truth->dropped.engine = engine;
    truth->plan = plan;
    truth->now = truth->at = now;
    if (allot__event_reader_new(engine, &truth->reader) != ALLOT_OK) {
        allot__free(engine, truth, 1, sizeof *truth);
        return ALLOT_ENOMEM;
    }
    *out = truth;
    return ALLOT_OK;
}

static bool has_items(allot__truth_list list)
{
    return list != ALLOT__TRUTH_SLOTS && list != ALLOT__TRUTH_LEAVES;
}

void allot__truth_free(allot__truth *truth)
{
    if (!truth)
        return;
    allot_engine *engine = truth->engine;
    for (int list = 0; list < ALLOT__TRUTH_LISTS; list++) {
        allot__truth_row *rows = truth->rows[list].items;
        for (size_t i = 0; has_items(list) && i < truth->rows[list].count; i++)
            allot__item_free(engine, rows[i].item);
        allot__vector_free(engine, &truth->rows[list]);
    }
    for (allot__truth_block *it = truth->blocks, *next; it; it = next) {
        next = it->next;
        allot__free(engine, it, 1, sizeof *it + it->size);
    }
    allot__free_string(engine, truth->source);
    allot__free_string(engine, truth->key);
    allot__text_free(&truth->dropped);
    allot__event_reader_free(truth->reader);
    allot__free(engine, truth, 1, sizeof *truth);
}

bool allot__truth_empty(allot__span value)
{
    bool bracket = value.at[0] == '[' || value.at[0] == '{';
    return bracket && strchr("]}", *allot__span_blank(value.at + 1, value.at + value.len));
}

char *allot__truth_text(allot__truth *truth, size_t len)
{
    enum { BLOCK = 65536 };
    allot__truth_block *block = truth->blocks;
    if (!block || block->size - block->used < len) {
        size_t size = len > BLOCK ? len : BLOCK;
        block = allot__new(truth->engine, 1, sizeof *block + size);
        if (!block)
            return NULL;
        block->next = truth->blocks;
        block->size = size;
        truth->blocks = block;
    }
    char *text = block->bytes + block->used;
    block->used += len;
    return text;
}

/* ---- Rows that are left out ------------------------------------------------------------------ */

void allot__truth_drop(allot__truth *truth, allot__truth_list list, int64_t place, const char *name,
                       const allot__error *error)
{
    allot__text *out = &truth->dropped;
    if (truth->dropped_count++ >= DROPS_TOLD)
        return;
    allot__text_puts(out, out->len > 0 ? ", {" : "{");
    allot__text_key(out, "row");
    if (place >= 0)
        allot__text_printf(out, "\"%s[%lld]\"", name_of_list(list), (long long)place);
    else
        allot__text_json(out, name_of_list(list));
    allot__text_member(out, place >= 0 ? "id" : "name", name);
    allot__text_open(out, "error", "{");
    allot__text_member(out, "code", error->code);
    allot__text_member(out, "path", error->path[0] != '\0' ? error->path : NULL);
    allot__text_member(out, "message", error->message);
    allot__text_member(out, "hint", error->hint[0] != '\0' ? error->hint : NULL);
    allot__text_puts(out, "}}");
}
