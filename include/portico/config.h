/**
 * Configuration: named text values with their types checked where they are read.
 *
 * Names are lower-case words joined by dots ("duckdb.memory-limit"). The server fills one from its flags, the
 * environment and a file; an embedder fills its own.
 *
 * Threads: may be read from any thread while nobody sets.
 */
#ifndef PORTICO_CONFIG_H
#define PORTICO_CONFIG_H

#include <portico/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_config pt_config;

/** An empty one, the caller's to free. Errors: PT_NO_MEMORY; `*out` is then untouched. */
pt_status pt_config_new(pt_config **out, pt_error *err);
/** NULL is allowed. Values that were handed out end with it. */
void pt_config_free(pt_config *config);

/** Copies both; a later set replaces. Errors: PT_NO_MEMORY. */
pt_status pt_config_set(pt_config *config, const char *name, const char *value, pt_error *err);

/** The value, or `fallback` when unset (config may be NULL); valid until the value is replaced. */
const char *pt_config_string(const pt_config *config, const char *name, const char *fallback);

/*
 * Typed reads. `config` may be NULL; an unset name gives the fallback.
 * Errors: PT_INVALID_ARGUMENT naming the value when it has another form; `*out` is then untouched.
 */

/** A whole number in decimal digits. */
pt_status pt_config_integer(const pt_config *config, const char *name, int64_t fallback, int64_t *out, pt_error *err);
/** "true" or "false". */
pt_status pt_config_boolean(const pt_config *config, const char *name, bool fallback, bool *out, pt_error *err);
/** Bytes, with an optional KiB, MiB or GiB: "512MiB". */
pt_status pt_config_size(const pt_config *config, const char *name, uint64_t fallback_bytes, uint64_t *out,
                         pt_error *err);
/** Milliseconds, with an optional ms, s, min or h: "30s". */
pt_status pt_config_duration(const pt_config *config, const char *name, uint64_t fallback_ms, uint64_t *out,
                             pt_error *err);

#ifdef __cplusplus
}
#endif

#endif
