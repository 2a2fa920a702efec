/* Calls: the rows of functions.def and the terms of their templates. */
#include "backend/ballista/lower_rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct row {
    const char *name;
    const char *types;
    bool is_cast;
    const char *template;
} row;

enum { RESULT_SAME = 0, RESULT_CAST = 1 };

static const row ROWS[] = {
#define PT_BL_FUNCTION(name, types, result, template) {name, types, RESULT_##result, template},
#include "backend/ballista/functions.def"
#undef PT_BL_FUNCTION
};

/* ---- finding a row ---- */

static bool fits_letter(const pt_type *type, char letter)
{
    switch (letter) {
    case 's': return pt__type_is_string(type) && type->collation == NULL;
    case 'b': return type->id == PT_TYPE_BINARY;
    case 'i': return pt__type_is_integral(type);
    case 'f': return type->id == PT_TYPE_FLOAT;
    case 'd': return type->id == PT_TYPE_DOUBLE;
    case 'D': return type->id == PT_TYPE_DECIMAL;
    case 'n': return pt__type_is_numeric(type);
    case 'B': return type->id == PT_TYPE_BOOLEAN;
    case 'a': return type->id == PT_TYPE_DATE;
    case 't': return type->id == PT_TYPE_TIMESTAMP;
    case 'z': return type->id == PT_TYPE_TIMESTAMP_NTZ;
    default: return true;
    }
}

static bool fits(const row *r, const pt_expr_call *call)
{
    const char *letter = r->types;
    for (size_t i = 0; i < call->argument_count; i++) {
        if (*letter == '\0' || !fits_letter(call->arguments[i]->type, *letter))
            return false;
        letter += letter[1] == '*' ? 0 : 1;
    }
    /* "ss*" is two or more, "s*" one or more: a starred letter may be left out behind others. */
    return *letter == '\0' || letter[1] == '*';
}

static const row *find_row(const pt_expr_call *call)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        if (strcasecmp(ROWS[i].name, call->function->name) == 0 && fits(&ROWS[i], call))
            return &ROWS[i];
    }
    return NULL;
}

/* ---- templates ---- */

typedef struct reader {
    pt__bl *bl;
    const char *at;
    const pt_expr_call *call;
    const pt__bx *const *arguments;
    size_t count;
    pt_error *err;
} reader;

typedef pt__list(const pt__bx *) terms;

static pt_status read_term(reader *r, const pt__bx **out);

static void skip_space(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static const char *read_word(reader *r)
{
    skip_space(r);
    const char *start = r->at;
    while (*r->at != '\0' && strchr(" ()", *r->at) == NULL)
        r->at++;
    return pt__arena_copy_text(r->bl->arena, start, (size_t)(r->at - start));
}

static const char *read_quoted(reader *r)
{
    const char *start = ++r->at;
    while (*r->at != '\'')
        r->at++;
    return pt__arena_copy_text(r->bl->arena, start, (size_t)(r->at++ - start));
}

static pt_status broken(reader *r)
{
    return pt_error_set(r->err, PT_INTERNAL, "the template of %s is broken at: %s", r->call->function->name, r->at);
}

static pt_status read_terms(reader *r, terms *out)
{
    for (skip_space(r); *r->at != ')'; skip_space(r)) {
        if (*r->at == '\0')
            return broken(r);
        if (strncmp(r->at, "{*}", 3) == 0) {
            r->at += 3;
            for (size_t i = 0; i < r->count; i++)
                pt__list_push(r->bl->arena, out, r->arguments[i]);
            continue;
        }
        const pt__bx *term;
        PT_TRY(read_term(r, &term));
        pt__list_push(r->bl->arena, out, term);
    }
    r->at++;
    return PT_OK;
}

static pt_status read_type(reader *r, pt__btype **out)
{
    const char *word = read_word(r);
    if (strcmp(word, "r") == 0)
        return pt__bl_type(r->bl, r->call->base.type, r->call->base.origin, out, r->err);
    *out = pt__btype_named(r->bl->arena, word);
    return *out == NULL ? broken(r) : PT_OK;
}

static pt_status read_cast(reader *r, const pt__bx **out)
{
    pt__btype *type;
    terms list = {0};
    PT_TRY(read_type(r, &type));
    PT_TRY(read_terms(r, &list));
    *out = pt__bx_cast(r->bl->arena, list.items[0], type);
    return PT_OK;
}

static pt_status read_raise(reader *r, const pt__bx **out)
{
    const char *condition = read_word(r);
    skip_space(r);
    const char *json = read_quoted(r);
    terms none = {0};
    pt__btype *type;
    PT_TRY(pt__bl_type(r->bl, r->call->base.type, r->call->base.origin, &type, r->err));
    PT_TRY(read_terms(r, &none));
    *out = pt__bx_raise(r->bl->arena, condition, json, r->count > 0 ? r->arguments[r->count - 1] : NULL, type);
    return PT_OK;
}

static pt_status read_interval(reader *r, const char *head, const pt__bx **out)
{
    int amount = (int)strtol(read_word(r), NULL, 10);
    terms none = {0};
    PT_TRY(read_terms(r, &none));
    *out = strcmp(head, "months") == 0 ? pt__bx_interval(r->bl->arena, amount, 0)
                                       : pt__bx_interval(r->bl->arena, 0, amount);
    return PT_OK;
}

static const char *operator_word(const char *head)
{
    static const char *const WORDS[][2] = {
        {"+", "Plus"},
        {"-", "Minus"},
        {"*", "Multiply"},
        {"/", "Divide"},
        {"%", "Modulo"},
        {"=", "Eq"},
        {"!=", "NotEq"},
        {"<", "Lt"},
        {"<=", "LtEq"},
        {">", "Gt"},
        {">=", "GtEq"},
        {"and", "And"},
        {"or", "Or"},
        {"&", "BitwiseAnd"},
        {"|", "BitwiseOr"},
        {"^", "BitwiseXor"},
        {"||", "StringConcat"},
        {"<<", "BitwiseShiftLeft"},
        {">>", "BitwiseShiftRight"},
    };
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (strcmp(WORDS[i][0], head) == 0)
            return WORDS[i][1];
    }
    return NULL;
}

static pt_status make_case(reader *r, const terms *list, const pt__bx **out)
{
    bool has_else = list->count % 2 != 0;
    *out = pt__bx_case(r->bl->arena, list->items, list->count / 2, has_else ? list->items[list->count - 1] : NULL);
    return PT_OK;
}

/* (@f x y), and (@f? c x y) over the rows where c holds. */
static pt_status make_leaf(reader *r, const char *head, const terms *list, const pt__bx **out)
{
    size_t size = strlen(head);
    bool has_filter = head[size - 1] == '?';
    const char *name = pt__arena_copy_text(r->bl->arena, head, size - has_filter);
    return pt__bl_leaf(r->bl, name, list->items + has_filter, list->count - has_filter,
                       has_filter ? list->items[0] : NULL, r->call->base.type, out, r->err);
}

static pt_status make_term(reader *r, const char *head, const terms *list, const pt__bx **out)
{
    pt__arena *arena = r->bl->arena;
    const char *op = operator_word(head);
    if (op != NULL)
        *out = pt__bx_chain(arena, op, list->items, list->count);
    else if (strcmp(head, "not") == 0)
        *out = pt__bx_not(arena, list->items[0]);
    else if (strcmp(head, "isnull") == 0)
        *out = pt__bx_is_null(arena, list->items[0]);
    else if (strcmp(head, "notnull") == 0)
        *out = pt__bx_is_not_null(arena, list->items[0]);
    else if (strcmp(head, "if") == 0 || strcmp(head, "case") == 0)
        return make_case(r, list, out);
    else if (strcmp(head, "local") == 0)
        *out = pt__bl_local_time(r->bl, list->items[0]);
    else if (head[0] == '@')
        return make_leaf(r, head + 1, list, out);
    else
        *out = pt__bx_call(arena, head, list->items, list->count);
    return PT_OK;
}

static pt_status read_call(reader *r, const pt__bx **out)
{
    r->at++;
    const char *head = read_word(r);
    if (strcmp(head, "cast") == 0)
        return read_cast(r, out);
    if (strcmp(head, "raise") == 0)
        return read_raise(r, out);
    if (strcmp(head, "months") == 0 || strcmp(head, "days") == 0)
        return read_interval(r, head, out);
    terms list = {0};
    PT_TRY(read_terms(r, &list));
    return make_term(r, head, &list, out);
}

static pt_status read_null(reader *r, const pt__bx **out)
{
    pt__btype *type;
    PT_TRY(pt__bl_type(r->bl, r->call->base.type, r->call->base.origin, &type, r->err));
    *out = pt__bx_null(r->bl->arena, type);
    return PT_OK;
}

static pt_status read_atom(reader *r, const pt__bx **out)
{
    pt__arena *arena = r->bl->arena;
    const char *word = read_word(r);
    size_t size = strlen(word);
    if (strcmp(word, "null") == 0)
        return read_null(r, out);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        *out = pt__bx_bool(arena, word[0] == 't');
    else if (strcmp(word, "nan") == 0)
        *out = pt__bx_double(arena, strtod("nan", NULL));
    else if (strcmp(word, "{z}") == 0)
        *out = pt__bx_text(arena, r->bl->time_zone);
    else if (word[0] == '{' && isdigit((unsigned char)word[1]) && (size_t)(word[1] - '0') < r->count)
        *out = r->arguments[word[1] - '0'];
    else if (size > 0 && word[size - 1] == 'i')
        *out = pt__bx_int32(arena, (int32_t)strtol(word, NULL, 10));
    else if (strchr(word, '.') != NULL)
        *out = pt__bx_double(arena, strtod(word, NULL));
    else if (size > 0 && (isdigit((unsigned char)word[0]) || word[0] == '-'))
        *out = pt__bx_int64(arena, strtoll(word, NULL, 10));
    else
        return broken(r);
    return PT_OK;
}

static pt_status read_term(reader *r, const pt__bx **out)
{
    skip_space(r);
    if (*r->at == '(')
        return read_call(r, out);
    if (*r->at != '\'')
        return read_atom(r, out);
    *out = pt__bx_text(r->bl->arena, read_quoted(r));
    return PT_OK;
}

pt_status pt__bl_template(pt__bl *bl, const char *template, const pt_expr_call *call, const pt__bx *const *arguments,
                          size_t count, const pt__bx **out, pt_error *err)
{
    reader r = {bl, template, call, arguments, count, err};
    return read_term(&r, out);
}

/* ---- calls ---- */

static const pt__bl_rule *find_rule(const char *name)
{
    static const struct {
        const char *name;
        pt__bl_rule rule;
    } RULES[] = {
#define PT_BL_RULE(name) {#name, pt__bl_rule_##name},
#include "backend/ballista/lower_rules.def"
#undef PT_BL_RULE
    };
    for (size_t i = 0; i < sizeof(RULES) / sizeof(RULES[0]); i++) {
        if (strcmp(RULES[i].name, name) == 0)
            return &RULES[i].rule;
    }
    return NULL;
}

static pt_status lower_chain(pt__bl *bl, const pt_expr_call *call, const char *name, const char *op, const pt__bx **out,
                             pt_error *err)
{
    pt__list(const pt_expr *) pending = {0};
    terms list = {0};
    pt__list_push(bl->arena, &pending, &call->base);
    while (pending.count > 0) {
        const pt_expr *next = pending.items[--pending.count];
        if (pt__bl_is_call(next, name)) {
            pt__list_push(bl->arena, &pending, pt__expr_as_call(next)->arguments[1]);
            pt__list_push(bl->arena, &pending, pt__expr_as_call(next)->arguments[0]);
            continue;
        }
        const pt__bx *term;
        PT_TRY(pt__bl_expr(bl, next, &term, err));
        pt__list_push(bl->arena, &list, term);
    }
    *out = pt__bx_chain(bl->arena, op, list.items, list.count);
    return PT_OK;
}

static bool is_negated_subquery(const pt_expr_call *call)
{
    bool is_not = pt__bl_is_call(&call->base, "not") || pt__bl_is_call(&call->base, "!");
    return is_not && call->arguments[0]->kind == PT_EXPR_SUBQUERY;
}

static pt_status lower_row(pt__bl *bl, const row *r, const pt_expr_call *call, const pt__bx **out, pt_error *err)
{
    const pt__bx **arguments = pt__arena_array(bl->arena, const pt__bx *, call->argument_count + 1);
    for (size_t i = 0; i < call->argument_count; i++)
        PT_TRY(pt__bl_expr(bl, call->arguments[i], &arguments[i], err));
    if (r->template[0] == '@') {
        const pt__bl_rule *rule = find_rule(r->template + 1);
        if (rule == NULL)
            return pt_error_set(err, PT_INTERNAL, "there is no rule %s", r->template);
        PT_TRY((*rule)(bl, call, arguments, out, err));
    } else {
        PT_TRY(pt__bl_template(bl, r->template, call, arguments, call->argument_count, out, err));
    }
    pt__btype *type;
    if (!r->is_cast)
        return PT_OK;
    PT_TRY(pt__bl_type(bl, call->base.type, call->base.origin, &type, err));
    *out = pt__bx_cast(bl->arena, *out, type);
    return PT_OK;
}

pt_status pt__bl_call(pt__bl *bl, const pt_expr_call *call, const pt__bx **out, pt_error *err)
{
    if (call->function == NULL)
        return pt_error_set(err, PT_INTERNAL, "the call of %s has not been analyzed", call->name.parts[0]);
    if (call->folded != NULL)
        return pt__bl_expr(bl, call->folded, out, err);
    if (pt__bl_is_call(&call->base, "and"))
        return lower_chain(bl, call, "and", "And", out, err);
    if (pt__bl_is_call(&call->base, "or"))
        return lower_chain(bl, call, "or", "Or", out, err);
    if (is_negated_subquery(call))
        return pt__bl_subquery(bl, pt__expr_as_subquery(call->arguments[0]), true, out, err);
    const row *r = find_row(call);
    if (r == NULL)
        return pt__bl_refuse_function(bl, call, err);
    return lower_row(bl, r, call, out, err);
}
