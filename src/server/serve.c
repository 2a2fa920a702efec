#include "loop/loop.h"
#include "server/backends.h"
#include "server/commands.h"
#include "server/frontends.h"
#include "server/log.h"
#include "server/plugins.h"
#include "server/security.h"
#include "server/status_listener.h"
#include "server/wrapping.h"
#include "wire/limits.h"

#include <portico/host.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STOP_LIMIT_SECONDS = 10, /* for workers to end once everything is cancelled */
    RELOAD_MESSAGE_BYTES = 1024
};

typedef struct server {
    const pt_config *config;
    pt__server_log log;
    pt_host *host;
    pt__plugins plugins;
    pt_routes *routes;
    pt_sign_in *sign_in;
    pt__tls_context *tls;
    pt__loop *loop;
    pt__status_listener *status;
    pt__limits limits;
    uint64_t drain_timeout_ms;
} server;

static pt_status open_host(server *s, pt_error *err)
{
    pt_host_options options = {
        .size_bytes = sizeof(options),
        .config = s->config,
        .log = pt__server_log_write,
        .log_context = &s->log,
        .log_level = s->log.level,
    };
    PT_TRY(pt_host_new(&options, &s->host, err));
    PT_TRY(pt__server_add_backends(s->host, s->config, err));
    PT_TRY(pt__plugins_open(&s->plugins, s->host, s->config, err));
    return pt__server_wrap(s->host, s->config, err);
}

static pt_status mount_frontends(server *s, pt_error *err)
{
    PT_TRY(pt_routes_new(s->host, &s->routes, err));
    for (size_t i = 0; pt__server_frontends[i] != NULL; i++)
        PT_TRY(pt_frontend_mount(s->host, pt__server_frontends[i], s->config, s->routes, err));
    PT_TRY(pt_routes_add_health(s->routes, err));
    return pt_routes_add_reflection(s->routes, err);
}

static void on_draining(void *context)
{
    const server *s = context;
    pt_host_drain(s->host, s->drain_timeout_ms);
}

static void report_reload(server *s, const char *what, pt_status status, const pt_error *err)
{
    char message[RELOAD_MESSAGE_BYTES];
    if (status == PT_OK)
        snprintf(message, sizeof(message), "SIGHUP: %s have been read again", what);
    else
        snprintf(message, sizeof(message), "SIGHUP: %s stay as they were: %s", what, pt_error_full_message(err));
    pt__server_log_write(&s->log, status == PT_OK ? PT_LOG_INFO : PT_LOG_ERROR, "server", message);
}

/* At SIGHUP. A broken file leaves what there is: clients go on to be served. */
static void on_reload(void *context)
{
    server *s = context;
    pt_error err = PT_ERROR_INIT;
    report_reload(s, "users, tokens and keys", pt_sign_in_reload(s->sign_in, s->config, &err), &err);
    pt_error_clear(&err);
    if (s->tls != NULL)
        report_reload(s, "certificates", pt__tls_context_reload(s->tls, &err), &err);
    pt_error_clear(&err);
}

static pt_status open_loop(server *s, pt_error *err)
{
    pt__loop_options options = {
        .host = s->host,
        .routes = s->routes,
        .limits = s->config,
        .authenticator = pt_sign_in_authenticator(s->sign_in),
        .stall_timeout_ms = s->limits.stall_timeout_ms,
        .tls = s->tls,
        .draining = on_draining,
        .draining_context = s,
        .reload = on_reload,
        .reload_context = s,
        .log = pt__server_log_write,
        .log_context = &s->log,
    };
    PT_TRY(pt_config_duration(s->config, "drain-timeout", 0, &s->drain_timeout_ms, err));
    options.drain_timeout_ms = s->drain_timeout_ms;
    int64_t max_connections;
    PT_TRY(pt_config_integer(s->config, "max-connections", 0, &max_connections, err));
    if (max_connections < 1)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "max-connections = %lld is less than 1",
                            (long long)max_connections);
    options.max_connections = (size_t)max_connections;
    return pt__loop_new(&options, &s->loop, err);
}

static pt_status listen_at(server *s, const char *address, pt_error *err)
{
    char bound[PT_ADDRESS_BYTES];
    PT_TRY(pt__loop_listen(s->loop, address, bound, err));
    printf("portico listening on %s\n", bound);
    fflush(stdout);
    return PT_OK;
}

static pt_status listen_at_all(server *s, pt_error *err)
{
    char *list = strdup(pt_config_string(s->config, "listen", ""));
    if (list == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to start");
    pt_status status = PT_OK;
    char *rest = list;
    while (status == PT_OK && rest != NULL)
        status = listen_at(s, strsep(&rest, ","), err);
    free(list);
    return status;
}

static pt_status serve(server *s, pt_error *err)
{
    PT_TRY(pt__limits_read(s->config, &s->limits, err)); /* now, and not with the first client */
    PT_TRY(pt__security_open_tls(s->config, &s->tls, err));
    PT_TRY(open_host(s, err));
    PT_TRY(pt_sign_in_new(s->host, s->config, &s->sign_in, err));
    PT_TRY(mount_frontends(s, err));
    PT_TRY(open_loop(s, err));
    PT_TRY(pt__status_listener_new(s->host, s->config, &s->status, err));
    PT_TRY(listen_at_all(s, err));
    pt__loop_run(s->loop);
    return PT_OK;
}

/*
 * A worker may be inside of the engine's planner, which cannot be interrupted. What is committed is in the database's
 * log, so that leaving without it loses nothing.
 */
static void leave(int signal)
{
    static const char message[] = "portico: a query could not be interrupted; leaving without it\n";
    (void)signal;
    ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
    _exit(written < 0 ? 2 : 1);
}

static void leave_after(unsigned seconds)
{
    struct sigaction action = {.sa_handler = leave};
    sigaction(SIGALRM, &action, NULL);
    alarm(seconds);
}

int pt__serve_command(const pt__arguments *arguments)
{
    pt_error err = PT_ERROR_INIT;
    server s = {.config = arguments->config};
    pt__server_log_init(&s.log, s.config);
    serve(&s, &err);
    pt__status_listener_free(s.status);
    pt_routes_free(s.routes);
    pt_sign_in_free(s.sign_in); /* posts to the loop's mailbox until then, too */
    leave_after(STOP_LIMIT_SECONDS);
    pt_host_free(s.host); /* ends the workers, which may post to the loop's mailbox until then */
    pt__plugins_close(&s.plugins);
    alarm(0);
    pt__loop_free(s.loop);
    pt__tls_context_free(s.tls);
    return pt__report(&err);
}
