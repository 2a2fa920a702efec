/**
 * The wrappers that come with the library; see docs/wrappers.md for what they do and for their configuration.
 */
#ifndef PORTICO_WRAPPERS_H
#define PORTICO_WRAPPERS_H

#include <portico/wrapper.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Who may do what with which tables, columns, paths and functions, and which rows they see: "authorize.*". */
extern const pt_wrapper_vtable pt_wrapper_authorize;

/** Results that are kept for queries that must have the same answer: "cache.*". */
extern const pt_wrapper_vtable pt_wrapper_cache;

/** Spans of OpenTelemetry for a collector: "trace.*". */
extern const pt_wrapper_vtable pt_wrapper_trace;

/** Rules that choose between the host's named backends: "route.*". Those have to be added before it. */
extern const pt_wrapper_vtable pt_wrapper_route;

/** Limits on what a query may ask for: "validate.*". */
extern const pt_wrapper_vtable pt_wrapper_validate;

/** One of these by its name; NULL when there is none. */
const pt_wrapper_vtable *pt_wrapper_find(const char *name);

/**
 * Puts several around a backend (NULL: the default one): names separated by commas, the outermost first.
 * Errors: PT_INVALID_ARGUMENT naming an unknown one; those of pt_host_add_wrapper.
 */
pt_status pt_host_add_wrappers(pt_host *host, const char *backend, const char *names, const pt_config *config,
                               pt_error *err);

#ifdef __cplusplus
}
#endif

#endif
