/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* simulate_progress.c: how far a simulation is, on a terminal; and Ctrl-C. */
#include "cli/simulate/simulate.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR 24
/* s between two looks */
#define PAUSE 0.1

static volatile sig_atomic_t caught;

static void note(int signal)
{
    (void)signal;
    caught = 1;
}

void allot__sim_catch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool allot__sim_caught(void)
{
    return caught != 0;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void allot__sim_progress_begin(allot__sim_progress *progress, const allot__sim *sim,
                               const allot__sim_run *run)
{
    *progress = (allot__sim_progress){
        .sim = sim, .run = run, .shows = isatty(STDERR_FILENO), .began = seconds()};
    progress->shown = progress->began;
}

static void show(allot__sim_progress *progress, int32_t played, int32_t records, double now)
{
    char bar[BAR + 1], line[200];
    double part = records > 0 ? (double)played / records : 1, spent = now - progress->began;
    int full = (int)(part * BAR);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)(full < BAR ? full : BAR));
    bar[BAR] = '\0';
    long left = part > 0 ? (long)(spent / part - spent + 0.5) : 0;
    int len = snprintf(line, sizeof line,
                       "%s [%s] %3.0f %%  %" PRId32 " of %" PRId32
                       " records, %.0f a second, %ld:%02ld left",
                       progress->run->name.bytes, bar, part * 100, played, records,
                       spent > 0 ? played / spent : 0, left / 60, left % 60);
    int blank = progress->width > len ? progress->width - len : 0;
    fprintf(stderr, "\r%s%*s", line, blank, "");
    fflush(stderr);
    progress->width = len;
}

int allot__sim_progress_step(void *ud, int32_t played, int32_t records, int32_t ended, int64_t now)
{
    allot__sim_progress *progress = ud;
    (void)ended;
    (void)now;
    if (progress->shows) {
        double at = seconds();
        if (at - progress->shown >= PAUSE) {
            show(progress, played, records, at);
            progress->shown = at;
        }
    }
    return caught;
}

void allot__sim_progress_end(allot__sim_progress *progress)
{
    if (progress->width > 0)
        fprintf(stderr, "\r%*s\r", progress->width, "");
}
