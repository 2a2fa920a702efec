/**
 * What the files of the Substrait decoder share.
 */
#ifndef PT_DECODE_SUBSTRAIT_INTERNAL_H
#define PT_DECODE_SUBSTRAIT_INTERNAL_H

#include "base/condition.h"
#include "base/list.h"
#include "decode/protobuf.h"
#include "decode/substrait/decoder.h"

#include <substrait/plan.pb-c.h>

/* Producers go on sending deprecated fields. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/** What a relation comes to. */
typedef struct pt__substrait_relation {
    const pt_plan *plan;
    const pt_type *columns; /* struct, with char and varchar types, NULL for types not known; NULL: nothing is known */
} pt__substrait_relation;

/** What an expression comes to. */
typedef struct pt__substrait_value {
    const pt_expr *expr;
    const pt_type *type; /* with char and varchar types; NULL: not known */
} pt__substrait_value;

/** How the columns of a scope are told apart in the plan. */
typedef enum pt__substrait_layout {
    PT_SUBSTRAIT_STRAIGHT,
    PT_SUBSTRAIT_SWAPPED,   /* a join whose sides are exchanged */
    PT_SUBSTRAIT_MARK_LEFT, /* a join written as a subquery over the right side */
    PT_SUBSTRAIT_MARK_RIGHT /* … over the left side */
} pt__substrait_layout;

/** What field references of an expression refer to. */
typedef struct pt__substrait_scope {
    const struct pt__substrait_scope *outer; /* of the enclosing query */
    const pt_type *columns;                  /* NULL: not known */
    uint32_t anchor;                         /* rel_anchor of the relation; 0 none */
    pt__substrait_layout layout;
    uint32_t left_width; /* but for STRAIGHT */
    uint32_t right_width;
    uint32_t first;    /* position of the column that references call 0 */
    bool is_enclosing; /* the expression is put into a subquery of this one: its columns are one query out */
} pt__substrait_scope;

/** Parameters of the lambdas around an expression, innermost first. */
typedef struct pt__substrait_lambda {
    const struct pt__substrait_lambda *outer;
    uint32_t depth;
    const pt_type *parameters; /* struct */
} pt__substrait_lambda;

typedef struct pt__substrait_declaration {
    uint32_t anchor;
    const char *name; /* "add:i32_i32" */
    const char *tail; /* "functions_arithmetic"; NULL: of no extension */
    const char *full; /* the extension's URN or URI; NULL none */
} pt__substrait_declaration;

typedef enum pt__subtree_state { PT_SUBTREE_NEW, PT_SUBTREE_OPEN, PT_SUBTREE_DONE } pt__subtree_state;

typedef struct pt__subtree {
    pt__subtree_state state;
    const char *name; /* of the common table expression */
    const pt_type *columns;
} pt__subtree;

typedef struct pt__substrait_decoder {
    pt__arena *arena;
    const pt__extensions *extensions; /* NULL: none are translated */
    uint32_t extension_depth;
    const Substrait__Plan *plan;
    pt__list(pt__substrait_declaration) functions;
    pt__list(pt__substrait_declaration) types;
    pt__subtree *subtrees; /* one per relation of the plan */
    pt__list(pt_cte) ctes;
    const pt__substrait_lambda *lambdas;
    uint32_t alias_depth; /* of type aliases that are being looked up */
    pt_error *err;
} pt__substrait_decoder;

typedef pt__substrait_decoder decoder;
typedef pt__substrait_scope scope;
typedef pt__substrait_value value_of;
typedef pt__substrait_relation relation_of;

/* ---- errors ---- */

/** PT_UNSUPPORTED: the feature is named. */
__attribute__((format(printf, 2, 3))) pt_status pt__substrait_unsupported(decoder *d, const char *format, ...);
/** PT_BAD_PLAN. */
__attribute__((format(printf, 2, 3))) pt_status pt__substrait_bad(decoder *d, const char *format, ...);
/** The member of a oneof with that number is unknown or missing: names both. */
pt_status pt__substrait_unknown_kind(decoder *d, const ProtobufCMessage *message, unsigned number);
/** An extension that changes the meaning of a node must be understood. `where` names the node. */
pt_status pt__substrait_check_extension(decoder *d, const Substrait__Extensions__AdvancedExtension *extension,
                                        const char *where);
/** The name of an enumeration's value, or its number. */
const char *pt__substrait_enum_name(decoder *d, const ProtobufCEnumDescriptor *descriptor, int value);

/* ---- types ---- */

/** `*out` NULL when the message is missing. Names of struct fields are made up. */
pt_status pt__substrait_type(decoder *d, const Substrait__Type *type, const pt_type **out);
pt_status pt__substrait_struct_type(decoder *d, Substrait__Type *const *types, size_t count, const pt_type **out);
/** The type of a whole number with the variation of its type. */
pt_status pt__substrait_whole(decoder *d, pt_type_id id, uint32_t variation, const pt_type **out);
/** Struct type with its names, depth first. */
pt_status pt__substrait_named_struct(decoder *d, const Substrait__NamedStruct *message, const pt_type **out);
/** As the plan has it: char and varchar are strings, timestamps have no precision. */
const pt_type *pt__substrait_plain(decoder *d, const pt_type *type);
/** The type with the names of `names`, depth first, from `*next` on; PT_BAD_PLAN when there are too few. */
pt_status pt__substrait_rename_type(decoder *d, const pt_type *type, char *const *names, size_t name_count,
                                    size_t *next, const pt_type **out);
bool pt__substrait_has_struct(const pt_type *type);
/** Text of a type for messages. */
const char *pt__substrait_type_text(decoder *d, const pt_type *type);

/* ---- expressions ---- */

pt_status pt__substrait_literal(decoder *d, const Substrait__Expression__Literal *literal, value_of *out);
pt_status pt__substrait_expression(decoder *d, const scope *s, const Substrait__Expression *expression, value_of *out);
pt_status pt__substrait_condition(decoder *d, const scope *s, const Substrait__Expression *expression,
                                  const pt_expr **out);
pt_status pt__substrait_reference(decoder *d, const scope *s, const Substrait__Expression__FieldReference *reference,
                                  value_of *out);
/** Column `position` of the scope `steps` queries out. */
pt_status pt__substrait_column(decoder *d, const scope *s, uint32_t steps, uint32_t position, value_of *out);
pt_status pt__substrait_subquery(decoder *d, const scope *s, const Substrait__Expression__Subquery *subquery,
                                 value_of *out);
pt_status pt__substrait_sorts(decoder *d, const scope *s, Substrait__SortField *const *sorts, size_t count,
                              const pt_expr *const **out, size_t *out_count);
/** An implicit cast to a declared type; `expr` itself when `type` is not known. */
const pt_expr *pt__substrait_declared(decoder *d, const pt_expr *expr, const pt_type *type);
const pt_expr *pt__substrait_ordinal(decoder *d, uint32_t position, uint32_t outer);
const pt_expr *pt__substrait_call(decoder *d, const char *name, size_t count, const pt_expr *x, const pt_expr *y,
                                  const pt_expr *z);
/** `function` over all items, as a balanced tree; NULL for none. */
const pt_expr *pt__substrait_fold(decoder *d, const char *function, const pt_expr *const *items, size_t count);
/** CASE WHEN condition THEN value ELSE otherwise END. */
const pt_expr *pt__substrait_if(decoder *d, const pt_expr *condition, const pt_expr *value, const pt_expr *otherwise);

/** Whether `condition` holds for a row of `other`, in a subquery over it: true, else NULL if not known, else false. */
const pt_expr *pt__substrait_mark(decoder *d, const pt_plan *other, const pt_expr *condition);

/* ---- functions ---- */

/** What the messages of scalar, aggregate and window functions have in common. */
typedef struct pt__substrait_invocation {
    uint32_t anchor;
    Substrait__FunctionArgument *const *arguments;
    size_t argument_count;
    Substrait__Expression *const *old_arguments;
    size_t old_argument_count;
    Substrait__FunctionOption *const *options;
    size_t option_count;
    const Substrait__Type *output_type;
} pt__substrait_invocation;

typedef enum pt__substrait_function_kind {
    PT_SUBSTRAIT_SCALAR,
    PT_SUBSTRAIT_AGGREGATE,
    PT_SUBSTRAIT_WINDOW
} pt__substrait_function_kind;

/** The declared result type is cast to, but for aggregates and window functions: `out->type` says it. */
pt_status pt__substrait_function(decoder *d, const scope *s, pt__substrait_function_kind kind,
                                 const pt__substrait_invocation *invocation, value_of *out);
pt_status pt__substrait_measure(decoder *d, const scope *s, const Substrait__AggregateFunction *message,
                                const Substrait__Expression *filter, value_of *out);
pt_status pt__substrait_window(decoder *d, const scope *s, const Substrait__Expression__WindowFunction *message,
                               value_of *out);
/** A window function of a window relation; `partition` and `order` are the relation's. */
pt_status pt__substrait_window_of_relation(decoder *d, const scope *s,
                                           const Substrait__ConsistentPartitionWindowRel__WindowRelFunction *message,
                                           const pt_expr *const *partition, size_t partition_count,
                                           const pt_expr *const *order, size_t order_count, value_of *out);

/* ---- relations ---- */

/** Whether the plan says that `producer` made it: some have ways of their own. */
bool pt__substrait_is_by(const decoder *d, const char *producer);

/** `outer` is the scope of the expression around a subquery; NULL: none. */
pt_status pt__substrait_relation_in(decoder *d, const scope *outer, const Substrait__Rel *rel, relation_of *out);
scope pt__substrait_scope_of(const scope *outer, const relation_of *input, const Substrait__RelCommon *common);
/** The mapping of `common` applied. */
pt_status pt__substrait_emit(decoder *d, const Substrait__RelCommon *common, relation_of *relation);
/** PROJECT of values; a value that repeats gets an alias, so that columns stay apart. */
relation_of pt__substrait_project_of(decoder *d, const pt_plan *input, const value_of *values, size_t count);
const pt_plan *pt__substrait_filter_of(decoder *d, const pt_plan *input, const pt_expr *condition);
const pt_plan *pt__substrait_to_df(decoder *d, const pt_plan *input, const char *const *names, size_t count);
const pt_type *pt__substrait_concat(decoder *d, const pt_type *left, const pt_type *right);
/** PT_UNSUPPORTED when nobody knows how many columns `relation` has. */
pt_status pt__substrait_need_columns(decoder *d, const relation_of *relation, const char *where);
/** `hint` (may be NULL) tells how many columns come out. */
pt_status pt__substrait_extension_of(decoder *d, const Google__Protobuf__Any *detail, const relation_of *inputs,
                                     size_t input_count, const Substrait__RelCommon__Hint *hint, relation_of *out);
pt_status pt__substrait_extension_literal(decoder *d, const Google__Protobuf__Any *detail, value_of *out);
/** Names over the columns of a root: nested ones, too. */
pt_status pt__substrait_root_names(decoder *d, char *const *names, size_t count, relation_of *relation);

/* Families of relations, one file each; the mapping of RelCommon is left to the caller. */
pt_status pt__substrait_read(decoder *d, const scope *outer, const Substrait__ReadRel *rel, relation_of *out);
pt_status pt__substrait_join(decoder *d, const scope *outer, const Substrait__Rel *rel, relation_of *out);
pt_status pt__substrait_aggregate(decoder *d, const scope *outer, const Substrait__AggregateRel *rel, relation_of *out);
pt_status pt__substrait_set(decoder *d, const scope *outer, const Substrait__SetRel *rel, relation_of *out);
pt_status pt__substrait_expand(decoder *d, const scope *outer, const Substrait__ExpandRel *rel, relation_of *out);
pt_status pt__substrait_write(decoder *d, const Substrait__WriteRel *rel, const pt_plan **out);
pt_status pt__substrait_ddl(decoder *d, const Substrait__DdlRel *rel, const pt_plan **out);

#endif
