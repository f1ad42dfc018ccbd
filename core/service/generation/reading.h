/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * reading.h: what is in a file: a regular one alone, and of no more than so many bytes.
 *
 * A device that never ends, a FIFO that nobody writes and a file that grows while it is read are
 * refused, and opening none of them waits. Errors are those of errno, or these. Needs no loop;
 * blocks as long as the disk does.
 */
#ifndef ALLOT_SERVICE_GENERATION_READING_H
#define ALLOT_SERVICE_GENERATION_READING_H

#include "base/text.h"

enum {
    ALLOT__READ_IRREGULAR = -1, /* a folder, a device, a FIFO, a socket */
    ALLOT__READ_LARGE = -2,
    ALLOT__READ_OUTSIDE = -3 /* not beneath the folder */
};

/* Bytes at most. */
#define ALLOT__READ_PLAN   ((int64_t)256 * 1024 * 1024)
#define ALLOT__READ_POLICY ((int64_t)1024 * 1024)

/* Adds what is in the file, of so many bytes at most, to `out`; 0, or why not: ENOMEM, too.
 * `folder` NULL: links lead where they like. Else the path is from that folder, or begins with
 * where it is, and neither the rest nor a link on it has a root or "..". */
int allot__reading(const char *path, const char *folder, int64_t most, allot__text *out);
/* What a path that a client names is from the folder of the plan's file: itself, or what is behind
 * that folder's name. */
const char *allot__reading_inside(const char *file, const char *path);
/* That folder, in `out`, which has room for `size` bytes. ENAMETOOLONG. */
int allot__reading_folder(const char *file, char *out, size_t size);
/* An error in words. */
void allot__reading_why(int error, char *words, size_t size);

#endif
