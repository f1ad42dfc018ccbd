/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* import.c: the verb `import`: a plan from a site's LSF files, and what could not be carried over.
 */
#include "cli/term/cli.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The notes as they come: lines for people, or members of a list. */
typedef struct notes {
    allot__text text;
    bool json;
    int64_t count;
    allot_report *report; /* for what keeps the files from being a plan */
} notes;

static void put_note(void *ud, const allot_diagnostic *finding)
{
    notes *out = ud;
    if (finding->severity == ALLOT_ERROR) {
        allot_report_add(out->report, finding);
        return;
    }
    if (!out->json) {
        allot__text_puts_safe(&out->text, finding->file, strlen(finding->file));
        allot__text_printf(&out->text, ":%" PRId32 ":%" PRId32 ": note: ", finding->line,
                           finding->col);
        allot__text_puts_safe(&out->text, finding->message, strlen(finding->message));
        allot__text_puts(&out->text, "\n");
    } else {
        allot__text_puts(&out->text, out->count > 0 ? ",\n" : "\n");
        allot__text_puts(&out->text, "{\"file\": ");
        allot__text_json(&out->text, finding->file);
        allot__text_printf(&out->text, ", \"line\": %" PRId32 ", \"col\": %" PRId32, finding->line,
                           finding->col);
        allot__text_puts(&out->text, ", \"message\": ");
        allot__text_json(&out->text, finding->message);
        allot__text_puts(&out->text, "}");
    }
    out->count++;
}

static int read_files(allot__cli *cli, allot__text *texts, allot_lsf_file *files)
{
    for (int i = 0; i < cli->operand_count; i++) {
        texts[i].engine = cli->engine;
        int code = allot__cli_read(cli, cli->operands[i], &texts[i]);
        if (code != CLI_DONE)
            return code;
        files[i] =
            (allot_lsf_file){allot__cli_file_name(cli->operands[i]), texts[i].bytes, texts[i].len};
    }
    return CLI_DONE;
}

/* The plan goes to standard output and the notes to standard error; as a document both are one. */
static void show(allot__cli *cli, const allot__text *plan, notes *told)
{
    allot__text *out = &cli->out;
    if (cli->options.json) {
        allot__text_puts(out, "{\"schema\": \"allot/import/v1\", \"plan\":\n");
        allot__text_add(out, plan->bytes, plan->len);
        allot__text_puts(out, ", \"notes\": [");
        allot__text_add(out, told->text.bytes, told->text.len);
        allot__text_puts(out, told->count > 0 ? "\n]}\n" : "]}\n");
        return;
    }
    allot__text_add(out, plan->bytes, plan->len);
    allot__cli_write(STDERR_FILENO, told->text.bytes, told->text.len);
}

int allot__cli_import(allot__cli *cli)
{
    enum { MOST = 64 };
    allot__text texts[MOST] = {{0}}, plan = {.engine = cli->engine};
    allot_lsf_file files[MOST];
    notes told = {
        .text = {.engine = cli->engine}, .json = cli->options.json, .report = cli->report};
    if (cli->operand_count > MOST)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "import reads at most %d files",
                               MOST);
    int code = read_files(cli, texts, files);
    if (code == CLI_DONE) {
        int status = allot_lsf_import(cli->engine, files, cli->operand_count, allot__text_sink,
                                      &plan, put_note, &told);
        code = status == ALLOT_OK ? CLI_DONE : allot__cli_status(cli, status);
    }
    if (code == CLI_DONE)
        show(cli, &plan, &told);
    if (code == CLI_DONE && (plan.failed || told.text.failed))
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    for (int i = 0; i < cli->operand_count; i++)
        allot__text_free(&texts[i]);
    allot__text_free(&plan);
    allot__text_free(&told.text);
    return code;
}
