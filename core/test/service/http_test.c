/* SPDX-License-Identifier: MIT */
/* Copyright the allot authors */
/* Tests of the live view over a raw socket on the service's own loop, also when memory runs out. */
#include "service/view/http.h"

#include "test/support/service_fail.h"

static void with_view(allot_service_config *config)
{
    config->http = "127.0.0.1:0";
    config->watch = 0;
}

static void with_token(allot_service_config *config)
{
    with_view(config);
    config->token = "sesame-sesame-sesame";
}

/* ---- A client on the loop -------------------------------------------------------------------- */

typedef struct client {
    uv_tcp_t tcp;
    uv_connect_t connecting;
    uv_write_t writing;
    const char *text;
    size_t size;
    char got[65536];
    size_t len;
    bool over, closed;
} client;

static void on_written(uv_write_t *request, int status)
{
    client *it = request->data;
    it->over = it->over || status != 0;
}

static void room(uv_handle_t *handle, size_t wanted, uv_buf_t *out)
{
    client *it = handle->data;
    (void)wanted;
    if (it->len + 1 >= sizeof it->got)
        it->len = 0; /* of what is longer the end is enough */
    *out = uv_buf_init(it->got + it->len, (unsigned)(sizeof it->got - 1 - it->len));
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
    client *it = stream->data;
    (void)buf;
    it->over = it->over || got < 0;
    it->len += got > 0 ? (size_t)got : 0;
    it->got[it->len] = '\0';
}

static void tell(client *it, const char *bytes, size_t size)
{
    uv_buf_t buf = uv_buf_init((char *)bytes, (unsigned)size);
    it->writing.data = it;
    uv_write(&it->writing, (uv_stream_t *)&it->tcp, &buf, 1, on_written);
}

static void on_connected(uv_connect_t *request, int status)
{
    client *it = request->data;
    it->over = status != 0;
    if (it->over)
        return;
    uv_read_start((uv_stream_t *)&it->tcp, room, on_read);
    tell(it, it->text, it->size);
}

static void on_closed(uv_handle_t *handle)
{
    ((client *)handle->data)->closed = true;
}

static void connect_to(world *it, client *to, const char *text)
{
    struct sockaddr_in address;
    *to = (client){.text = text, .size = strlen(text)};
    uv_tcp_init(&it->loop, &to->tcp);
    to->tcp.data = to->connecting.data = to;
    uv_ip4_addr("127.0.0.1", it->service->components.http->port, &address);
    uv_tcp_connect(&to->connecting, &to->tcp, (const struct sockaddr *)&address, on_connected);
}

/* Whether a text has come, also behind a frame's head, which may have a zero in its length. */
static bool has(const client *to, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= to->len; i++)
        if (strncmp(to->got + i, text, strlen(text)) == 0)
            return true;
    return false;
}

/* Until a text has come (NULL: none does), or the other end is gone. */
static bool hears(world *it, client *to, const char *text)
{
    uint64_t until = uv_hrtime() + HANGS * UINT64_C(1000000);
    while (!to->over && uv_hrtime() < until && (!text || !has(to, text)))
        uv_run(&it->loop, UV_RUN_NOWAIT);
    return text != NULL && has(to, text);
}

static void leave(world *it, client *to)
{
    uv_close((uv_handle_t *)&to->tcp, on_closed);
    while (!to->closed)
        uv_run(&it->loop, UV_RUN_NOWAIT);
}

#define GET(path)       "GET " path " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
#define GET_AS(path, h) "GET " path " HTTP/1.1\r\nConnection: close\r\n" h "\r\n\r\n"

static client one;

/* The status of what `one` has heard; 0: none. */
static int status_of(const client *to)
{
    int status = 0;
    sscanf(to->got, "HTTP/1.1 %d", &status);
    return status;
}

/* The status of what a request is answered; what it was is in `one`. */
static int ask(world *it, const char *text)
{
    connect_to(it, &one, text);
    hears(it, &one, NULL);
    leave(it, &one);
    return status_of(&one);
}

/* ---- Documents ------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int status;
    const char *found;
} questions[] = {
    {GET("/"), 200, "<!DOCTYPE html>"},
    {GET("/state"), 200, "\"schema\": \"allot/view/v1\""},
    {GET("/state?path=/a"), 200, "\"path\": \"/a\""},
    {GET("/state?find=b"), 200, "\"path\": \"/b\""},
    {GET("/state?path=/x"), 404, "E-unknown-consumer"},
    {GET("/state?group=x"), 404, "E-unknown-group"},
    {GET("/state?most=0"), 400, "E-range"},
    {GET("/state?from=x"), 400, "E-type"},
    {GET("/explain?path=/a"), 200, "\"lines\": ["},
    {GET("/explain"), 400, "wants one of path"},
    {GET("/explain?path=/x"), 404, "-32006"},
    {GET("/status"), 200, "\"state\": \"running\""},
    {GET("/metrics"), 200, "# TYPE allot_oldest_wait_seconds gauge"},
    {GET("/healthz"), 200, "ok"},
    {GET("/nowhere"), 404, "no such path"},
    {GET_AS("/state", "Host: evil.example"), 421, "another name"},
    {GET_AS("/state", "Host: [::1"), 421, "another name"},
    {GET_AS("/state", "Host: 127.0.0.1:1"), 200, "allot/view/v1"},
    {GET_AS("/state", "Host: localhost\r\nOrigin: http://evil.example"), 403, "elsewhere"},
    {GET_AS("/state", "Host: localhost\r\nOrigin: null"), 403, "elsewhere"},
    {GET_AS("/state", "Host: localhost\r\nOrigin: http://localhost"), 200, "allot/view/v1"},
    {"POST /state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 405, "HEAD"},
};

static void documents_are_told(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start_as(&it, ":memory:", with_view), ALLOT_OK);
    call(&it, REQUEST("demand", "{\"consumer\": \"/a\", \"slots\": 9}"));
    settle(&it);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        int status = ask(&it, questions[i].text);
        if (!CHECK_EQ(status, questions[i].status) ||
            !CHECK(strstr(one.got, questions[i].found) != NULL))
            printf("# %s%.2000s\n", questions[i].text, one.got);
    }
    CHECK_EQ(ask(&it, "HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), 200);
    CHECK_STR(strstr(one.got, "\r\n\r\n"), "\r\n\r\n");
    stop(&it);
    close_world(&it);
}

static void data_wants_the_token(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start_as(&it, ":memory:", with_token), ALLOT_OK);
    CHECK_EQ(ask(&it, GET("/")), 200);
    CHECK_EQ(ask(&it, GET("/state")), 401);
    CHECK_EQ(ask(&it, GET_AS("/state", "Host: localhost\r\nAuthorization: Bearer sesame")), 401);
    CHECK_EQ(ask(&it, GET_AS("/state", "Host: localhost\r\nAuthorization: Basic "
                                       "sesame-sesame-sesame")),
             401);
    CHECK_EQ(ask(&it, GET_AS("/state", "Host: localhost\r\nAuthorization: Bearer "
                                       "sesame-sesame-sesame")),
             200);
    stop(&it);
    close_world(&it);
}

/* ---- WebSocket ------------------------------------------------------------------------------- */

#define UPGRADE                                                                                    \
    "GET /events HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"     \
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"

/* A text as a client says it: masked, with a mask of zeros. */
static void say(client *to, const char *text)
{
    static char frame[256];
    size_t len = strlen(text);
    frame[0] = (char)0x81;
    frame[1] = (char)(0x80 | (len < 126 ? len : 126));
    size_t at = 2;
    if (len >= 126) {
        frame[at++] = (char)(len >> 8);
        frame[at++] = (char)(len & 255);
    }
    memset(frame + at, 0, 4);
    memcpy(frame + at + 4, text, len);
    tell(to, frame, at + 4 + len);
}

static const struct {
    const char *text, *found;
} sayings[] = {
    {"{\"watch\": [\"/\"]}", "\"branches\": [{\"path\": \"/\""},
    {"{\"watch\": [[\"/\", 1, 1], \"/nobody\"]}", "\"of\": 2, \"from\": 1"},
    {"{\"watch\": [[\"/\", 9, 1]]}", "from 0 to as many as it has"},
    {"{\"watch\": [7]}", "watch is a list of branches"},
    {"{\"watch\": \"all\"}", "what can be said is token and group"},
    {"{\"group\": \"none\"}", "the plan has no such group"},
    {"[]", "what is said is an object"},
    {"nonsense", "what is said is no JSON"},
};

static void viewers_hear_what_they_look_at(void)
{
    world it;
    open_world(&it);
    CHECK_EQ(start_as(&it, ":memory:", with_view), ALLOT_OK);
    connect_to(&it, &one, UPGRADE);
    CHECK(hears(&it, &one, "101 Switching Protocols"));
    for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
        one.len = 0;
        one.got[0] = '\0';
        say(&one, sayings[i].text);
        if (!CHECK(hears(&it, &one, sayings[i].found)))
            printf("# %s\n", sayings[i].text);
    }
    leave(&it, &one);
    stop(&it);
    close_world(&it);
}

/* Those who look take all but an eighth of the places; the rest is for who asks whether it is well.
 */
static void some_places_are_kept(void)
{
    enum { PLACES = 8, LOOK = PLACES - PLACES / 8 };
    static client viewers[LOOK];
    world it;
    open_world(&it);
    CHECK_EQ(start_as(&it, ":memory:", with_view), ALLOT_OK);
    it.service->files.viewers = PLACES;
    for (int i = 0; i < LOOK; i++) {
        connect_to(&it, &viewers[i], UPGRADE);
        CHECK(hears(&it, &viewers[i], "101 Switching Protocols"));
    }
    CHECK_EQ(ask(&it, GET("/status")), 503);
    CHECK(has(&one, "too many ask at once"));
    CHECK_EQ(ask(&it, GET("/healthz")), 200);
    leave(&it, &viewers[0]);
    settle(&it);
    CHECK_EQ(ask(&it, GET("/status")), 200);
    for (int i = 1; i < LOOK; i++)
        leave(&it, &viewers[i]);
    stop(&it);
    close_world(&it);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

/* What the test asks next. */
static const char *asked;

static void act_ask(world *it)
{
    connect_to(it, &one, asked);
    settle(it);
    leave(it, &one);
    /* An answer, or that there is no memory, or none; nothing else. */
    int status = status_of(&one);
    CHECK(status == 200 || status == 404 || status == 503 || status == 400 || status == 0);
}

static void documents_without_memory(void)
{
    static const char *const texts[] = {GET("/state"), GET("/state?find=b"),
                                        GET("/explain?path=/a"), GET("/status"), GET("/metrics")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        asked = texts[i];
        if (!CHECK(fail_each(with_view, act_ask)))
            printf("# %s", asked);
    }
}

static void act_look(world *it)
{
    connect_to(it, &one, UPGRADE);
    settle(it); /* without memory nothing may come */
    if (has(&one, "101 Switching Protocols")) {
        say(&one, "{\"watch\": [\"/\"]}");
        settle(it);
    }
    leave(it, &one);
}

static void viewers_without_memory(void)
{
    CHECK(fail_each(with_view, act_look));
}

int main(void)
{
    RUN(documents_are_told);
    RUN(data_wants_the_token);
    RUN(viewers_hear_what_they_look_at);
    RUN(some_places_are_kept);
    RUN(documents_without_memory);
    RUN(viewers_without_memory);
    return check_done();
}
