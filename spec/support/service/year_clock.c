/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * year_clock.c: a clock that another program sets: preloaded, it takes the place of time(2).
 *
 * The time is the 8 bytes of the file CLOCK_FILE. Timers of the loop are not affected.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *shared;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("CLOCK_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *bytes = mmap(NULL, sizeof *shared, PROT_READ, MAP_SHARED, file, 0);
    shared = bytes != MAP_FAILED ? bytes : NULL;
    close(file);
}

time_t time(time_t *out)
{
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    time_t now = shared ? (time_t)*shared : real.tv_sec;
    if (out)
        *out = now;
    return now;
}
