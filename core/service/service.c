/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* service.c: the life of a service. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "service/life.h"
#include "service/notify/notify.h"
#include "service/reload/reload.h"
#include "service/shadow/shadow.h"
#include "service/sync/sync.h"
#include "service/view/http.h"
#include "service/wire/wire.h"

enum { STOP_PATIENCE = 5000 };

/* ---- Configuration --------------------------------------------------------------------------- */

void allot_service_config_init(allot_service_config *config)
{
    *config = (allot_service_config){.size = sizeof *config,
                                     .lease = 3000,
                                     .interval = 1000,
                                     .cycle_limit = 1000,
                                     .debounce = 10,
                                     .keep = 1000000,
                                     .keep_size = INT64_C(2) << 30,
                                     .snapshot = 200000,
                                     .clients = 1000,
                                     .socket_gid = -1,
                                     .most_change = -1,
                                     .watch = 1,
                                     .log_level = ALLOT_LOG_INFO};
}

static int copy_text(allot_service *service, const char **text)
{
    if (!*text)
        return ALLOT_OK;
    *text = allot__copy(service->engine, *text, strlen(*text));
    return *text ? ALLOT_OK : ALLOT_ENOMEM;
}

/* Each text is always the service's or NULL, so that an incomplete service can be freed. */
static int copy_config(allot_service *service, const allot_service_config *from)
{
    allot_service_config *config = &service->config;
    const char **texts[] = {&config->plan,       &config->store, &config->address,
                            &config->socket,     &config->tcp,   &config->token,
                            &config->token_file, &config->http,  &config->notify};
    *config = *from;
    config->uids = NULL;
    int status = ALLOT_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (status == ALLOT_OK)
            status = copy_text(service, texts[i]);
        else
            *texts[i] = NULL;
    if (status == ALLOT_OK && from->uid_count > 0) {
        uint32_t *uids = allot__new(service->engine, (size_t)from->uid_count, sizeof *uids);
        if (!uids)
            return ALLOT_ENOMEM;
        memcpy(uids, from->uids, (size_t)from->uid_count * sizeof *uids);
        config->uids = uids;
    }
    if (status == ALLOT_OK && !config->store) {
        allot__text name = {.engine = service->engine};
        allot__text_puts(&name, config->plan);
        allot__text_puts(&name, ".db");
        config->store = name.failed ? NULL : allot__copy(service->engine, name.bytes, name.len);
        allot__text_free(&name);
        status = config->store ? ALLOT_OK : ALLOT_ENOMEM;
    }
    return status;
}

static int check_tokens(const allot_service_config *config, allot_report *report)
{
    size_t len;
    int32_t line = config->token ? allot__tokens_wrong(config->token, &len) : 0;
    char message[100];
    if (line == 0)
        return ALLOT_OK;
    snprintf(message, sizeof message, "a token has 16 to 1024 bytes, found %zu", len);
    allot_report_add(report, &(allot_diagnostic){.severity = ALLOT_ERROR,
                                                 .code = "E-token",
                                                 .file = config->token_file,
                                                 .line = config->token_file ? line : 0,
                                                 .message = message,
                                                 .consumer = -1,
                                                 .group = -1,
                                                 .field = -1});
    return ALLOT_EINVALID;
}

static int check_config(const allot_service_config *config, allot_report *report)
{
    const char *wrong = NULL;
    if (config->size != sizeof *config || !config->plan)
        wrong = "a service needs a plan";
    else if (config->tcp && !config->token)
        wrong = "TCP needs a token, which clients call `auth` with";
    else if (config->interval < 0 || config->cycle_limit < 0 || config->debounce < 0 ||
             config->keep < 0 || config->keep_age < 0 || config->keep_size < 0 ||
             config->snapshot < 1 || config->clients < 1 || config->lease < 100 ||
             config->watchdog < 0 || config->most_change < -1 ||
             (config->socket_mode & ~0777) != 0 || config->socket_gid < -1 ||
             config->socket_gid >= UINT32_MAX)
        wrong = "a number of the service's configuration is out of range";
    if (!wrong)
        return check_tokens(config, report);
    allot_report_say(report, ALLOT_ERROR, "E-usage", "%s", wrong);
    return ALLOT_EUSAGE;
}

/* ---- Open files ------------------------------------------------------------------------------ */

/* Files other than connections: the store's, listeners, watched folders, policies being read,
 * clients being turned away, and the loop's own. And connections to the live view at once, if the
 * file limit allows; more wait. */
enum { FILES_OTHER = 48, FILES_VIEWERS = 640 };

static int64_t allowed(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur > INT32_MAX)
        return INT32_MAX;
    return (int64_t)limit.rlim_cur;
}

/* The configured numbers of connections; if RLIMIT_NOFILE allows fewer, its share for each, and a
 * warning (report; W-files). A service never uses the last files, so it can always read policies
 * and accept a connection. */
static allot__files share_files(const allot_service_config *config, allot_report *report)
{
    allot__files share = {config->clients, config->http ? FILES_VIEWERS : 0};
    int64_t most = allowed(), wanted = (int64_t)share.clients + share.viewers + FILES_OTHER;
    if (wanted <= most)
        return share;
    int64_t spare = most > FILES_OTHER + 4 ? most - FILES_OTHER : 4;
    if (share.viewers > spare / 4)
        share.viewers = (int32_t)(spare / 4);
    if (share.clients > spare - share.viewers)
        share.clients = (int32_t)(spare - share.viewers);
    allot_diagnostic warning = {
        .severity = ALLOT_WARNING, .code = "W-files", .consumer = -1, .group = -1, .field = -1};
    char message[200];
    snprintf(message, sizeof message,
             "all connections take %" PRId64 " open files, and the system allows %" PRId64
             ": at most %d clients and %d viewers at once",
             wanted, most, (int)share.clients, (int)share.viewers);
    warning.message = message;
    warning.hint = "LimitNOFILE= of the unit, or ulimit -Hn, says how many";
    allot_report_add(report, &warning);
    return share;
}

/* ---- Components ------------------------------------------------------------------------------ */

/* The row members of a component with a struct. */
#define STRUCT(type, member)                                                                       \
    .size = sizeof(type), .slot = offsetof(allot_service, components.member)

/* In the order of starting. */
static const allot__component components[] = {
    {.name = "hold", .leads = true, .start = allot__hold_start, .stop = allot__hold_stop},
    {.name = "clock", .status = allot__clock_status},
    {.name = "sync", .status = allot__sync_status},
    {.name = "reload",
     .leads = true,
     STRUCT(allot__reload, reload),
     .start = allot__reload_start,
     .stop = allot__reload_stop,
     .free = allot__reload_free,
     .cycle = allot__reload_cycle,
     .status = allot__reload_status},
    {.name = "shadow",
     .leads = true,
     STRUCT(allot__shadow, shadow),
     .start = allot__shadow_start,
     .stop = allot__shadow_stop,
     .cycle = allot__shadow_cycle,
     .swapped = allot__shadow_swapped,
     .status = allot__shadow_status},
    {.name = "view",
     STRUCT(allot__view, view),
     .free = allot__view_free,
     .cycle = allot__view_cycle,
     .swapped = allot__view_swapped,
     .status = allot__view_status},
    {.name = "http",
     STRUCT(allot__http, http),
     .start = allot__http_start,
     .stop = allot__http_stop,
     .status = allot__http_status},
    /* The last: it notifies the manager that everything is ready. */
    {.name = "notify",
     STRUCT(allot__notify, notify),
     .start = allot__notify_start,
     .stop = allot__notify_stop},
    {.name = NULL},
};

static int make_components(allot_service *service)
{
    for (const allot__component *it = components; it->name; it++) {
        void *made = it->size > 0 ? allot__new(service->engine, 1, it->size) : NULL;
        if (it->size > 0 && !made)
            return ALLOT_ENOMEM;
        if (made)
            memcpy((char *)service + it->slot, &made, sizeof made);
    }
    return ALLOT_OK;
}

static void free_components(allot_service *service)
{
    for (const allot__component *it = components; it->name; it++) {
        void *made = NULL;
        if (it->size > 0)
            memcpy(&made, (char *)service + it->slot, sizeof made);
        if (made && it->free)
            it->free(service);
        allot__free(service->engine, made, 1, it->size);
    }
}

/* ---- Birth ----------------------------------------------------------------------------------- */

static int make(allot_service *service, const allot_service_config *config, allot_report *report)
{
    int status = copy_config(service, config);
    service->files = share_files(config, report);
    if (status == ALLOT_OK)
        status = allot__event_reader_new(service->engine, &service->reader);
    if (status == ALLOT_OK)
        status = allot__event_keys_new(service->engine, &service->keys);
    if (status == ALLOT_OK)
        status = allot__service_begin(service, report);
    if (status == ALLOT_OK)
        status = allot__feed_new(service, &service->feed);
    if (status == ALLOT_OK)
        status = make_components(service);
    return status;
}

static void step_to_end(allot_service *service);

static const allot__upcalls up = {.components = components,
                                  .methods = allot__methods,
                                  .enter = allot__service_enter,
                                  .swap = allot__service_swap,
                                  .grow = allot__reload_grow,
                                  .released = allot__wire_release,
                                  .settle = allot__cycle_settle,
                                  .touch = allot__cycle_touch,
                                  .decide = allot__cycle_run,
                                  .closed = step_to_end};

static void stop_alone(void *service)
{
    allot_service_stop(service, NULL, NULL);
}

int allot_service_new(allot_engine *engine, struct uv_loop_s *loop,
                      const allot_service_config *config, allot_report *report, allot_service **out)
{
    int status = check_config(config, report);
    if (status != ALLOT_OK)
        return status;
    allot_service *service = allot__new(engine, 1, sizeof *service);
    if (!service)
        return ALLOT_ENOMEM;
    service->engine = engine;
    service->loop = loop;
    service->up = &up;
    service->failed_hook = stop_alone;
    service->failed_ud = service;
    status = make(service, config, report);
    if (status == ALLOT_OK)
        *out = service;
    else
        allot_service_free(service);
    return status;
}

void allot_service_free(allot_service *service)
{
    if (!service)
        return;
    allot_engine *engine = service->engine;
    allot_service_config *config = &service->config;
    const char *texts[] = {config->plan,       config->store, config->address,
                           config->socket,     config->tcp,   config->token,
                           config->token_file, config->http,  config->notify};
    free_components(service);
    allot__waiters_free(service);
    allot__feed_free(service->feed);
    allot__cycle_free(service);
    allot__wire_free(service);
    allot__store_close(service->store);
    allot__event_keys_free(service->keys);
    allot__event_reader_free(service->reader);
    allot_json_close(service->params);
    allot__books_end(service->books);
    allot__sample_states_clear(&service->loaded);
    allot__generation_free(service->generation);
    allot__plan_texts_free(service->before);
    allot__candidate_free(service->refused);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        allot__free_string(engine, (char *)texts[i]);
    allot__free(engine, (void *)config->uids, (size_t)config->uid_count, sizeof *config->uids);
    allot__free(engine, service, 1, sizeof *service);
}

/* ---- Running --------------------------------------------------------------------------------- */

static void on_tick(uv_timer_t *timer)
{
    allot_service *service = timer->data;
    if (allot__store_leads(service->store)) {
        allot__clock_set(service);
        allot__service_let_go(service);
    }
    if (service->stopping)
        step_to_end(service);
}

static void on_committed(void *ud, int64_t batch)
{
    allot_service *service = ud;
    allot__waiters_committed(service, batch);
    allot__wire_committed(service, batch);
    if (service->stopping)
        step_to_end(service);
}

static void on_trouble(void *ud, const char *text)
{
    allot_service *service = ud;
    allot__log_field fields[] = {{"store", service->config.store, 0}, {"why", text, 0}, {0}};
    if (text) {
        allot__log(service, ALLOT_LOG_ERROR,
                   "the store cannot be written: nothing is acknowledged until it can", fields);
        return;
    }
    fields[1].name = NULL;
    allot__log(service, ALLOT_LOG_WARNING, "the store works again", fields);
    allot__cycle_touch(service);
}

/* Those that only a leader has, or the others. */
static int start_parts(allot_service *service, bool leads, allot_report *report)
{
    int status = ALLOT_OK;
    for (const allot__component *component = components; component->name && status == ALLOT_OK;
         component++)
        if (component->start && component->leads == leads)
            status = component->start(service, report);
    return status;
}

static void note_life(allot_service *service, const char *kind)
{
    allot__text text = {.engine = service->engine};
    allot__text_puts(&text, "{");
    allot__text_member(&text, "version", allot_version());
    allot__text_number(&text, "pid", (int64_t)uv_os_getpid());
    allot__text_puts(&text, "}");
    allot__note(service, kind, NULL, &text);
}

/* Decides and takes events from now on. */
static int lead(allot_service *service, allot_report *report)
{
    int status = allot__service_keep(service);
    if (status == ALLOT_OK) {
        note_life(service, "start");
        allot__cycle_start(service);
    }
    return status == ALLOT_OK ? start_parts(service, true, report) : status;
}

/* Nobody has subscribed yet: the feed begins with the next decision. One that stops leaves the lead
 * again when it closes the store. */
static void on_led(void *ud)
{
    allot_service *service = ud;
    if (service->stopping)
        return;
    allot__log(service, ALLOT_LOG_WARNING, "this service leads", NULL);
    allot__feed_free(service->feed);
    if (allot__feed_new(service, &service->feed) != ALLOT_OK || lead(service, NULL) != ALLOT_OK)
        allot__service_fail(service, "no memory to lead");
}

static void on_lost(void *ud, bool again, const char *why)
{
    allot_service *service = ud;
    service->again = again;
    allot__wire_lose(service);
    allot__service_fail(service, why);
}

/* Logs the plan, where it listens, and the last numbers. */
static void log_start(allot_service *service)
{
    const allot_service_config *config = &service->config;
    const allot__log_field texts[] = {{"plan", config->plan, 0},
                                      {"store", config->store, 0},
                                      {"socket", config->socket, 0},
                                      {"tcp", config->tcp, 0},
                                      {"http", config->http, 0}};
    allot__log_field fields[8] = {{0}};
    int count = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text)
            fields[count++] = texts[i];
    fields[count++] = (allot__log_field){"events", NULL, service->event};
    fields[count] = (allot__log_field){"decisions", NULL, service->seq};
    allot__log(service, ALLOT_LOG_INFO,
               allot__store_leads(service->store) ? "the service runs" : "the service stands by",
               fields);
}

int allot_service_start(allot_service *service, allot_report *report)
{
    if (service->running || service->stopping)
        return ALLOT_EUSAGE;
    service->started = uv_hrtime();
    uv_timer_init(service->loop, &service->ticker);
    service->ticker.data = service;
    service->ticking = service->running = true;
    allot__handle_open(service);
    uv_timer_start(&service->ticker, on_tick, 1000, 1000);
    const allot__store_hooks hooks = {
        .ud = service,
        .committed = on_committed,
        .troubled = on_trouble,
        .rows = {service, NULL, allot__service_follow_event, allot__service_follow_cycle},
        .led = on_led,
        .lost = on_lost};
    int status = allot__store_attach(service->store, service->loop, &hooks);
    if (status == ALLOT_OK && allot__store_leads(service->store))
        status = lead(service, report);
    if (status == ALLOT_OK)
        status = allot__wire_start(service, report);
    if (status == ALLOT_OK)
        status = start_parts(service, false, report);
    if (status == ALLOT_OK)
        log_start(service);
    return status;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Everything has ended; the ticker was the last handle. */
static void finish(allot_service *service)
{
    if (service->handles > 0 || !service->running)
        return;
    service->running = false;
    allot__log(service, ALLOT_LOG_INFO, "the service has stopped", NULL);
    if (service->stopped)
        service->stopped(service->stopped_ud);
}

/* Waits for the store, so that its answers go out; then closes everything, step by step. */
static void step_to_end(allot_service *service)
{
    bool late = uv_now(service->loop) >= service->stop_at;
    if (service->handles == 0) {
        finish(service);
        return;
    }
    if (service->ticking && allot__store_working(service->store))
        return;
    if (service->ticking && !allot__store_idle(service->store) && !late)
        return;
    allot__wire_stop(service);
    allot__wire_end(service);
    if (!service->ticking || service->handles > 1)
        return;
    service->ticking = false;
    allot__store_detach(service->store);
    allot__handle_close(&service->ticker);
}

void allot_service_stop(allot_service *service, void (*done)(void *ud), void *ud)
{
    service->stopped = done;
    service->stopped_ud = ud;
    if (!service->running && done)
        done(ud);
    if (!service->running || service->stopping)
        return;
    service->stop_at = uv_now(service->loop) + STOP_PATIENCE;
    for (const allot__component *component = components; component->name; component++)
        if (component->stop)
            component->stop(service);
    if (!service->failed && allot__store_leads(service->store)) {
        note_life(service, "stop");
        allot__service_snapshot(service, true);
    }
    service->stopping = true;
    allot__cycle_stop(service);
    allot__wire_quiet(service);
    uv_timer_start(&service->ticker, on_tick, 0, 20);
}

/* ---- Getters --------------------------------------------------------------------------------- */

void allot_service_watch(allot_service *service,
                         void (*decided)(void *ud, int64_t number, const char *text, size_t len),
                         void *ud)
{
    service->decided = decided;
    service->decided_ud = ud;
}

int allot_service_leads(const allot_service *service)
{
    return allot__store_leads(service->store);
}

int64_t allot_service_decisions(const allot_service *service)
{
    return service->seq;
}

int64_t allot_service_events(const allot_service *service)
{
    return service->event;
}
