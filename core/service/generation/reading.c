/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* reading.c: opens files without waiting, checks them, and reads up to a limit. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "service/generation/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MOST = 40, TO_READ = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

/* ---- Beneath a folder ------------------------------------------------------------------------ */

typedef struct walk {
    int at;                  /* the current folder */
    char rest[PATH_MAX];     /* the rest of the path */
    char name[NAME_MAX + 1]; /* its next name */
    int links;
} walk;

/* Takes the next name; 0 or an error. */
static int next_name(walk *it)
{
    const char *from = it->rest + strspn(it->rest, "/");
    size_t len = strcspn(from, "/");
    if (len > NAME_MAX)
        return ENAMETOOLONG;
    memcpy(it->name, from, len);
    it->name[len] = '\0';
    memmove(it->rest, from + len, strlen(from + len) + 1);
    if (strcmp(it->name, "..") == 0)
        return ALLOT__READ_OUTSIDE;
    return len > 0 ? 0 : ALLOT__READ_IRREGULAR;
}

/* Puts the link's target before the rest. */
static int follow(walk *it)
{
    char target[PATH_MAX];
    ssize_t len = readlinkat(it->at, it->name, target, sizeof target);
    size_t left = strlen(it->rest);
    if (len < 0)
        return errno;
    if (++it->links > LINKS_MOST)
        return ELOOP;
    if (len > 0 && target[0] == '/')
        return ALLOT__READ_OUTSIDE;
    if ((size_t)len + left + 2 > sizeof it->rest)
        return ENAMETOOLONG;
    memmove(it->rest + len + 1, it->rest, left + 1);
    memcpy(it->rest, target, (size_t)len);
    it->rest[len] = '/';
    return 0;
}

static int enter(walk *it)
{
    int inner = openat(it->at, it->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return errno;
    close(it->at);
    it->at = inner;
    return 0;
}

/* Walks one name; *fd: the opened end of the path; -1: names remain. The opened file is never a
 * link, and is checked again in case it was replaced. */
static int step(walk *it, int *fd)
{
    struct stat info;
    int error = next_name(it);
    if (error == 0 && fstatat(it->at, it->name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        error = errno;
    if (error != 0)
        return error;
    if (S_ISDIR(info.st_mode))
        return enter(it);
    if (S_ISLNK(info.st_mode))
        return follow(it);
    if (!S_ISREG(info.st_mode))
        return ALLOT__READ_IRREGULAR;
    if (it->rest[strspn(it->rest, "/")] != '\0')
        return ENOTDIR;
    *fd = openat(it->at, it->name, TO_READ | O_NOFOLLOW);
    return *fd >= 0 ? 0 : errno;
}

/* Strips the folder's path from an absolute path beneath it. */
static const char *from_folder(const char *folder, const char *path)
{
    char *real = path[0] == '/' ? realpath(folder, NULL) : NULL;
    size_t len = real ? strlen(real) : 0;
    bool inside = len > 0 && strncmp(path, real, len) == 0 && path[len] == '/';
    free(real);
    return inside ? path + len + 1 : path;
}

static int open_beneath(const char *folder, const char *whole, int *fd)
{
    walk it = {.at = -1};
    const char *path = from_folder(folder, whole);
    size_t len = strlen(path);
    if (len + 1 > sizeof it.rest)
        return ENAMETOOLONG;
    if (path[0] == '/')
        return ALLOT__READ_OUTSIDE;
    memcpy(it.rest, path, len + 1);
    it.at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = it.at < 0 ? errno : 0;
    while (error == 0 && *fd < 0)
        error = step(&it, fd);
    if (it.at >= 0)
        close(it.at);
    return error;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int open_any(const char *path, const char *folder, int *fd)
{
    if (folder)
        return open_beneath(folder, path, fd);
    *fd = open(path, TO_READ);
    /* ENXIO: a socket, or a device without a driver. */
    return *fd >= 0 ? 0 : errno == ENXIO ? ALLOT__READ_IRREGULAR : errno;
}

static int read_all(int fd, int64_t most, allot__text *out)
{
    char piece[65536];
    struct stat info;
    if (fstat(fd, &info) != 0)
        return errno;
    if (!S_ISREG(info.st_mode))
        return ALLOT__READ_IRREGULAR;
    for (int64_t left = most; !out->failed;) {
        ssize_t got = read(fd, piece, sizeof piece);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return errno;
        if (got > left)
            return ALLOT__READ_LARGE;
        allot__text_add(out, piece, got > 0 ? (size_t)got : 0);
        left -= got > 0 ? got : 0;
    }
    return ENOMEM;
}

int allot__reading(const char *path, const char *folder, int64_t most, allot__text *out)
{
    int fd = -1;
    int error = open_any(path, folder, &fd);
    if (error == 0)
        error = read_all(fd, most, out);
    if (fd >= 0)
        close(fd);
    return error;
}

const char *allot__reading_inside(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    size_t len = slash ? (size_t)(slash - file) + 1 : 0;
    return path[0] == '/' && len > 0 && strncmp(path, file, len) == 0 ? path + len : path;
}

int allot__reading_folder(const char *file, char *out, size_t size)
{
    const char *slash = strrchr(file, '/');
    int len = slash ? snprintf(out, size, "%.*s", (int)(slash - file) + 1, file)
                    : snprintf(out, size, ".");
    return len >= 0 && (size_t)len < size ? 0 : ENAMETOOLONG;
}

void allot__reading_why(int error, char *words, size_t size)
{
    words[0] = '\0';
    if (error == ALLOT__READ_IRREGULAR)
        snprintf(words, size, "no regular file");
    else if (error == ALLOT__READ_LARGE)
        snprintf(words, size, "larger than is read");
    else if (error == ALLOT__READ_OUTSIDE)
        snprintf(words, size, "not beneath the plan's folder");
    else if (strerror_r(error, words, size) != 0)
        words[0] = '\0';
}
