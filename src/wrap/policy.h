/**
 * Policy: the rules of the wrapper authorize, read from a file of one rule a line.
 *
 *     # the first rule that matches decides; what none matches is denied
 *     deny   *             user=eve
 *     allow  select,insert user=ann,bob  table=sales.*
 *     allow  select        user=*        table=hr.people    column=name,dept
 *     allow  read-files    user=*        path=/data/open*
 *     deny   function      user=*        function=reverse
 *     filter user=bob      table=sales.orders               where region = 'EU'
 *     mask   user=*        table=hr.people  column=ssn      as concat('***-', right(ssn, 4))
 *
 * Names are patterns: * stands for any text, ? for one character; several are separated by commas, and quoted with
 * double quotes when they hold blanks or commas. Tables (database.table), columns and functions compare without
 * case, users and paths with it. Functions may be called unless a rule denies them.
 *
 * Threads: read-only once read.
 */
#ifndef PT_WRAP_POLICY_H
#define PT_WRAP_POLICY_H

#include <portico/error.h>

#define PT_POLICY_ACTIONS(X)                                                                                           \
    X(SELECT, "select")                                                                                                \
    X(INSERT, "insert")                                                                                                \
    X(UPDATE, "update")                                                                                                \
    X(DELETE, "delete")                                                                                                \
    X(CREATE, "create")                                                                                                \
    X(DROP, "drop")                                                                                                    \
    X(ALTER, "alter")                                                                                                  \
    X(READ_FILES, "read-files")                                                                                        \
    X(WRITE_FILES, "write-files")                                                                                      \
    X(FUNCTION, "function")                                                                                            \
    X(ENCODED, "encoded")

typedef enum pt__action {
#define ACTION(id, name) PT_ACTION_##id,
    PT_POLICY_ACTIONS(ACTION)
#undef ACTION
        PT_ACTION_COUNT
} pt__action;

/** What a rule is about; the key that names it. */
#define PT_POLICY_OBJECTS(X)                                                                                           \
    X(ANYTHING, "")                                                                                                    \
    X(TABLE, "table")                                                                                                  \
    X(PATH, "path")                                                                                                    \
    X(FUNCTION, "function")                                                                                            \
    X(DATABASE, "database")                                                                                            \
    X(FORMAT, "format")

typedef enum pt__object {
#define OBJECT(id, name) PT_POLICY_##id,
    PT_POLICY_OBJECTS(OBJECT)
#undef OBJECT
        PT_POLICY_OBJECT_COUNT
} pt__object;

typedef struct pt__policy pt__policy;

/** Errors: PT_IO; PT_INVALID_ARGUMENT, PT_BAD_SQL naming file and line. */
pt_status pt__policy_read(const char *path, pt__policy **out, pt_error *err);
void pt__policy_free(pt__policy *policy);

/** Something that a user wants to do. */
typedef struct pt__request {
    const char *user;
    pt__action action;
    pt__object object;
    const char *name;   /* "database.table", a path, a function … */
    const char *column; /* NULL: none in particular; rules about columns do not match then */
} pt__request;

bool pt__policy_allows(const pt__policy *policy, const pt__request *request);

/** Whether the user may do anything at all with the table: only then it is seen. */
bool pt__policy_shows(const pt__policy *policy, const char *user, const char *table);

/** A row filter or a column mask: Spark SQL, and where it stands. */
typedef struct pt__policy_text {
    const char *sql;
    const char *place; /* "file:line" */
} pt__policy_text;

/** The first filter for the user's rows of a table or path; false: none. */
bool pt__policy_filter(const pt__policy *policy, const char *user, pt__object object, const char *name,
                       pt__policy_text *out);
bool pt__policy_mask(const pt__policy *policy, const char *user, pt__object object, const char *name,
                     const char *column, pt__policy_text *out);

/** Whether any rule is about columns of such objects, or denies calling functions: what need not be looked at else. */
bool pt__policy_has_columns(const pt__policy *policy, pt__object object);
bool pt__policy_denies_functions(const pt__policy *policy);

const char *pt__action_name(pt__action action);
/** PT_ACTION_COUNT when there is none of that name. */
pt__action pt__action_find(const char *name);

#endif
