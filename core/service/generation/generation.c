/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* generation.c: a plan with its policies, read on an engine of its own; and their texts, in the
 * store and for clients. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "service/generation/generation.h"
#include "service/generation/file.h"

/* ---- Newcomers ------------------------------------------------------------------------------- */

#define NEWCOMER "newcomer "

int allot__newcomers_add(allot_engine *engine, const allot_report *from, allot_report **to)
{
    int32_t count;
    const char *const *paths = allot_report_newcomers(from, &count);
    int status = *to ? ALLOT_OK : allot_report_new(engine, to);
    for (int32_t i = 0; i < count && status == ALLOT_OK; i++)
        status = allot_report_newcomer(*to, paths[i]);
    return status;
}

int allot__newcomers_listed(allot_engine *engine, const allot__text *list, allot_report **to)
{
    int status = *to ? ALLOT_OK : allot_report_new(engine, to);
    for (size_t at = 0; at < list->len && status == ALLOT_OK; at += strlen(list->bytes + at) + 1)
        if (strncmp(list->bytes + at, NEWCOMER, sizeof NEWCOMER - 1) == 0)
            status = allot_report_newcomer(*to, list->bytes + at + sizeof NEWCOMER - 1);
    return status;
}

static void list_newcomers(const allot_report *newcomers, allot__text *list)
{
    int32_t count;
    const char *const *paths = allot_report_newcomers(newcomers, &count);
    for (int32_t i = 0; i < count; i++) {
        allot__text_puts(list, NEWCOMER);
        allot__text_add(list, paths[i], strlen(paths[i]) + 1);
    }
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* With that text, and no policies yet. ENOMEM. */
static int new_texts(const char *text, size_t len, const char *instead, const char *despite,
                     allot__plan_texts **out)
{
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__plan_texts *it = allot__new(engine, 1, sizeof *it);
    if (!it) {
        allot_engine_free(engine);
        return ALLOT_ENOMEM;
    }
    it->engine = it->policies.engine = engine;
    it->text = allot__copy(engine, text, len);
    it->len = it->text ? len : 0;
    it->instead = instead ? allot__copy(engine, instead, strlen(instead)) : NULL;
    it->despite = despite ? allot__copy(engine, despite, strlen(despite)) : NULL;
    if (it->text && (!instead || it->instead) && (!despite || it->despite)) {
        *out = it;
        return ALLOT_OK;
    }
    allot__plan_texts_free(it);
    return ALLOT_ENOMEM;
}

allot__plan_texts *allot__plan_texts_hold(allot__plan_texts *texts)
{
    atomic_fetch_add(&texts->held, 1);
    return texts;
}

void allot__plan_texts_free(allot__plan_texts *texts)
{
    if (!texts || atomic_fetch_sub(&texts->held, 1) > 0)
        return;
    allot_engine *engine = texts->engine;
    allot__sources_free(&texts->policies);
    allot__free_string(engine, texts->instead);
    allot__free_string(engine, texts->despite);
    allot_report_free(texts->newcomers);
    allot__free(engine, texts->text, texts->len + 1, 1);
    allot__free(engine, texts, 1, sizeof *texts);
    allot_engine_free(engine);
}

void allot__plan_texts_ask(const allot__plan_texts *texts, allot__generation_ask *ask)
{
    ask->text = texts->text;
    ask->len = texts->len;
    ask->texts = &texts->policies;
    ask->instead = texts->instead;
    ask->despite = texts->despite;
    ask->newcomers = texts->newcomers;
}

/* ---- From the store -------------------------------------------------------------------------- */

/* Reads a line of a list: "SHA256 NAME", "instead NAME" or "despite SHA256"; newcomers are read
 * apart. */
static int take_line(allot__plan_texts *it, allot__store *store, const char *line,
                     allot_report *report)
{
    char sha256[65] = "";
    const char *name = strchr(line, ' ');
    if (!name || (size_t)(name - line) >= sizeof sha256)
        return ALLOT_ENOENT;
    if (strncmp(line, NEWCOMER, sizeof NEWCOMER - 1) == 0)
        return ALLOT_OK;
    memcpy(sha256, line, (size_t)(name++ - line));
    char **member = strcmp(sha256, "instead") == 0   ? &it->instead
                    : strcmp(sha256, "despite") == 0 ? &it->despite
                                                     : NULL;
    if (member) {
        *member = allot__copy(it->engine, name, strlen(name));
        return *member ? ALLOT_OK : ALLOT_ENOMEM;
    }
    allot__text text = {.engine = it->engine};
    int status = allot__store_text(store, ALLOT__STORE_POLICIES, sha256, report, &text);
    if (status == ALLOT_OK)
        status = allot__sources_put(&it->policies, name, text.bytes, text.len);
    allot__text_free(&text);
    return status;
}

static int take_list(allot__plan_texts *it, allot__store *store, const allot__text *list,
                     allot_report *report)
{
    static const char head[] = ALLOT__POLICIES_HEAD;
    size_t at = sizeof head;
    if (list->len < at || memcmp(list->bytes, head, at) != 0)
        return ALLOT_ENOENT; /* an old row has only the first group's policy */
    int status = ALLOT_OK;
    for (; at < list->len && status == ALLOT_OK; at += strlen(list->bytes + at) + 1)
        status = take_line(it, store, list->bytes + at, report);
    return status == ALLOT_OK ? allot__newcomers_listed(it->engine, list, &it->newcomers) : status;
}

int allot__plan_texts_store(allot_engine *engine, allot__store *store,
                            const allot__store_pair *names, allot_report *report,
                            allot__plan_texts **out)
{
    allot__plan_texts *it = NULL;
    allot__text plan = {.engine = engine}, list = {.engine = engine};
    int status = allot__store_text(store, ALLOT__STORE_PLANS, names->plan, report, &plan);
    if (status == ALLOT_OK)
        status = allot__store_text(store, ALLOT__STORE_POLICIES, names->policies, report, &list);
    if (status == ALLOT_OK)
        status = new_texts(plan.bytes, plan.len, NULL, NULL, &it);
    if (status == ALLOT_OK)
        status = take_list(it, store, &list, report);
    allot__text_free(&plan);
    allot__text_free(&list);
    if (status == ALLOT_OK)
        *out = it;
    else
        allot__plan_texts_free(it);
    return status;
}

/* ---- Into the store -------------------------------------------------------------------------- */

int allot__plan_texts_keep(allot__store *store, const allot__generation *generation)
{
    const allot__plan_texts *texts = generation->texts;
    const allot__sources *policies = &texts->policies;
    char sha256[65];
    int64_t batch = allot__store_put_text(store, ALLOT__STORE_PLANS, generation->sha256,
                                          texts->text, texts->len);
    for (size_t i = 0; i < policies->count && batch > 0; i++) {
        const allot__source *it = &policies->items[i];
        allot_sha256(it->bytes, (size_t)it->size, sha256);
        batch = allot__store_put_text(store, ALLOT__STORE_POLICIES, sha256, it->bytes,
                                      (size_t)it->size);
    }
    if (batch > 0)
        batch = allot__store_put_text(store, ALLOT__STORE_POLICIES, generation->policies_sha256,
                                      generation->list.bytes, generation->list.len);
    return batch > 0 ? ALLOT_OK : ALLOT_ENOMEM;
}

bool allot__plan_texts_is(const allot__store_pair *names, const allot__generation *generation)
{
    return strcmp(names->plan, generation->sha256) == 0 &&
           strcmp(names->policies, generation->policies_sha256) == 0;
}

/* ---- Time ------------------------------------------------------------------------------------ */

static int64_t work(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t allot__generation_worked(void *ud)
{
    (void)ud;
    return work() / 1000;
}

void allot__generation_clock(allot__generation *generation, int64_t (*clock)(void *ud), void *ud)
{
    generation->time.clock = clock ? clock : allot__generation_worked;
    generation->time.ud = ud;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static void speak(void *ud, const char *chunk, int32_t line, const char *level, const char *text)
{
    const allot__generation *generation = ud;
    if (generation->loud)
        generation->say(generation->say_ud, chunk, line, level, text);
}

static void set_limits(allot__generation *generation, const allot__generation_ask *ask,
                       allot_script_limits *own)
{
    if (ask->limits)
        *own = *ask->limits;
    own->meter = &generation->meter;
    own->time = &generation->time;
    allot__generation_clock(generation, NULL, NULL);
    generation->time.work = work;
    generation->loud = !ask->quiet;
    generation->say = own->say;
    generation->say_ud = own->say_ud;
    if (own->say) {
        own->say = speak;
        own->say_ud = generation;
    }
}

static int list_policies(allot__generation *generation)
{
    allot__text *list = &generation->list;
    char sha256[65];
    allot__text_add(list, ALLOT__POLICIES_HEAD, sizeof ALLOT__POLICIES_HEAD);
    const allot__plan_texts *texts = generation->texts;
    if (texts->instead) {
        allot__text_puts(list, "instead ");
        allot__text_add(list, texts->instead, strlen(texts->instead) + 1);
    }
    if (texts->despite) {
        allot__text_puts(list, "despite ");
        allot__text_add(list, texts->despite, strlen(texts->despite) + 1);
    }
    for (size_t i = 0; i < texts->policies.count; i++) {
        const allot__source *it = &texts->policies.items[i];
        allot_sha256(it->bytes, (size_t)it->size, sha256);
        allot__text_puts(list, sha256);
        allot__text_puts(list, " ");
        allot__text_add(list, it->path, strlen(it->path) + 1);
    }
    list_newcomers(texts->newcomers, list);
    if (list->failed)
        return ALLOT_ENOMEM;
    allot_sha256(list->bytes, list->len, generation->policies_sha256);
    return ALLOT_OK;
}

static int read_plan(allot__generation *generation, const allot__generation_ask *ask,
                     allot_report *report)
{
    allot_script_limits own = {0};
    set_limits(generation, ask, &own);
    int status = new_texts(ask->text, ask->len, ask->instead, ask->despite, &generation->texts);
    if (status == ALLOT_OK && ask->newcomers)
        status = allot__newcomers_add(generation->texts->engine, ask->newcomers,
                                      &generation->texts->newcomers);
    if (status != ALLOT_OK)
        return status;
    bool same = ask->like != NULL && ask->like->texts->len == ask->len &&
                memcmp(ask->like->texts->text, ask->text, ask->len) == 0;
    if (same)
        memcpy(generation->sha256, ask->like->sha256, sizeof generation->sha256);
    else
        allot_sha256(ask->text, ask->len, generation->sha256);
    status = allot_script_loader_new(generation->engine, &own, &generation->loader);
    if (status != ALLOT_OK)
        return status;
    generation->loader.instead = generation->texts->instead;
    allot__tracker tracker = {.inner = generation->loader,
                              .limits = &own,
                              .texts = ask->texts,
                              .confined = ask->confined,
                              .known = ask->known,
                              .sources = &generation->sources,
                              .policies = &generation->texts->policies};
    allot_policy_loader loader = allot__tracker_loader(&tracker);
    loader.newcomers = allot_report_newcomers(generation->texts->newcomers, &loader.newcomer_count);
    status = allot_plan_read(generation->engine, ask->text, ask->len, ask->file, &loader, report,
                             &generation->plan);
    const allot_plan *plan = generation->plan;
    for (int32_t i = 0; plan && allot_plan_queues(plan) == 0 && i < allot_plan_consumers(plan); i++)
        generation->wild =
            generation->wild || strcmp(allot_plan_name(plan, i), ALLOT_WILDCARD) == 0;
    return status == ALLOT_OK ? list_policies(generation) : status;
}

static int read_generation(const allot__generation_ask *ask, bool from_file,
                           allot__sources *sources, allot_report *report, allot__generation **out)
{
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__generation *generation = allot__new(engine, 1, sizeof *generation);
    if (!generation) {
        allot_engine_free(engine);
        return ALLOT_ENOMEM;
    }
    generation->engine = engine;
    generation->sources.engine = generation->list.engine = engine;
    status = from_file ? allot__sources_add(&generation->sources, ask->file, ask->text, ask->len)
                       : ALLOT_OK;
    if (status == ALLOT_OK)
        status = read_plan(generation, ask, report);
    if (sources)
        allot__sources_copy(sources, &generation->sources);
    if (status == ALLOT_OK)
        *out = generation;
    else
        allot__generation_free(generation);
    return status;
}

void allot__generation_hold(allot__generation *generation)
{
    atomic_fetch_add(&generation->held, 1);
}

void allot__generation_free(allot__generation *generation)
{
    if (!generation || atomic_fetch_sub(&generation->held, 1) > 0)
        return;
    allot_engine *engine = generation->engine;
    allot_state_free(generation->last);
    allot_plan_free(generation->plan);
    if (generation->loader.load)
        allot_script_loader_free(engine, &generation->loader);
    allot__sources_free(&generation->sources);
    allot__plan_texts_free(generation->texts);
    allot__text_free(&generation->list);
    allot__free(engine, generation, 1, sizeof *generation);
    allot_engine_free(engine);
}

/* ---- For clients ----------------------------------------------------------------------------- */

void allot__plan_answer_put(const allot__generation *generation, const char *file, allot__text *out)
{
    const allot__plan_texts *texts = generation->texts;
    allot__text_puts(out, "{");
    allot__text_member(out, "file", file);
    allot__text_member(out, "sha256", generation->sha256);
    allot__text_key(out, "text");
    allot__text_json_len(out, texts->text, texts->len);
    allot__text_member(out, "instead", texts->instead);
    allot__text_open(out, "policies", "{");
    for (size_t i = 0; i < texts->policies.count; i++) {
        const allot__source *policy = &texts->policies.items[i];
        allot__text_puts(out, i > 0 ? ", " : "");
        allot__text_json(out, policy->path);
        allot__text_puts(out, ": ");
        allot__text_json_len(out, policy->bytes, (size_t)policy->size);
    }
    allot__text_puts(out, "}}");
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool ends_json(const char *file)
{
    size_t len = strlen(file);
    return len >= 5 && strcmp(file + len - 5, ".json") == 0;
}

static int say_why(allot_report *report, const char *file, int error)
{
    char words[128];
    allot__reading_why(error, words, sizeof words);
    allot_report_say(report, ALLOT_ERROR, error == ALLOT__READ_OUTSIDE ? "E-outside" : "E-io",
                     "%.300s cannot be read: %s", file, words);
    return error == ALLOT__READ_OUTSIDE ? ALLOT_EINVALID : ALLOT_EIO;
}

static int read_file(const allot__generation_ask *ask, allot__text *text, allot_report *report)
{
    int error = ask->beside && !ends_json(ask->file)
                    ? ALLOT__READ_OUTSIDE
                    : allot__reading(ask->file, ask->beside, ALLOT__READ_PLAN, text);
    if (error == ENOMEM)
        return ALLOT_ENOMEM;
    return error == 0 ? ALLOT_OK : say_why(report, ask->file, error);
}

int allot__generation_make(const allot__generation_ask *ask, allot__sources *sources,
                           allot_report *report, allot__generation **out)
{
    if (ask->text)
        return read_generation(ask, ask->to_be, sources, report, out);
    allot_engine *engine;
    int status = allot_engine_new(NULL, NULL, &engine);
    if (status != ALLOT_OK)
        return status;
    allot__text text = {.engine = engine};
    allot__generation_ask full = *ask;
    status = read_file(ask, &text, report);
    full.text = text.bytes ? text.bytes : "";
    full.len = text.len;
    if (status == ALLOT_OK)
        status = read_generation(&full, true, sources, report, out);
    else if (sources)
        allot__sources_add(sources, ask->file, NULL, 0);
    allot__text_free(&text);
    allot_engine_free(engine);
    return status;
}
