/**
 * Log records, handed to a sink that the embedder gives to the host.
 */
#ifndef PORTICO_LOG_H
#define PORTICO_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pt_log_level { PT_LOG_ERROR, PT_LOG_WARN, PT_LOG_INFO, PT_LOG_DEBUG } pt_log_level;

/**
 * Receives one record; `message` is one line without its end, borrowed for the call.
 * Threads: any, possibly several at once. It must not call back into the host.
 */
typedef void (*pt_log_sink)(void *context, pt_log_level level, const char *component, const char *message);

#ifdef __cplusplus
}
#endif

#endif
