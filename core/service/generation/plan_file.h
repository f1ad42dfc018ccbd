/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan_file.h: replaces the text of the plan's file atomically.
 *
 * The text is written to a file beside, synced, and renamed: a reader finds either the old text or
 * the new. A link stays: its target is replaced. Owner (if permitted) and mode stay. No function
 * here needs a loop; all block.
 */
#ifndef ALLOT_SERVICE_GENERATION_PLAN_FILE_H
#define ALLOT_SERVICE_GENERATION_PLAN_FILE_H

#include "base/text.h"

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
