/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * file.c: opens files without waiting, checks them, and reads up to a limit; replaces the plan's
 * file by a new one, renamed once it is on disk.
 */
#define _XOPEN_SOURCE   700 /* realpath */
#define _DEFAULT_SOURCE     /* syscall */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "service/generation/file.h"

enum { TO_READ = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

/* ---- Beneath a folder ------------------------------------------------------------------------ */

/* A client's path relative to the folder: the path itself or, where that begins with the folder as
 * the plan's file has it or as it really is, the rest. */
static const char *from_folder(const char *folder, const char *path)
{
    char *real = path[0] == '/' ? realpath(folder, NULL) : NULL;
    size_t as_named = strlen(folder), len = real ? strlen(real) : 0;
    bool inside = len > 0 && strncmp(path, real, len) == 0 && path[len] == '/';
    free(real);
    if (path[0] == '/' && folder[as_named - 1] == '/' && strncmp(path, folder, as_named) == 0)
        return path + as_named;
    return inside ? path + len + 1 : path;
}

static bool goes_up(const char *path)
{
    for (const char *at = strstr(path, ".."); at; at = strstr(at + 2, ".."))
        if ((at == path || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
            return true;
    return false;
}

/* The folder of a file, with its slash; "." where the name has none. */
static int folder_of(const char *file, char out[PATH_MAX])
{
    const char *slash = strrchr(file, '/');
    int len = slash ? snprintf(out, PATH_MAX, "%.*s", (int)(slash - file) + 1, file)
                    : snprintf(out, PATH_MAX, ".");
    return len >= 0 && len < PATH_MAX ? 0 : ENAMETOOLONG;
}

/* The kernel follows no link that leads out of the folder. */
static int open_beneath(const char *file, const char *whole, int *fd)
{
    const struct open_how how = {.flags = TO_READ, .resolve = RESOLVE_BENEATH};
    char folder[PATH_MAX];
    int error = folder_of(file, folder);
    if (error != 0)
        return error;
    const char *path = from_folder(folder, whole);
    if (goes_up(path))
        return ALLOT__READ_OUTSIDE;
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
        return errno;
    *fd = (int)syscall(SYS_openat2, at, path, &how, sizeof how);
    error = *fd >= 0 ? 0 : errno == EXDEV ? ALLOT__READ_OUTSIDE : errno;
    close(at);
    return error;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int open_any(const char *path, const char *beside, int *fd)
{
    if (beside)
        return open_beneath(beside, path, fd);
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

int allot__reading(const char *path, const char *beside, int64_t most, allot__text *out)
{
    int fd = -1;
    int error = open_any(path, beside, &fd);
    if (error == 0)
        error = read_all(fd, most, out);
    if (fd >= 0)
        close(fd);
    return error;
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

enum { PLAIN_MODE = 0644 };

/* The file's real path, and the temporary one. */
typedef struct place {
    char path[PATH_MAX], folder[PATH_MAX], beside[PATH_MAX + 16];
    struct stat was;
} place;

static int fail(allot_report *report, const char *path, const char *what, int error)
{
    char words[128];
    allot__reading_why(error, words, sizeof words);
    allot_report_say(report, ALLOT_ERROR, "E-io", "%.300s cannot be %s: %s", path, what, words);
    return ALLOT_EIO;
}

/* Follows links, so that they stay. */
static int find(place *at, const char *path, bool *there)
{
    char *real = realpath(path, NULL);
    if (!real && errno != ENOENT)
        return errno;
    int len = snprintf(at->path, sizeof at->path, "%s", real ? real : path);
    free(real);
    if (len < 0 || (size_t)len >= sizeof at->path)
        return ENAMETOOLONG;
    *there = stat(at->path, &at->was) == 0;
    if (*there && !S_ISREG(at->was.st_mode))
        return ALLOT__READ_IRREGULAR;
    memcpy(at->folder, at->path, (size_t)len + 1);
    char *slash = strrchr(at->folder, '/');
    if (!slash)
        snprintf(at->folder, sizeof at->folder, ".");
    else
        slash[slash == at->folder] = '\0';
    snprintf(at->beside, sizeof at->beside, "%s.XXXXXX", at->path);
    return 0;
}

static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t took = write(fd, text, len);
        if (took < 0 && errno != EINTR)
            return errno;
        text += took > 0 ? took : 0;
        len -= took > 0 ? (size_t)took : 0;
    }
    return fsync(fd) == 0 ? 0 : errno;
}

/* Gives it the old file's owner and mode. */
static int dress(int fd, const place *at, bool there)
{
    mode_t mode = there ? at->was.st_mode & 07777 : PLAIN_MODE;
    if (there && (at->was.st_uid != geteuid() || at->was.st_gid != getegid()) &&
        fchown(fd, at->was.st_uid, at->was.st_gid) != 0 && errno != EPERM)
        return errno;
    return fchmod(fd, mode) == 0 ? 0 : errno;
}

static int make_beside(place *at, bool there, const char *text, size_t len)
{
    int fd = mkstemp(at->beside);
    if (fd < 0)
        return errno;
    int error = dress(fd, at, there);
    if (error == 0)
        error = write_all(fd, text, len);
    close(fd);
    if (error != 0)
        unlink(at->beside);
    return error;
}

/* Syncs the folder, to put the new name on disk. */
static int sync_folder(const place *at)
{
    int fd = open(at->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return error == EINVAL ? 0 : error; /* the file system cannot sync folders */
}

static int replace(place *at, bool there, const char *text, size_t len, bool *written)
{
    int error = make_beside(at, there, text, len);
    if (error != 0)
        return error;
    if (rename(at->beside, at->path) != 0) {
        error = errno;
        unlink(at->beside);
        return error;
    }
    *written = true;
    return sync_folder(at);
}

int allot__plan_file_read(allot__plan_file *file, const char *path, allot_report *report)
{
    place at;
    int error = find(&at, path, &file->there);
    if (error == 0 && file->there)
        error = allot__reading(at.path, NULL, ALLOT__READ_PLAN, &file->old);
    if (error == ENOMEM)
        return ALLOT_ENOMEM;
    return error == 0 ? ALLOT_OK : fail(report, path, "read", error);
}

int allot__plan_file_write(allot__plan_file *file, const char *path, const char *text, size_t len,
                           allot_report *report)
{
    place at;
    int error = find(&at, path, &file->there);
    if (error == 0)
        error = replace(&at, file->there, text, len, &file->written);
    return error == 0 ? ALLOT_OK : fail(report, path, "replaced", error);
}

int allot__plan_file_undo(allot__plan_file *file, const char *path, allot_report *report)
{
    place at;
    bool there;
    if (!file->written)
        return ALLOT_OK;
    int error = find(&at, path, &there);
    if (error == 0 && !file->there)
        error = unlink(at.path) == 0 || errno == ENOENT ? 0 : errno;
    else if (error == 0)
        error = replace(&at, there, file->old.bytes ? file->old.bytes : "", file->old.len, &there);
    if (error != 0)
        return fail(report, path, "put back", error);
    file->written = false;
    return ALLOT_OK;
}
