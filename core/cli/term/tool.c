/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* tool.c: the command as the host of tools that are written in Lua (allot/tool.h). */
#include "cli/term/tool.h"
#include "cli/term/hands.h"
#include "cli/term/markup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <allot/service.h>

static int explain(int error, char why[ALLOT_TOOL_WHY_MAX])
{
    if (strerror_r(error, why, ALLOT_TOOL_WHY_MAX) != 0)
        snprintf(why, ALLOT_TOOL_WHY_MAX, "error %d", error);
    return ALLOT_EIO;
}

static void put(void *ud, const char *text, size_t len)
{
    allot__text_add(&((allot__tool_ud *)ud)->cli->out, text, len);
}

static int read_file(void *ud, const char *path, allot_sink sink, void *sink_ud,
                     char why[ALLOT_TOOL_WHY_MAX])
{
    (void)ud;
    int error = allot__cli_drain(path, sink, sink_ud);
    return error == 0 ? ALLOT_OK : explain(error, why);
}

static int write_file(void *ud, const char *path, const char *text, size_t len,
                      char why[ALLOT_TOOL_WHY_MAX])
{
    allot_engine *engine = ((allot__tool_ud *)ud)->cli->engine;
    int error = allot__cli_replace(engine, path, text, len);
    if (error == ENOENT && *path != '\0') {
        allot__cli_make_folders(engine, path, 0777);
        error = allot__cli_replace(engine, path, text, len);
    }
    if (error == ENOMEM)
        return ALLOT_ENOMEM;
    return error == 0 ? ALLOT_OK : explain(error, why);
}

static int list_folder(void *ud, const char *path, allot_sink sink, void *sink_ud,
                       char why[ALLOT_TOOL_WHY_MAX])
{
    (void)ud;
    DIR *folder = opendir(path);
    if (!folder)
        return explain(errno, why);
    int error = 0;
    while (error == 0) {
        errno = 0;
        struct dirent *entry = readdir(folder);
        if (!entry) {
            error = errno;
            break;
        }
        bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        char name[sizeof entry->d_name + 1];
        struct stat about;
        bool is = fstatat(dirfd(folder), entry->d_name, &about, 0) == 0 && S_ISDIR(about.st_mode);
        int len = snprintf(name, sizeof name, "%s%s", entry->d_name, is ? "/" : "");
        if (!self && sink(sink_ud, name, (size_t)len) != 0)
            error = ENOMEM;
    }
    closedir(folder);
    return error == 0 ? ALLOT_OK : explain(error, why);
}

/* ---- Options --------------------------------------------------------------------------------- */

static const char *find_option(void *ud, const char *name)
{
    allot__tool_ud *it = ud;
    const allot__option_row *row = allot__cli_options;
    while (strcmp(row->name, name) != 0)
        row++;
    const char *value = it->cli->options.given[row - allot__cli_options];
    if (!value || row->kind != CLI_LIST)
        return value;
    const allot__list *list =
        (const void *)((const char *)&it->cli->options + row->at); /* its lines */
    it->answer.len = 0;
    for (int i = 0; i < list->count; i++)
        allot__text_printf(&it->answer, "%s%s", i > 0 ? "\n" : "", list->items[i]);
    return it->answer.failed ? NULL : it->answer.bytes;
}

/* ---- Progress -------------------------------------------------------------------------------- */

/* One line of progress, which is overwritten. */
static void show_progress(void *ud, int64_t done, int64_t total, const char *text)
{
    (void)ud;
    if (!isatty(STDERR_FILENO))
        return;
    if (total <= 0)
        dprintf(STDERR_FILENO, "\r\033[K%" PRId64 " %s", done, text);
    else if (done < total)
        dprintf(STDERR_FILENO, "\r\033[K%3d%% %s", (int)(100 * done / total), text);
    else
        dprintf(STDERR_FILENO, "\r\033[K");
}

static int64_t microseconds(void *ud)
{
    struct timespec now;
    (void)ud;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

typedef struct request {
    allot__tool_ud *it;
    const char *text;
    size_t len;
    allot__text *out;
} request;

static int ask_store(const request *of, size_t word)
{
    allot__cli *cli = of->it->cli;
    size_t from = word < of->len ? word : of->len;
    return allot__cli_status(cli, allot_service_log(cli->engine, cli->options.store,
                                                    of->text + from, of->len - from,
                                                    allot__text_sink, of->out, cli->report));
}

static int ask(const request *of)
{
    char method[64];
    const char *result;
    allot__client *client = &of->it->client;
    size_t len, word = strcspn(of->text, " ");
    if (of->it->cli->options.store)
        return ask_store(of, word);
    int code = client->fd < 0 ? allot__client_open(of->it->cli, client) : CLI_DONE;
    bool open = code == CLI_DONE;
    snprintf(method, sizeof method, "%.*s", (int)word, of->text);
    if (open)
        code = allot__client_ask(client, method, word < of->len ? of->text + word : NULL,
                                 of->len - word, &result, &len);
    if (code == CLI_DONE)
        allot__text_add(of->out, result, len);
    else if (!open || code != CLI_NO)
        allot__client_close(client);
    return code;
}

static int terminal(const request *of)
{
    struct winsize size = {0};
    bool is = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    allot__text_printf(of->out, "%d %d%s%s%s", is ? size.ws_col : 0, is ? size.ws_row : 0,
                       isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) ? " keys" : "",
                       allot__cli_colored(of->it->cli->options.color, STDOUT_FILENO) ? " color"
                                                                                     : "",
                       allot__terminal_utf8() ? " utf8" : "");
    return CLI_DONE;
}

static int take(const request *of)
{
    return allot__terminal_take() ? CLI_DONE : allot__cli_status(of->it->cli, ALLOT_EIO);
}

static int give(const request *of)
{
    (void)of;
    allot__terminal_give();
    return CLI_DONE;
}

static int key(const request *of)
{
    allot__terminal_key(atoi(of->text), of->out);
    return CLI_DONE;
}

static int show(const request *of)
{
    allot__cli_write(STDOUT_FILENO, of->text, of->len);
    return CLI_DONE;
}

static int note(const request *of)
{
    allot__cli_write(STDERR_FILENO, of->text, of->len);
    return CLI_DONE;
}

static int forget(const request *of)
{
    allot_report_clear(of->it->cli->report);
    return CLI_DONE;
}

static int folder(const request *of)
{
    if (mkdir(of->text, 0777) == 0 || errno == EEXIST)
        return CLI_DONE;
    char words[CLI_WHY];
    return allot__cli_fail(of->it->cli, CLI_IO, "E-io", NULL, "%.200s cannot be made: %s", of->text,
                           allot__cli_words(errno, words));
}

static int program(const request *of)
{
    char path[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    allot__text_add(of->out, path, len > 0 ? (size_t)len : 0);
    return CLI_DONE;
}

static void put_options(allot__text *out, const allot__verb *verb)
{
    for (const allot__option_row *row = allot__cli_options; row->name; row++) {
        char letter[] = {row->letter, '\0'};
        allot__word argument = allot__cli_argument(verb, row);
        if (allot__cli_knows(verb, row))
            allot__text_printf(out, "option\x1f%s\x1f%s\x1f%.*s\x1f\n", row->name, letter,
                               argument.len, argument.at ? argument.at : "");
    }
}

static int verbs(const request *of)
{
    put_options(of->out, NULL);
    for (const allot__verb *verb = of->it->cli->verbs; verb->name; verb++) {
        const char *live = verb->live_operands;
        allot__text_printf(of->out, "verb\x1f%s\x1f%s\x1f%s%s\n", verb->name, verb->operands,
                           live ? live : "", live ? "\x1f" : "");
        put_options(of->out, verb);
    }
    return CLI_DONE;
}

static int document(const request *of)
{
    allot__text *out = &of->it->cli->out;
    allot__text_add(of->out, out->bytes, out->len);
    out->len = 0;
    return CLI_DONE;
}

static int warnings(const request *of)
{
    allot__cli_warnings_json(of->it->cli->report, of->out);
    return CLI_DONE;
}

static int always(const request *of)
{
    of->it->cli->shows_always = true;
    return CLI_DONE;
}

static int now(const request *of)
{
    allot__text_printf(of->out, "%" PRId64, (int64_t)time(NULL));
    return CLI_DONE;
}

enum { JOB_FIELDS = 7 };

/* Takes the next of the fields that NULs end. */
static const char *next_field(const char **at, const char *end)
{
    const char *field = *at, *stop = memchr(field, '\0', (size_t)(end - field));
    *at = stop ? stop + 1 : end;
    return stop ? field : "";
}

static int map_job(const request *of)
{
    allot__cli *cli = of->it->cli;
    const char *at = of->text, *end = of->text + of->len, *field[JOB_FIELDS];
    allot_mapped mapped = {.slots = -1, .run = -1};
    if (!cli->options.map)
        return CLI_DONE;
    int code = of->it->map ? CLI_DONE : allot__cli_map(cli, &of->it->map);
    if (code != CLI_DONE)
        return code;
    for (int i = 0; i < JOB_FIELDS; i++)
        field[i] = next_field(&at, end);
    allot_record job = {.at = -1,
                        .id = {field[0], -1},
                        .user = {field[1], -1},
                        .group = {field[2], -1},
                        .queue = {field[3], -1},
                        .partition = {field[4], -1},
                        .application = {NULL, -1},
                        .slots = strtoll(field[5], NULL, 10),
                        .priority = strtoll(field[6], NULL, 10),
                        .run = -1,
                        .requested = -1,
                        .waited = -1,
                        .status = -1};
    int status = allot_script_map_record(of->it->map, NULL, &job, &mapped, cli->report);
    if (status == ALLOT_OK)
        allot__text_puts(of->out, mapped.left_out ? "-" : mapped.consumer ? mapped.consumer : "");
    return allot__cli_status(cli, status);
}

static int run_program(const request *of)
{
    char *words;
    long limit = strtol(of->text, &words, 10);
    words += *words == ' ';
    return allot__hands_run(of->it->cli, (int)limit, words, of->len - (size_t)(words - of->text),
                            of->out);
}

static int wait_for(const request *of)
{
    allot__tool_ud *it = of->it;
    if (it->signals < 0)
        it->signals = allot__hands_signals();
    return allot__hands_wait(&it->client, it->signals, atoi(of->text), of->out);
}

static int notify(const request *of)
{
    allot__hands_notify(of->text, of->len);
    return CLI_DONE;
}

static int xml(const request *of)
{
    allot__markup_xml(of->text, of->len, of->out);
    return CLI_DONE;
}

static int yaml(const request *of)
{
    allot__markup_yaml(of->text, of->len, of->out);
    return CLI_DONE;
}

static int start_workers(const request *of)
{
    allot__workers *workers = &of->it->workers;
    allot__workers_start(workers, of->it->cli, atoll(of->text));
    if (workers->self >= 0)
        allot__text_printf(of->out, "%d %d", workers->self + 1, workers->count);
    else
        allot__text_puts(of->out, workers->count > 0 ? "first" : "alone");
    return CLI_DONE;
}

static int send_text(const request *of)
{
    allot__workers_send(&of->it->workers, of->text, of->len);
    return CLI_DONE;
}

static int leave(const request *of)
{
    (void)of;
    allot__workers_leave();
}

static int hear(const request *of)
{
    return allot__workers_hear(&of->it->workers, of->it->cli, of->out);
}

static int stop(const request *of)
{
    allot__workers_stop(&of->it->workers);
    return CLI_DONE;
}

static const struct {
    const char *name;
    int (*run)(const request *of);
} calls[] = {
    {"ask", ask},         {"terminal", terminal},  {"take", take},         {"give", give},
    {"key", key},         {"show", show},          {"note", note},         {"forget", forget},
    {"verbs", verbs},     {"always", always},      {"document", document}, {"folder", folder},
    {"program", program}, {"warnings", warnings},  {"now", now},           {"run", run_program},
    {"wait", wait_for},   {"notify", notify},      {"map", map_job},       {"xml", xml},
    {"yaml", yaml},       {"fork", start_workers}, {"send", send_text},    {"hear", hear},
    {"stop", stop},       {"leave", leave},
};

static int call(void *ud, const char *name, const char *text, size_t len, allot_sink sink,
                void *sink_ud, char why[ALLOT_TOOL_WHY_MAX])
{
    allot__tool_ud *it = ud;
    allot__text out = {.engine = it->cli->engine};
    size_t i = 0;
    while (strcmp(calls[i].name, name) != 0)
        i++;
    int code = calls[i].run(&(request){it, text, len, &out});
    int32_t said = allot_report_count(it->cli->report);
    if (code != CLI_DONE && said > 0)
        snprintf(why, ALLOT_TOOL_WHY_MAX, "%s",
                 allot_report_at(it->cli->report, said - 1)->message);
    if (out.failed || (out.len > 0 && sink(sink_ud, out.bytes, out.len) != 0))
        code = allot__cli_status(it->cli, ALLOT_ENOMEM);
    allot__text_free(&out);
    return code;
}

/* ---- The host -------------------------------------------------------------------------------- */

allot_tool_host allot__cli_host(allot__tool_ud *host, allot__cli *cli)
{
    *host = (allot__tool_ud){.cli = cli,
                             .answer = {.engine = cli->engine},
                             .client = {.fd = -1},
                             .signals = -1,
                             .workers = {.self = -1}};
    return (allot_tool_host){.ud = host,
                             .out = put,
                             .read = read_file,
                             .write = write_file,
                             .list = list_folder,
                             .option = find_option,
                             .progress = show_progress,
                             .clock = microseconds,
                             .call = call};
}

void allot__cli_host_end(allot__tool_ud *host)
{
    allot__workers_stop(&host->workers);
    allot__client_close(&host->client);
    allot__text_free(&host->answer);
    if (host->signals >= 0)
        close(host->signals);
    allot_script_map_free(host->map);
}

static int run(allot__cli *cli, const allot_decision *decision, const char *module,
               const char *function, const char *const *args, int count)
{
    allot__tool_ud it;
    allot_tool_host table = allot__cli_host(&it, cli);
    int answer = CLI_DONE;
    table.decision = decision;
    int status =
        allot_tool_run(cli->engine, &table, module, function, args, count, &answer, cli->report);
    allot__cli_host_end(&it);
    return status == ALLOT_OK ? answer : allot__cli_status(cli, status);
}

int allot__cli_tool(allot__cli *cli, const char *module, const char *function)
{
    return run(cli, NULL, module, function, (const char *const *)cli->operands, cli->operand_count);
}

int allot__cli_tool_about(allot__cli *cli, const allot_decision *decision, const char *module,
                          const char *const *args, int count)
{
    return run(cli, decision, module, "show", args, count);
}

void allot__cli_findings(allot__cli *cli)
{
    allot__tool_ud it;
    const allot_tool_host table = allot__cli_host(&it, cli);
    const char *const args[] = {
        allot__cli_colored((allot__color)cli->options.color, STDERR_FILENO) ? "color" : ""};
    int answer;
    if (allot_report_count(cli->report) > 0 &&
        allot_tool_run(cli->engine, &table, "text.findings", "show", args, 1, &answer,
                       cli->report) != ALLOT_OK)
        dprintf(STDERR_FILENO, "allot: error: %s [ENOMEM]\n", allot_status_text(ALLOT_ENOMEM));
    allot__cli_host_end(&it);
}

int allot__cli_show(allot__cli *cli, int code, const char *module)
{
    if (cli->options.json || code > CLI_NO)
        return code;
    int shown = cli->out.failed ? allot__cli_status(cli, ALLOT_ENOMEM)
                                : allot__cli_tool(cli, module, "show");
    return shown == CLI_DONE ? code : shown;
}
