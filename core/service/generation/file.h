/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * file.h: reads a file, only a regular one and up to a size limit; and replaces the plan's file.
 *
 * Endless devices, FIFOs without a writer and files that grow while they are read are refused;
 * opening them does not wait. Errors are errno's, or these. No function here needs a loop; all
 * block.
 */
#ifndef ALLOT_SERVICE_GENERATION_FILE_H
#define ALLOT_SERVICE_GENERATION_FILE_H

#include "base/text.h"

enum {
    ALLOT__READ_IRREGULAR = -1, /* a folder, a device, a FIFO, a socket */
    ALLOT__READ_LARGE = -2,
    ALLOT__READ_OUTSIDE = -3 /* not beneath the folder */
};

/* Bytes at most. */
#define ALLOT__READ_PLAN   ((int64_t)256 * 1024 * 1024)
#define ALLOT__READ_POLICY ((int64_t)1024 * 1024)

/* Appends the file's content, at most `most` bytes, to `out`; 0, or an error (also ENOMEM).
 * `beside` NULL: links may lead anywhere. Else a client named the path: it is relative to the
 * folder of that file or begins with the folder's path; the rest has no "..", and links on it stay
 * beneath the folder. */
int allot__reading(const char *path, const char *beside, int64_t most, allot__text *out);
/* An error in words. */
void allot__reading_why(int error, char *words, size_t size);

/* The text of the plan's file is replaced atomically: written to a file beside, synced, and
 * renamed. A reader finds either the old text or the new. A link stays: its target is replaced.
 * Owner (if permitted) and mode stay. */

/* The old content, for undo. The caller sets the engine of `old`. */
typedef struct allot__plan_file {
    allot__text old;
    bool there;   /* the file existed */
    bool written; /* the new text is in place, even if a later step failed */
} allot__plan_file;

/* Reads the old content. EIO (report), ENOMEM. */
int allot__plan_file_read(allot__plan_file *file, const char *path, allot_report *report);
/* Replaces the file that was read. EIO (report): unless `written`, the file is unchanged. */
int allot__plan_file_write(allot__plan_file *file, const char *path, const char *text, size_t len,
                           allot_report *report);
/* Restores the old content if the file was written. EIO (report). */
int allot__plan_file_undo(allot__plan_file *file, const char *path, allot_report *report);

#endif
