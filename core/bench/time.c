/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* time.c: clocks, samples, the machine, and how fast its memory can be read at all. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double allot__bench_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_time allot__bench_summary(double *samples, int count)
{
    qsort(samples, (size_t)count, sizeof *samples, compare);
    double median = samples[count / 2];
    if (count % 2 == 0)
        median = (samples[count / 2 - 1] + median) / 2;
    return (bench_time){samples[0], median};
}

static uint64_t sum(const uint64_t *words, size_t count)
{
    uint64_t total = 0;
#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < count; i++)
        total += words[i];
    return total;
}

enum { COLD_WORDS = 32 << 20 }; /* 256 MB */

struct bench_cold {
    uint64_t words[COLD_WORDS];
};

int allot__bench_cold_new(allot_engine *engine, bench_cold **out)
{
    *out = allot_engine_alloc(engine, NULL, 0, sizeof **out);
    for (size_t i = 0; *out != NULL && i < COLD_WORDS; i++)
        (*out)->words[i] = i; /* or all pages would be the same one */
    return *out ? ALLOT_OK : ALLOT_ENOMEM;
}

void allot__bench_cool(const bench_cold *cold)
{
    volatile uint64_t sink = sum(cold->words, COLD_WORDS);
    (void)sink;
}

void allot__bench_cold_free(allot_engine *engine, bench_cold *cold)
{
    if (cold)
        allot_engine_alloc(engine, cold, sizeof *cold, 0);
}

int allot__bench_stream(allot_engine *engine, size_t bytes, const bench_cold *cold, double *samples,
                        int count)
{
    size_t words = bytes / sizeof(uint64_t);
    uint64_t *block = allot_engine_alloc(engine, NULL, 0, bytes);
    if (!block)
        return ALLOT_ENOMEM;
    for (size_t i = 0; i < words; i++)
        block[i] = i;
    for (int i = 0; i < count; i++) {
        if (cold)
            allot__bench_cool(cold);
        double start = allot__bench_clock();
        volatile uint64_t sink = sum(block, words);
        (void)sink;
        samples[i] = allot__bench_clock() - start;
    }
    allot_engine_alloc(engine, block, bytes, 0);
    return ALLOT_OK;
}

void allot__bench_machine(const char *key, char *buf, size_t size)
{
    char line[8192];
    buf[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    while (buf[0] == '\0' && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " ");
        snprintf(buf, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    }
    fclose(file);
}
