/**
 * What nodes consist of, as data: a record per kind lists its members, so that the text form, equality, walking and
 * mapping are written once and a new member is one row.
 *
 * Members that analysis sets to objects of other layers (tables, files) are not listed.
 */
#ifndef PT_PLAN_MEMBERS_H
#define PT_PLAN_MEMBERS_H

#include "plan/plan.h"

typedef enum pt__form {
    PT_FORM_END,
    PT_FORM_PLAN,  /* const pt_plan *; may be NULL */
    PT_FORM_PLANS, /* array of such */
    PT_FORM_EXPR,  /* const pt_expr *; may be NULL */
    PT_FORM_EXPRS, /* array of such */
    PT_FORM_TEXT,  /* const char *; may be NULL */
    PT_FORM_TEXTS, /* array of such */
    PT_FORM_NAME,  /* pt_name */
    PT_FORM_NAMES, /* array of pt_name */
    PT_FORM_BOOL,
    PT_FORM_INT32,
    PT_FORM_INT64,
    PT_FORM_ID, /* int64_t, negative: none */
    PT_FORM_UINT32,
    PT_FORM_SIZE,    /* size_t */
    PT_FORM_UINT32S, /* array of uint32_t */
    PT_FORM_DOUBLE,
    PT_FORM_DOUBLES, /* array of double */
    PT_FORM_ENUM,
    PT_FORM_TYPE,   /* const pt_type *; may be NULL */
    PT_FORM_BYTES,  /* pt_bytes_view */
    PT_FORM_VALUE,  /* pt_value of the node's type */
    PT_FORM_RECORD, /* a struct within the node */
    PT_FORM_RECORDS /* array of structs */
} pt__form;

typedef enum pt__count_rule {
    PT_COUNT_PLAIN,
    PT_COUNT_TIMES, /* count × factor */
    PT_COUNT_PER    /* count ÷ factor */
} pt__count_rule;

typedef struct pt__record pt__record;

typedef struct pt__member {
    const char *name;
    pt__form form;
    uint16_t offset;
    uint16_t count_offset;  /* arrays: of their size_t count */
    uint16_t factor_offset; /* arrays: of a second size_t, unless PLAIN */
    pt__count_rule count_rule;
    const char *const *names; /* ENUM */
    const pt__record *record; /* RECORD, RECORDS */
} pt__member;

struct pt__record {
    const char *name;
    size_t size_bytes;
    const pt__member *members; /* ended by PT_FORM_END */
};

const pt__record *pt__record_of_expr(pt_expr_kind kind);
const pt__record *pt__record_of_plan(pt_plan_kind kind);

/** The record of pt_option, which the text form writes in its own way. */
extern const pt__record pt__record_option;

/** Elements of an array member; 0 when the array is NULL. */
size_t pt__member_count(const pt__member *member, const void *node);
/** The first element of an array member, or the member itself. */
const void *pt__member_data(const pt__member *member, const void *node);
bool pt__member_is_array(const pt__member *member);

/** Whether two numbers are the same bit by bit: NaN is itself, 0.0 is not -0.0. */
bool pt__same_bits(double a, double b);

/** Equality of two structs of one record; plan ids and origins do not count in plans. */
bool pt__record_equal(const pt__record *record, const void *a, const void *b);

/** Each expression and plan directly below a struct, until a visit returns false; either visit may be NULL. */
typedef struct pt__visitor {
    bool (*expr)(void *context, const pt_expr *expr);
    bool (*plan)(void *context, const pt_plan *plan);
    void *context;
} pt__visitor;
bool pt__record_visit(const pt__record *record, const void *node, const pt__visitor *visitor);

/** A copy of a struct with what lies directly below it mapped; `node` itself when nothing changed. */
typedef struct pt__mapper {
    const pt_expr *(*expr)(void *context, const pt_expr *expr);
    const pt_plan *(*plan)(void *context, const pt_plan *plan);
    void *context;
} pt__mapper;
const void *pt__record_map(pt__arena *arena, const pt__record *record, const void *node, const pt__mapper *mapper);

#endif
