/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* lsf.c: any bytes as LSF's files, parted by form feeds: they are refused with a place, or what
 * comes of them is a plan that can be read. */
#include "test/fuzz/fuzz.h"

enum { FILES_MOST = 6 };

typedef struct written {
    char *bytes;
    size_t len;
} written;

static int take(void *ud, const char *bytes, size_t len)
{
    written *it = ud;
    char *more = realloc(it->bytes, it->len + len);
    MUST(more != NULL);
    memcpy(more + it->len, bytes, len);
    it->bytes = more;
    it->len += len;
    return 0;
}

static void note(void *ud, const allot_diagnostic *finding)
{
    (void)ud;
    MUST(finding->line > 0 && finding->col > 0 && finding->file && finding->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[FILES_MOST] = {
        "lsb.queues", "lsb.params", "lsb.hosts", "lsb.users", "lsb.resources", "lsb.applications"};
    allot_lsf_file files[FILES_MOST];
    const char *at = (const char *)data, *end = at + size;
    int32_t count = 0;
    for (; count < FILES_MOST && at <= end; count++) {
        const char *to = at < end ? memchr(at, '\f', (size_t)(end - at)) : NULL;
        to = to != NULL && count < FILES_MOST - 1 ? to : end;
        files[count] = (allot_lsf_file){names[count], at, (size_t)(to - at)};
        at = to + 1;
    }
    fuzz it;
    written out = {0};
    allot_plan *plan = NULL;
    fuzz_begin(&it);
    int status = allot_lsf_import(it.engine, files, count, take, &out, note, NULL);
    MUST(status == ALLOT_OK || (status == ALLOT_EINVALID && out.len == 0));
    if (status == ALLOT_OK)
        MUST(fuzz_plan(&it, out.bytes, out.len, &plan) == ALLOT_OK);
    allot_plan_free(plan);
    free(out.bytes);
    fuzz_end(&it);
    return 0;
}
