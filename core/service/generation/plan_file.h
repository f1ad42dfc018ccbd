/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/*
 * plan_file.h: the plan's file with another text, whole or not at all.
 *
 * The text is written beside the file, is on disk, and takes its name: whoever reads the file finds
 * the one text or the other. A link stays one: what it leads to is replaced. Owner (where that is
 * allowed) and mode stay. No function here needs a loop; both block.
 */
#ifndef ALLOT_SERVICE_GENERATION_PLAN_FILE_H
#define ALLOT_SERVICE_GENERATION_PLAN_FILE_H

#include "base/text.h"

/* What was there before, to be put back. Its engine is set by the caller. */
typedef struct allot__plan_file {
    allot__text old;
    bool there;   /* there was a file at all */
    bool written; /* the new text is there, though it may have failed after that */
} allot__plan_file;

/* Reads what is there. EIO (report), ENOMEM. */
int allot__plan_file_read(allot__plan_file *file, const char *path, allot_report *report);
/* Replaces the file that was read. EIO (report): where not `written`, it is as it was. */
int allot__plan_file_write(allot__plan_file *file, const char *path, const char *text, size_t len,
                           allot_report *report);
/* Puts back what was there, if something else was written. EIO (report). */
int allot__plan_file_undo(allot__plan_file *file, const char *path, allot_report *report);

#endif
