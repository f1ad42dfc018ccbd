/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* serve.c: the verb `serve`: runs a service, configured by the command line and variables. */
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>

#include <allot/service.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/term/cli.h"

static int read_uids(allot__cli *cli, uint32_t *uids)
{
    const allot__list *allow = &cli->options.allow;
    for (int i = 0; i < allow->count; i++) {
        char *end;
        errno = 0;
        unsigned long long uid = strtoull(allow->items[i], &end, 10);
        if (errno != 0 || *end != '\0' || allow->items[i][0] < '0' || allow->items[i][0] > '9' ||
            uid > UINT32_MAX)
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                                   "--allow is the number of a user, not \"%.100s\"",
                                   allow->items[i]);
        uids[i] = (uint32_t)uid;
    }
    return CLI_DONE;
}

/* The socket's mode, in octal, and its group, by name or number. */
static int read_socket(allot__cli *cli, allot_service_config *config)
{
    const allot__options *options = &cli->options;
    const char *mode = options->socket_mode, *group = options->socket_group;
    char *end;
    if (mode) {
        long bits = strtol(mode, &end, 8);
        if (*end != '\0' || end == mode || bits < 0600 || bits > 0777)
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                                   "--socket-mode is a mode like 0660, not \"%.100s\"", mode);
        config->socket_mode = (int32_t)bits;
    }
    if (!group)
        return CLI_DONE;
    unsigned long gid = strtoul(group, &end, 10);
    const struct group *known = getgrnam(group);
    bool number = *group >= '0' && *group <= '9' && *end == '\0' && gid < UINT32_MAX;
    if (!known && !number)
        return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL, "there is no group \"%.100s\"",
                               group);
    config->socket_gid = known ? (int64_t)known->gr_gid : (int64_t)gid;
    return CLI_DONE;
}

/* Suffixes of a whole number, and their factors; events: 1. */
static int64_t unit_of(const char *text, allot_service_config *config, int64_t **out)
{
    static const struct {
        const char *name;
        int64_t size;
        bool is_time;
    } units[] = {{"s", 1, true},
                 {"m", 60, true},
                 {"h", 3600, true},
                 {"d", 86400, true},
                 {"w", 604800, true},
                 {"K", INT64_C(1) << 10, false},
                 {"M", INT64_C(1) << 20, false},
                 {"G", INT64_C(1) << 30, false},
                 {"T", INT64_C(1) << 40, false}};
    *out = &config->keep;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(text, units[i].name) == 0) {
            *out = units[i].is_time ? &config->keep_age : &config->keep_size;
            return units[i].size;
        }
    return *text == '\0' ? 1 : 0;
}

/* One bound of --keep: a number with its unit. */
static bool read_keep(const char *text, size_t len, allot_service_config *config)
{
    char word[32], *end;
    int64_t *of;
    if (len >= sizeof word || *text < '0' || *text > '9')
        return false;
    memcpy(word, text, len);
    word[len] = '\0';
    errno = 0;
    long long number = strtoll(word, &end, 10);
    int64_t size = unit_of(end, config, &of);
    if (errno != 0 || size == 0 || number > INT64_MAX / size || (of != &config->keep && number < 1))
        return false;
    *of = number * size;
    return true;
}

/* Given bounds replace all defaults: a bound not given is no bound. */
static int read_keeps(allot__cli *cli, allot_service_config *config)
{
    const char *text = cli->options.keep;
    if (!text)
        return CLI_DONE;
    config->keep = INT64_MAX;
    config->keep_age = config->keep_size = 0;
    for (size_t len; true; text += len + 1) {
        len = strcspn(text, ",");
        if (!read_keep(text, len, config))
            return allot__cli_fail(cli, CLI_USAGE, "E-usage", NULL,
                                   "--keep is a number of events, a time (s, m, h, d, w), a size "
                                   "(K, M, G, T), or several of them as 7d,2G, not \"%.100s\"",
                                   cli->options.keep);
        if (text[len] == '\0')
            return CLI_DONE;
    }
}

/* ---- What the system gives ------------------------------------------------------------------- */

/* Files besides clients: the live view's connections, the store, listeners, watched folders,
 * policies being read. */
enum { VIEW_FILES = 648, OTHER_FILES = 128 };

/* Raises the limit of open files to what the connections need, or to the most that the system
 * allows; the service then has fewer connections, with a warning. */
static void allow_files(const allot_service_config *config)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)config->clients + (config->http ? VIEW_FILES : 0) + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur =
        limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted ? wanted : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID as sd_watchdog_enabled(3) does: a watchdog
 * may be for an earlier process. Texts are the environment's. */
static void ask_manager(allot_service_config *config)
{
    const char *socket = getenv("NOTIFY_SOCKET"), *every = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");
    config->notify = socket != NULL && *socket != '\0' ? socket : NULL;
    if (!every || (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid()))
        return;
    long long watchdog = strtoll(every, NULL, 10);
    config->watchdog = watchdog > 0 ? watchdog : 0;
}

/* ---- The verb -------------------------------------------------------------------------------- */

static void configure(const allot__cli *cli, allot_service_config *config)
{
    const allot__options *options = &cli->options;
    config->plan = cli->operands[0];
    config->store = options->store;
    config->address = options->address;
    config->wait = options->wait;
    if (allot__cli_given(cli, "lease"))
        config->lease = options->lease;
    config->socket = options->socket;
    config->tcp = options->tcp;
    config->http = options->http;
    config->watch = !options->no_watch;
    config->log_json = options->log;
    if (allot__cli_given(cli, "log-level"))
        config->log_level = options->log_level;
    if (allot__cli_given(cli, "debounce"))
        config->debounce = options->debounce;
    if (allot__cli_given(cli, "cycle-limit"))
        config->cycle_limit = options->cycle_limit;
    if (allot__cli_given(cli, "interval"))
        config->interval = options->interval * 1000;
    if (allot__cli_given(cli, "most-change"))
        config->most_change = options->most_change;
    if (options->snapshot > 0)
        config->snapshot = options->snapshot;
    if (options->clients > 0)
        config->clients = (int32_t)options->clients;
}

int allot__cli_serve(allot__cli *cli)
{
    allot_service_config config;
    uint32_t uids[CLI_LIST_MOST];
    allot__text token = {.engine = cli->engine}, socket = {.engine = cli->engine};
    allot_service_config_init(&config);
    configure(cli, &config);
    int code = read_uids(cli, uids);
    if (code == CLI_DONE)
        code = read_keeps(cli, &config);
    config.uids = uids;
    config.uid_count = cli->options.allow.count;
    if (code == CLI_DONE && cli->options.token_file)
        code = allot__cli_read(cli, cli->options.token_file, &token);
    if (code == CLI_DONE && cli->options.token_file)
        allot__text_add(&token, "", 1);
    if (token.failed)
        code = allot__cli_status(cli, ALLOT_ENOMEM);
    if (code == CLI_DONE)
        code = read_socket(cli, &config);
    config.token = token.bytes;
    config.token_file = cli->options.token_file;
    ask_manager(&config);
    allow_files(&config);
    if (!config.socket) {
        allot__text_printf(&socket, "%s.sock", config.plan);
        allot__text_add(&socket, "", 1);
        config.socket = socket.bytes;
    }
    if (code == CLI_DONE) {
        int status = allot_service_serve(cli->engine, &config, cli->report, NULL, NULL);
        code = status == ALLOT_EUSAGE ? CLI_USAGE : allot__cli_status(cli, status);
    }
    allot__text_free(&token);
    allot__text_free(&socket);
    return code;
}
