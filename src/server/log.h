/**
 * Log of the server: one record a line on standard error, as text or JSON.
 */
#ifndef PT_SERVER_LOG_H
#define PT_SERVER_LOG_H

#include <portico/config.h>
#include <portico/log.h>

typedef struct pt__server_log {
    pt_log_level level; /* what is less urgent is left out */
    bool json;
} pt__server_log;

/** From "log-level" and "log-format", which are checked already. */
void pt__server_log_init(pt__server_log *log, const pt_config *config);

/** A pt_log_sink; `context` is the pt__server_log. */
void pt__server_log_write(void *context, pt_log_level level, const char *component, const char *message);

#endif
