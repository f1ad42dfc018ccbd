/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* queues_text.c: what was measured of queues, as a table and as JSON. */
#include "bench/bench.h"

#include <inttypes.h>
#include <stdio.h>

static int32_t freed(const bench_queues_row *row)
{
    return row->orders[ALLOT_ORDER_SUSPEND] + row->orders[ALLOT_ORDER_KILL];
}

static void put_row(const bench_queues_row *row, allot__text *out)
{
    char both[32];
    snprintf(both, sizeof both, "%.1f (%.1f)", row->warm.best * 1e3, row->warm.median * 1e3);
    allot__cli_printf(out,
                      "%-16s  %7" PRId32 "  %7" PRId32 "  %7" PRId32
                      "  %-14s  %-6.1f  %-5.1f  %-6.1f  %5.0f  %5.0f\n",
                      row->site->name, row->jobs, row->orders[ALLOT_ORDER_START], freed(row), both,
                      row->cold.best * 1e3, row->stream.best * 1e3,
                      row->warm.best * 1e9 / row->jobs, (double)row->bytes / row->jobs,
                      (double)row->cycle_bytes / row->jobs);
}

void allot__bench_queues_text(const bench_queues *from, allot__text *out)
{
    if (from->count == 0)
        return;
    allot__cli_puts(out, "\nqueues: ms of a cycle, in brackets the median; from memory that no "
                         "cache has, beside merely reading\nthe state's bytes from there; ns a "
                         "job; bytes a job of the state, and of a cycle beside it\n");
    allot__cli_printf(out, "%-16s  %7s  %7s  %7s  %-14s  %-6s  %-5s  %-6s  %5s  %5s\n", "site",
                      "jobs", "starts", "victims", "cycle", "cold", "read", "ns", "state", "cycle");
    for (int i = 0; i < from->count; i++)
        put_row(&from->rows[i], out);
    const bench_queues_path *path = &from->path;
    if (from->has_path)
        allot__cli_printf(out,
                          "%" PRId32 " jobs as documents, seconds: state %.3f (%.1f MB, sealing "
                          "%.3f), decision %.3f (%.1f MB)\n",
                          path->jobs, path->read.best, (double)path->state_bytes / 1e6,
                          path->seal.best, path->write.best, (double)path->decision_bytes / 1e6);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_time(allot__text *out, const char *name, bench_time time)
{
    allot__cli_printf(out, ", \"%s\": {\"best\": %.9g, \"median\": %.9g}", name, time.best,
                      time.median);
}

static void put_site(const bench_queues_row *row, allot__text *out)
{
    allot__cli_printf(out,
                      "{\"name\": \"%s\", \"jobs\": %" PRId32 ", \"starts\": %" PRId32
                      ", \"victims\": %" PRId32,
                      row->site->name, row->jobs, row->orders[ALLOT_ORDER_START], freed(row));
    put_time(out, "cycle_s", row->warm);
    put_time(out, "cycle_cold_s", row->cold);
    put_time(out, "stream_cold_s", row->stream);
    allot__cli_printf(out,
                      ", \"ns_per_job\": %.4g, \"state_bytes_per_job\": %.4g, "
                      "\"cycle_bytes_per_job\": %.4g}",
                      row->warm.best * 1e9 / row->jobs, (double)row->bytes / row->jobs,
                      (double)row->cycle_bytes / row->jobs);
}

void allot__bench_queues_json(const bench_queues *from, allot__text *out)
{
    if (from->count == 0)
        return;
    allot__cli_puts(out, ", \"queues\": [");
    for (int i = 0; i < from->count; i++) {
        allot__cli_puts(out, i > 0 ? ", " : "");
        put_site(&from->rows[i], out);
    }
    allot__cli_puts(out, "]");
    const bench_queues_path *path = &from->path;
    if (!from->has_path)
        return;
    allot__cli_printf(out,
                      ", \"queue_documents\": {\"jobs\": %" PRId32 ", \"state_bytes\": %zu, "
                      "\"decision_bytes\": %zu",
                      path->jobs, path->state_bytes, path->decision_bytes);
    put_time(out, "state_s", path->read);
    put_time(out, "seal_s", path->seal);
    put_time(out, "write_s", path->write);
    allot__cli_puts(out, "}");
}
