/**
 * Error conditions: the named errors that users of Spark know, one row each in conditions.def.
 *
 *     return pt__raise(err, PT_COND_DIVIDE_BY_ZERO, "config", "\"spark.sql.ansi.enabled\"", NULL);
 *
 * The message is "[NAME] text SQLSTATE: xxxxx" with each <parameter> of the text replaced by its value; the
 * parameters are kept in the error by name. Values are given as they are quoted in the message (`a`, "INT").
 *
 * Source: names, SQLSTATEs and parameter names are those of Apache Spark's error conditions; the texts are ours.
 */
#ifndef PT_BASE_CONDITION_H
#define PT_BASE_CONDITION_H

#include <portico/error.h>

/** What a client turns an error into; one place in each frontend maps it to the protocol's own classes. */
typedef enum pt__error_kind {
    PT_ERROR_KIND_PARSE,
    PT_ERROR_KIND_ANALYSIS,
    PT_ERROR_KIND_ARITHMETIC,
    PT_ERROR_KIND_NUMBER_FORMAT,
    PT_ERROR_KIND_DATE_TIME,
    PT_ERROR_KIND_ARRAY_INDEX,
    PT_ERROR_KIND_ILLEGAL_ARGUMENT,
    PT_ERROR_KIND_RUNTIME,
    PT_ERROR_KIND_SPARK, /* general execution failure */
    PT_ERROR_KIND_NO_SUCH_ELEMENT,
    PT_ERROR_KIND_UNSUPPORTED,
    PT_ERROR_KIND_INVALID_PLAN,
    PT_ERROR_KIND_PYTHON,
    PT_ERROR_KIND_UPGRADE,         /* INCONSISTENT_BEHAVIOR_CROSS_VERSION */
    PT_ERROR_KIND_SQL,             /* handles, cursors, cancellation */
    PT_ERROR_KIND_CLASS_NOT_FOUND, /* data sources */
    PT_ERROR_KIND_SECURITY
} pt__error_kind;

typedef struct pt__condition {
    const char *name;
    const char *sqlstate;
    pt__error_kind kind;
    pt_status status;
    const char *text;
} pt__condition;

typedef enum pt__condition_id {
#define PT_CONDITION(id, name, sqlstate, kind, status, text) PT_COND_##id,
#include "base/conditions.def"
#undef PT_CONDITION
    PT_COND_COUNT
} pt__condition_id;

const pt__condition *pt__condition_get(pt__condition_id id);

/** NULL when no row has that name. */
const pt__condition *pt__condition_find(const char *name);

typedef struct pt__parameter {
    const char *name;
    const char *value;
} pt__parameter;

enum { PT_RAISE_PARAMETERS_MAX = 12 };

/** Name and value pairs of strings, ended by NULL; returns the condition's status. */
__attribute__((sentinel)) pt_status pt__raise(pt_error *err, pt__condition_id id, ...);
pt_status pt__raise_with(pt_error *err, pt__condition_id id, const pt__parameter *parameters, size_t count);

#endif
