/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lock.c: the lock on an SQLite file: one service writes it. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/store/own.h"

/*
 * A file is locked by its inode, whatever its name.
 *
 * The lock is on a byte of the database file that SQLite never uses, and belongs to an open file
 * (F_OFD_SETLK). So names, links and removed files beside it do not matter, and a second service in
 * this process is refused like one in another. When a process closes a file, all of SQLite's locks
 * there are lost; so the lock's file is closed only once no store of this process has the same file
 * open, which the list records.
 */

/* Beyond the end of any database; SQLite locks a few bytes at 2^30. */
#define LOCKED_BYTE (INT64_C(1) << 62)

/* From malloc: stores of several engines may share it. */
struct allot__store_hold {
    struct allot__store_hold *next;
    dev_t dev;
    ino_t ino;
    int file; /* -1: no store writes */
    int stores;
    bool written; /* a store holds the lock */
};

static struct allot__store_hold *holds;
static uv_mutex_t mutex;
static uv_once_t once = UV_ONCE_INIT;

static void make_mutex(void)
{
    if (uv_mutex_init(&mutex) != 0)
        abort();
}

static struct allot__store_hold *find(const struct stat *what)
{
    struct allot__store_hold *it = holds;
    while (it && (it->dev != what->st_dev || it->ino != what->st_ino))
        it = it->next;
    return it;
}

static int set_lock(int file, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = LOCKED_BYTE, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &lock);
}

static int lock(struct allot__store_hold *it, const char *path)
{
    struct stat what;
    if (it->written)
        return ALLOT_EEXIST;
    if (it->file < 0)
        it->file = open(path, O_RDWR | O_CLOEXEC);
    if (it->file < 0 || fstat(it->file, &what) != 0 || what.st_ino != it->ino)
        return ALLOT_EIO;
    if (set_lock(it->file, F_WRLCK) != 0)
        return errno == EACCES || errno == EAGAIN ? ALLOT_EEXIST : ALLOT_EIO;
    it->written = true;
    return ALLOT_OK;
}

static void release(struct allot__store_hold *it)
{
    struct allot__store_hold **at = &holds;
    if (--it->stores > 0)
        return;
    while (*at != it)
        at = &(*at)->next;
    *at = it->next;
    if (it->file >= 0)
        close(it->file);
    free(it);
}

static int take(const char *path, bool writes, struct allot__store_hold **out)
{
    struct stat what;
    if (stat(path, &what) != 0 || !S_ISREG(what.st_mode))
        return ALLOT_EIO;
    struct allot__store_hold *it = find(&what);
    if (!it) {
        it = calloc(1, sizeof *it);
        if (!it)
            return ALLOT_ENOMEM;
        *it = (struct allot__store_hold){
            .next = holds, .dev = what.st_dev, .ino = what.st_ino, .file = -1};
        holds = it;
    }
    it->stores++;
    int status = writes ? lock(it, path) : ALLOT_OK;
    if (status != ALLOT_OK)
        release(it);
    else
        *out = it;
    return status;
}

int allot__store_lock(const char *path, bool writes, struct allot__store_hold **out)
{
    uv_once(&once, make_mutex);
    uv_mutex_lock(&mutex);
    int status = take(path, writes, out);
    uv_mutex_unlock(&mutex);
    return status;
}

void allot__store_unlock(struct allot__store_hold *hold, bool writes)
{
    if (!hold)
        return;
    uv_mutex_lock(&mutex);
    if (writes) {
        hold->written = false;
        set_lock(hold->file, F_UNLCK);
    }
    release(hold);
    uv_mutex_unlock(&mutex);
}
