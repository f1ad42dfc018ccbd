/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* sample.c: times, counts of memory, and the speed at which this machine reads memory. */
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double allot__bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int allot__bench_room(bench *it, int count)
{
    if (count <= it->room)
        return ALLOT_OK;
    size_t before = (size_t)it->room * sizeof(double), size = (size_t)count * sizeof(double);
    double *grown = allot_engine_alloc(it->cli->engine, it->samples, before, size);
    if (!grown)
        return ALLOT_ENOMEM;
    it->samples = grown;
    it->room = count;
    return ALLOT_OK;
}

void allot__bench_number(bench *it, double number)
{
    allot__text_printf(&it->answer, "%.17g ", number);
}

int allot__bench_answer(bench *it, int status, int count)
{
    for (int i = 0; i < count && status == ALLOT_OK; i++)
        allot__bench_number(it, it->samples[i]);
    return allot__cli_status(it->cli, status);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

void *allot__bench_count(void *ud, void *ptr, size_t old_size, size_t new_size)
{
    bench_memory *memory = ud;
    if (new_size == 0) {
        free(ptr);
        memory->live -= (int64_t)old_size;
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    if (block)
        memory->live += (int64_t)new_size - (int64_t)old_size;
    if (memory->live > memory->most)
        memory->most = memory->live;
    return block;
}

static uint64_t sum(const uint64_t *words, size_t count)
{
    uint64_t total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < count; i++)
        total += words[i];
    return total;
}

/* Memory whose words differ; else all its pages might be one page. */
static uint64_t *new_words(bench *it, size_t count)
{
    uint64_t *words = allot_engine_alloc(it->cli->engine, NULL, 0, count * sizeof *words);
    for (size_t i = 0; words && i < count; i++)
        words[i] = i;
    return words;
}

static void free_words(bench *it, uint64_t *words, size_t count)
{
    allot_engine_alloc(it->cli->engine, words, count * sizeof *words, 0);
}

enum { COLD_WORDS = 32 << 20 }; /* 256 MB: more than any cache holds */

int allot__bench_cool(bench *it, const char *words)
{
    if (!strstr(words, "cold"))
        return ALLOT_OK;
    if (!it->cold)
        it->cold = new_words(it, COLD_WORDS);
    if (!it->cold)
        return ALLOT_ENOMEM;
    volatile uint64_t sink = sum(it->cold, COLD_WORDS);
    (void)sink;
    return ALLOT_OK;
}

void allot__bench_warm(bench *it)
{
    if (it->cold)
        free_words(it, it->cold, COLD_WORDS);
    it->cold = NULL;
}

int allot__bench_stream(bench *it)
{
    char *rest;
    size_t count = (size_t)strtoll(it->text, &rest, 10) / sizeof(uint64_t);
    int times = (int)strtol(rest, NULL, 10);
    uint64_t *block = new_words(it, count);
    int status = block ? allot__bench_room(it, times) : ALLOT_ENOMEM;
    for (int i = 0; i < times && status == ALLOT_OK; i++) {
        status = allot__bench_cool(it, it->text);
        double start = allot__bench_clock();
        volatile uint64_t sink = sum(block, count);
        (void)sink;
        it->samples[i] = allot__bench_clock() - start;
    }
    if (block)
        free_words(it, block, count);
    return allot__bench_answer(it, status, times);
}
