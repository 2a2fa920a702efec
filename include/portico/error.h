/**
 * Statuses and the caller-owned error object.
 *
 * A fallible function returns pt_status and takes `pt_error *err` last; `err` may be NULL. Whoever detects a
 * problem writes it; callers pass it on. A pt_error starts as PT_ERROR_INIT and is ended by pt_error_clear.
 *
 * Threads: an error object belongs to one thread at a time.
 */
#ifndef PORTICO_ERROR_H
#define PORTICO_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PT_STATUS_MAP(X)                                                                                               \
    X(OK, "ok")                                                                                                        \
    X(NEED_MORE, "more bytes needed")                                                                                  \
    X(INVALID_ARGUMENT, "invalid argument")                                                                            \
    X(BAD_MESSAGE, "malformed message")                                                                                \
    X(BAD_PLAN, "malformed plan")                                                                                      \
    X(BAD_SQL, "malformed statement")                                                                                  \
    X(ANALYSIS, "statement does not fit the catalog or the types")                                                     \
    X(EXECUTION, "the engine could not compute the answer")                                                            \
    X(NOT_FOUND, "not found")                                                                                          \
    X(ALREADY_EXISTS, "already exists")                                                                                \
    X(UNSUPPORTED, "not supported")                                                                                    \
    X(UNAUTHENTICATED, "not signed in")                                                                                \
    X(PERMISSION_DENIED, "not allowed")                                                                                \
    X(LIMIT, "a configured limit was reached")                                                                         \
    X(NO_MEMORY, "out of memory")                                                                                      \
    X(CANCELLED, "cancelled")                                                                                          \
    X(TIMEOUT, "deadline passed")                                                                                      \
    X(UNAVAILABLE, "temporarily unavailable")                                                                          \
    X(IO, "input or output failed")                                                                                    \
    X(INTERNAL, "internal error")                                                                                      \
    X(INTERRUPTED, "interrupted: whether it took effect is not known")

#define PT_STATUS_ENUM(name, text) PT_##name,
typedef enum pt_status { PT_STATUS_MAP(PT_STATUS_ENUM) PT_STATUS_COUNT } pt_status;
#undef PT_STATUS_ENUM

/** The text of a status; a static string. */
const char *pt_status_text(pt_status status);

/** Longest message kept inline, without its terminator; what is longer is kept whole in the detail. */
#define PT_ERROR_MESSAGE_MAX 1023

/** Message parameters, query context and whole text of an error; read through the pt_error_* functions. */
typedef struct pt_error_detail pt_error_detail;

typedef struct pt_error {
    pt_status status;
    char sqlstate[6];   /* "" when there is none */
    char condition[96]; /* error condition such as "DIVIDE_BY_ZERO"; "" when there is none */
    char message[PT_ERROR_MESSAGE_MAX + 1];
    pt_error_detail *detail; /* owned; NULL when there is none */
} pt_error;

#define PT_ERROR_INIT                                                                                                  \
    {                                                                                                                  \
        PT_OK, "", "", "", NULL                                                                                        \
    }

/** Where in the user's program an error arose. */
typedef struct pt_error_context {
    bool is_sql;           /* SQL text, else a DataFrame call */
    int32_t start;         /* SQL: 0-based offset of the first character of the fragment */
    int32_t stop;          /* SQL: offset of the last character, inclusive */
    const char *fragment;  /* SQL text, or the name of the call */
    const char *call_site; /* DataFrame: file:line of the call; "" for SQL */
    const char *sql;       /* SQL: the whole statement; "" otherwise */
} pt_error_context;

/** Writes status and message (printf form) unless `err` is NULL; returns `status`. What `err` held is freed. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
pt_status
pt_error_set(pt_error *err, pt_status status, const char *format, ...);

/** Frees what `err` holds and makes it PT_ERROR_INIT again; NULL is allowed. */
void pt_error_clear(pt_error *err);

/** Moves `from` to `to` (freeing what `to` held); `from` is left empty. */
void pt_error_move(pt_error *to, pt_error *from);

/** Copies `from` into `to`, deeply. */
void pt_error_copy(pt_error *to, const pt_error *from);

/** The whole message; valid until `err` changes. */
const char *pt_error_full_message(const pt_error *err);

/** Message parameters, by position; pt_error_parameter returns false past the end. Views live as long as `err`. */
size_t pt_error_parameter_count(const pt_error *err);
bool pt_error_parameter(const pt_error *err, size_t index, const char **name, const char **value);

size_t pt_error_context_count(const pt_error *err);
bool pt_error_context_at(const pt_error *err, size_t index, pt_error_context *out);

/** Adds to an error that is set; strings are copied. Without memory the addition is dropped. */
void pt_error_add_parameter(pt_error *err, const char *name, const char *value);
void pt_error_add_context(pt_error *err, const pt_error_context *context);

/** Returns from the calling function on anything but PT_OK. */
#define PT_TRY(call)                                                                                                   \
    do {                                                                                                               \
        pt_status pt_try_status = (call);                                                                              \
        if (pt_try_status != PT_OK)                                                                                    \
            return pt_try_status;                                                                                      \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
