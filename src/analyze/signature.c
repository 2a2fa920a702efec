/* Signatures of function rows: parsed where they are matched; see function.h for their language. */
#include "analyze/analyzer.h"

#include <ctype.h>
#include <string.h>

enum { VARIABLE_COUNT = 26 };

typedef struct variable {
    const pt_type *type; /* NULL: not bound */
    bool nullable;
} variable;

typedef struct matcher {
    pt__analyzer *a;
    pt__scope *scope;
    const pt_expr_call *call;
    bool with_casts;
    bool narrowing;
    bool exact; /* the parameter takes no other kind of type */
    variable variables[VARIABLE_COUNT];
    pt__match *match;
    pt_error *err;
} matcher;

/* ---- reading the text ---- */

typedef struct reader {
    const char *at;
} reader;

static void skip_space(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool accept(reader *r, const char *text)
{
    skip_space(r);
    size_t size = strlen(text);
    if (strncmp(r->at, text, size) != 0)
        return false;
    r->at += size;
    return true;
}

static bool accept_word(reader *r, const char *word)
{
    skip_space(r);
    size_t size = strlen(word);
    if (strncmp(r->at, word, size) != 0 || isalnum((unsigned char)r->at[size]) || r->at[size] == '_')
        return false;
    r->at += size;
    return true;
}

/* Steps over one type, nested brackets included, up to a mark, comma or arrow. */
static void skip_type(reader *r)
{
    skip_space(r);
    int depth = 0;
    for (; *r->at != '\0'; r->at++) {
        if (*r->at == '<' || *r->at == '(')
            depth++;
        else if (*r->at == ')' || (*r->at == '>' && r->at[-1] != '-'))
            depth--;
        else if (depth == 0 && (*r->at == ',' || *r->at == ' ' || *r->at == '?' || *r->at == '*' || *r->at == '+'))
            break;
        if (depth < 0)
            break;
        if (depth == 0 && *r->at == ')') {
            r->at++;
            if (strncmp(r->at, "->", 2) == 0) { /* fn(…)->R */
                r->at += 2;
                skip_type(r);
            }
            break;
        }
    }
}

/* The words before a parameter's type. */
typedef struct marks {
    bool is_constant;
    bool is_exact; /* other kinds of types are not cast to it */
    bool is_typed; /* nor are others of its kind, nor NULL */
    bool is_wider; /* what may be lost in a cast is not cast */
} marks;

static marks accept_marks(reader *r)
{
    marks found = {false, false, false, false};
    for (;;) {
        if (accept_word(r, "const"))
            found.is_constant = true;
        else if (accept_word(r, "exact"))
            found.is_exact = true;
        else if (accept_word(r, "typed"))
            found.is_typed = true;
        else if (accept_word(r, "wider"))
            found.is_wider = true;
        else
            return found;
    }
}

void pt__signature_arity(const char *signature, size_t *fewest, size_t *most)
{
    *fewest = *most = 0;
    reader r = {signature};
    if (*signature == '@') {
        const pt__type_rule *rule = pt__type_rule_find(signature + 1, strlen(signature + 1));
        *fewest = rule == NULL ? 0 : rule->fewest;
        *most = rule == NULL ? SIZE_MAX : rule->most;
        return;
    }
    while (!accept(&r, "->") && *r.at != '\0') {
        accept_marks(&r);
        skip_type(&r);
        if (accept(&r, "*")) {
            *most = SIZE_MAX;
        } else if (accept(&r, "+")) {
            ++*fewest;
            *most = SIZE_MAX;
        } else {
            *fewest += !accept(&r, "?");
            *most += *most != SIZE_MAX;
        }
        accept(&r, ",");
    }
}

static const struct {
    const char *name;
    pt_type_id id;
} CONCRETE[] = {
    {"boolean", PT_TYPE_BOOLEAN},
    {"tinyint", PT_TYPE_BYTE},
    {"smallint", PT_TYPE_SHORT},
    {"int", PT_TYPE_INT},
    {"bigint", PT_TYPE_LONG},
    {"float", PT_TYPE_FLOAT},
    {"double", PT_TYPE_DOUBLE},
    {"string", PT_TYPE_STRING},
    {"binary", PT_TYPE_BINARY},
    {"date", PT_TYPE_DATE},
    {"timestamp_ntz", PT_TYPE_TIMESTAMP_NTZ},
    {"timestamp", PT_TYPE_TIMESTAMP},
    {"interval", PT_TYPE_INTERVAL_CALENDAR},
    {"ym", PT_TYPE_INTERVAL_YEAR_MONTH},
    {"dt", PT_TYPE_INTERVAL_DAY_TIME},
    {"variant", PT_TYPE_VARIANT},
    {"void", PT_TYPE_VOID},
    {"time", PT_TYPE_TIME},
};

static const pt_type *accept_concrete(reader *r)
{
    for (size_t i = 0; i < sizeof(CONCRETE) / sizeof(CONCRETE[0]); i++) {
        if (accept_word(r, CONCRETE[i].name))
            return pt__type_simple(CONCRETE[i].id);
    }
    return NULL;
}

static bool in_class(const char *name, const pt_type *type)
{
    if (strcmp(name, "any") == 0)
        return true;
    if (strcmp(name, "numeric") == 0)
        return pt__type_is_numeric(type);
    if (strcmp(name, "integral") == 0)
        return pt__type_is_integral(type);
    if (strcmp(name, "fractional") == 0)
        return type->id == PT_TYPE_FLOAT || type->id == PT_TYPE_DOUBLE || type->id == PT_TYPE_DECIMAL;
    if (strcmp(name, "decimal") == 0)
        return type->id == PT_TYPE_DECIMAL;
    if (strcmp(name, "datetime") == 0)
        return pt__type_is_datetime(type);
    if (strcmp(name, "struct") == 0)
        return type->id == PT_TYPE_STRUCT;
    if (strcmp(name, "strings") == 0)
        return pt__type_is_string(type) || (type->id == PT_TYPE_ARRAY && pt__type_is_string(type->element));
    return strcmp(name, "atomic") == 0 && type->id != PT_TYPE_ARRAY && type->id != PT_TYPE_MAP &&
           type->id != PT_TYPE_STRUCT;
}

static const char *const CLASSES[] = {"any",      "numeric", "integral", "fractional", "decimal",
                                      "datetime", "strings", "struct",   "atomic"};

static const char *accept_class(reader *r)
{
    for (size_t i = 0; i < sizeof(CLASSES) / sizeof(CLASSES[0]); i++) {
        if (accept_word(r, CLASSES[i]))
            return CLASSES[i];
    }
    return NULL;
}

/* ---- first walk: do the arguments fit, and what do variables stand for ---- */

static bool fit(matcher *m, reader *r, const pt_type *type, bool nullable);

static bool fit_variable(matcher *m, char letter, const pt_type *type, bool nullable)
{
    variable *v = &m->variables[letter - 'A'];
    v->nullable |= nullable;
    if (v->type == NULL || v->type->id == PT_TYPE_VOID) {
        v->type = type;
        return true;
    }
    if (pt__type_same_kind(v->type, type) || type->id == PT_TYPE_VOID) {
        if (!pt__type_equal(v->type, type) && type->id != PT_TYPE_VOID)
            v->type = pt__common_type(m->a, v->type, type); /* nullability inside may differ */
        return v->type != NULL;
    }
    bool reads_text = letter != 'S' || pt__type_is_string(v->type) == pt__type_is_string(type);
    const pt_type *common = m->with_casts && reads_text ? pt__common_type(m->a, v->type, type) : NULL;
    if (common == NULL)
        return false;
    v->type = common;
    return true;
}

/* The default that a string or NULL becomes where a class of types is wanted. */
static bool fit_class(matcher *m, const char *name, const pt_type *type)
{
    if (in_class(name, type))
        return true;
    if (!m->with_casts)
        return false;
    if (type->id == PT_TYPE_VOID)
        return true;
    if (m->exact && !pt__type_is_numeric(type))
        return false;
    if (strcmp(name, "strings") == 0)
        return pt__can_cast_implicitly(m->a, type, PT_T(STRING));
    if (pt__type_is_string(type))
        return strcmp(name, "numeric") == 0 || strcmp(name, "fractional") == 0;
    if (strcmp(name, "fractional") == 0)
        return pt__type_is_integral(type);
    if (strcmp(name, "decimal") != 0)
        return false;
    return pt__type_is_integral(type) || (m->narrowing && (type->id == PT_TYPE_FLOAT || type->id == PT_TYPE_DOUBLE));
}

static bool fit_nested(matcher *m, reader *r, const pt_type *type, pt_type_id id)
{
    bool is_void = type->id == PT_TYPE_VOID;
    if (type->id != id && !(is_void && m->with_casts))
        return false;
    const pt_type *none = PT_T(VOID);
    if (id == PT_TYPE_MAP) {
        if (!fit(m, r, is_void ? none : type->key, false) || !accept(r, ","))
            return false;
    }
    if (!fit(m, r, is_void ? none : type->element, is_void || type->contains_null))
        return false;
    accept(r, "!");
    return accept(r, ">");
}

static bool fit(matcher *m, reader *r, const pt_type *type, bool nullable)
{
    skip_space(r);
    if (accept(r, "array<"))
        return fit_nested(m, r, type, PT_TYPE_ARRAY);
    if (accept(r, "map<"))
        return fit_nested(m, r, type, PT_TYPE_MAP);
    if (*r->at >= 'A' && *r->at <= 'Z')
        return fit_variable(m, *r->at++, type, nullable);
    const char *class_name = accept_class(r);
    if (class_name != NULL)
        return fit_class(m, class_name, type);
    const pt_type *concrete = accept_concrete(r);
    if (concrete == NULL)
        return false;
    if (concrete->id == type->id || (concrete->id == PT_TYPE_STRING && pt__type_is_string(type)))
        return true;
    bool are_numbers = pt__type_is_numeric(type) && pt__type_is_numeric(concrete);
    if (m->exact && !are_numbers && type->id != PT_TYPE_VOID)
        return false;
    if (m->narrowing && are_numbers)
        return true;
    return m->with_casts && pt__can_cast_implicitly(m->a, type, concrete);
}

/* ---- second walk: the type each argument is cast to ---- */

static const pt_type *class_target(const char *name, const pt_type *type)
{
    if (strcmp(name, "strings") == 0)
        return in_class(name, type) ? type : PT_T(STRING);
    bool is_integral = strcmp(name, "integral") == 0;
    if (type->id == PT_TYPE_VOID && strcmp(name, "any") != 0)
        return is_integral ? PT_T(INT) : PT_T(DOUBLE);
    if (in_class(name, type))
        return type;
    if (is_integral)
        return PT_T(LONG);
    return PT_T(DOUBLE);
}

static const pt_type *substitute(matcher *m, reader *r, const pt_type *type, bool *nullable);

/* What an array or map of kind `id` holds, up to its '>'; T! and T? say whether NULLs are among them. */
static const pt_type *substitute_element(matcher *m, reader *r, const pt_type *type, pt_type_id id, bool *contains_null)
{
    *contains_null = true;
    const pt_type *element = substitute(m, r, type == NULL ? NULL : type->element, contains_null);
    if (type != NULL && type->id == id)
        *contains_null = type->contains_null;
    if (accept(r, "!"))
        *contains_null = false;
    else if (accept(r, "?"))
        *contains_null = true;
    accept(r, ">");
    return element;
}

static const pt_type *substitute(matcher *m, reader *r, const pt_type *type, bool *nullable)
{
    bool ignored = false;
    if (nullable == NULL)
        nullable = &ignored;
    skip_space(r);
    if (accept(r, "array<")) {
        bool contains_null;
        const pt_type *element = substitute_element(m, r, type, PT_TYPE_ARRAY, &contains_null);
        return element == NULL ? NULL : pt__type_array(m->a->arena, element, contains_null);
    }
    if (accept(r, "map<")) {
        const pt_type *key = substitute(m, r, type == NULL ? NULL : type->key, NULL);
        accept(r, ",");
        bool contains_null;
        const pt_type *value = substitute_element(m, r, type, PT_TYPE_MAP, &contains_null);
        return key == NULL || value == NULL ? NULL : pt__type_map(m->a->arena, key, value, contains_null);
    }
    if (*r->at >= 'A' && *r->at <= 'Z') {
        const variable *v = &m->variables[*r->at++ - 'A'];
        *nullable = v->nullable;
        return v->type;
    }
    const char *class_name = accept_class(r);
    if (class_name != NULL) {
        bool is_number = type != NULL && type->id != PT_TYPE_DECIMAL && pt__type_is_numeric(type);
        if (strcmp(class_name, "decimal") == 0 && is_number)
            return NULL; /* the caller derives the decimal from the argument */
        return type == NULL ? NULL : class_target(class_name, type);
    }
    const pt_type *concrete = accept_concrete(r);
    *nullable = false;
    if (concrete != NULL && concrete->id == PT_TYPE_STRING && type != NULL && pt__type_is_string(type))
        return type;
    return type != NULL && concrete != NULL && concrete->id == type->id ? type : concrete;
}

/* ---- lambdas ---- */

typedef pt__list(const pt_expr_lambda_variable *) variable_list;

/* The parameters in parentheses get types; PT_NOT_FOUND when the lambda has another number of them. */
static pt_status bind_parameters(matcher *m, reader *r, const pt_expr_lambda *lambda, variable_list *variables)
{
    pt__arena *arena = m->a->arena;
    while (!accept(r, ")")) {
        bool nullable = false;
        const pt_type *type = substitute(m, r, NULL, &nullable);
        nullable = accept(r, "?") || nullable;
        if (type == NULL)
            return PT_NOT_FOUND;
        if (variables->count < lambda->parameter_count) {
            pt_expr_lambda_variable *v = pt__expr_make(arena, LAMBDA_VARIABLE, lambda_variable, lambda->base.origin);
            v->name = lambda->parameters[variables->count]->name;
            v->id = m->a->next_id++;
            v->base.type = type;
            v->base.nullable = nullable;
            pt__list_push(arena, variables, v);
        }
        accept(r, ",");
    }
    accept(r, "->");
    return variables->count == lambda->parameter_count ? PT_OK : PT_NOT_FOUND;
}

/* The body, cast to what the signature asks of the result; a variable that is free yet becomes its type. */
static pt_status fit_body(matcher *m, reader *r, const pt_expr **body)
{
    pt__analyzer *a = m->a;
    const pt_type *type = (*body)->type;
    if (*r->at < 'A' || *r->at > 'Z') {
        bool nullable;
        const pt_type *wanted = substitute(m, r, type, &nullable);
        if (wanted == NULL || !pt__can_cast_implicitly(a, type, wanted))
            return PT_NOT_FOUND;
        *body = pt__implicit_cast(a, *body, wanted);
        return PT_OK;
    }
    variable *v = &m->variables[*r->at - 'A'];
    if (v->type == NULL)
        v->type = type;
    else if (!pt__type_same_kind(v->type, type) && pt__can_cast_implicitly(a, type, v->type))
        *body = pt__implicit_cast(a, *body, v->type);
    else if (!pt__type_same_kind(v->type, type))
        return PT_NOT_FOUND;
    v->nullable |= (*body)->nullable;
    r->at++;
    return PT_OK;
}

static pt_status bind_lambda(matcher *m, reader *r, const pt_expr *argument, const pt_expr **out)
{
    pt__analyzer *a = m->a;
    if (argument->kind != PT_EXPR_LAMBDA)
        return PT_NOT_FOUND;
    const pt_expr_lambda *lambda = pt__expr_as_lambda(argument);
    variable_list variables = {0};
    PT_TRY(bind_parameters(m, r, lambda, &variables));
    pt__lambda_scope inner = {m->scope->lambdas, lambda, variables.items};
    pt__scope scope = *m->scope;
    scope.lambdas = &inner;
    const pt_expr *body;
    PT_TRY(pt__analyze_expr(a, &scope, lambda->body, &body, m->err));
    m->scope->outer_was_used |= scope.outer_was_used;
    PT_TRY(fit_body(m, r, &body));
    pt_expr_lambda *bound = pt__expr_make(a->arena, LAMBDA, lambda, argument->origin);
    bound->body = body;
    bound->parameters = variables.items;
    bound->parameter_count = variables.count;
    bound->base.type = body->type;
    bound->base.nullable = body->nullable;
    *out = &bound->base;
    return PT_OK;
}

/* ---- the row ---- */

typedef enum walk { WALK_FIT, WALK_CAST } walk;

/* fit() under what the marks of the parameter allow. */
static bool fit_marked(matcher *m, reader *r, marks marked, const pt_expr *argument)
{
    matcher saved = *m;
    if (marked.is_typed && argument->type->id == PT_TYPE_VOID)
        return false;
    m->exact = marked.is_exact;
    m->with_casts = m->with_casts && !marked.is_typed;
    m->narrowing = m->narrowing && !marked.is_typed && !marked.is_exact && !marked.is_wider;
    bool fits = fit(m, r, argument->type, argument->nullable);
    m->exact = saved.exact;
    m->with_casts = saved.with_casts;
    m->narrowing = saved.narrowing;
    return fits;
}

static pt_status match_argument(matcher *m, reader *r, size_t index, walk step, marks marked)
{
    const pt_expr *argument = m->call->arguments[index];
    bool is_lambda = accept(r, "fn(");
    if (step == WALK_FIT) {
        if (is_lambda) {
            r->at -= 3;
            skip_type(r);
            return argument->kind == PT_EXPR_LAMBDA ? PT_OK : PT_NOT_FOUND;
        }
        if (argument->kind == PT_EXPR_LAMBDA)
            return PT_NOT_FOUND;
        return fit_marked(m, r, marked, argument) ? PT_OK : PT_NOT_FOUND;
    }
    if (is_lambda)
        return bind_lambda(m, r, argument, &m->match->arguments[index]);
    const pt_type *target = substitute(m, r, argument->type, NULL);
    if (target == NULL)
        target = pt__decimal_of(m->a, argument->type);
    m->match->arguments[index] = pt__implicit_cast(m->a, argument, target);
    return PT_OK;
}

/* Walks the parameters along the arguments; the reader stands behind the arrow afterwards. */
static pt_status walk_parameters(matcher *m, reader *r, walk step)
{
    size_t index = 0;
    const size_t count = m->call->argument_count;
    while (!accept(r, "->")) {
        marks marked = accept_marks(r);
        const char *start = r->at;
        reader mark = *r;
        skip_type(&mark);
        bool many = accept(&mark, "*") || accept(&mark, "+");
        do {
            r->at = start;
            if (index >= count)
                break;
            if (marked.is_constant && !pt__expr_is_constant(m->call->arguments[index]))
                return PT_NOT_FOUND;
            PT_TRY(match_argument(m, r, index, step, marked));
            index++;
        } while (many);
        r->at = start;
        skip_type(r);
        (void)(accept(r, "*") || accept(r, "+") || accept(r, "?"));
        accept(r, ",");
    }
    return index == count ? PT_OK : PT_NOT_FOUND;
}

bool pt__parameter_fits(pt__analyzer *a, const pt__function *row, const pt_expr_call *call, size_t index)
{
    if (row->signature[0] == '@' || call->arguments[index]->kind == PT_EXPR_LAMBDA)
        return true;
    matcher m = {.a = a, .call = call, .with_casts = true, .narrowing = true};
    reader r = {row->signature};
    for (size_t i = 0; !accept(&r, "->"); i++) {
        marks marked = accept_marks(&r);
        reader mark = r;
        skip_type(&mark);
        bool many = accept(&mark, "*") || accept(&mark, "+");
        if (i == index || many)
            return accept(&r, "fn(") || fit_marked(&m, &r, marked, call->arguments[index]);
        r = mark;
        accept(&r, "?");
        accept(&r, ",");
    }
    return true;
}

static bool result_is_nullable(const pt__match *match)
{
    bool any = false;
    bool all = match->argument_count != 0;
    bool first_two = false;
    for (size_t i = 0; i < match->argument_count; i++) {
        if (match->arguments[i]->kind == PT_EXPR_LAMBDA)
            continue;
        first_two |= i < 2 && match->arguments[i]->nullable;
        any |= match->arguments[i]->nullable;
        all &= match->arguments[i]->nullable;
    }
    switch (match->function->nulls) {
    case PT_NULLS_ANY: return any;
    case PT_NULLS_ALL: return all;
    case PT_NULLS_NEVER: return false;
    case PT_NULLS_ALWAYS: return true;
    case PT_NULLS_FIRST: return match->argument_count != 0 && match->arguments[0]->nullable;
    case PT_NULLS_FIRST_TWO: return first_two;
    }
    return true;
}

static pt_status apply_rule(matcher *m, const char *name)
{
    const pt__type_rule *rule = pt__type_rule_find(name, strcspn(name, " "));
    if (rule == NULL)
        return pt_error_set(m->err, PT_INTERNAL, "function %s names the unknown type rule @%s",
                            m->match->function->name, name);
    return rule->apply(m->a, m->call, m->match, m->err);
}

pt_status pt__match_signature(pt__analyzer *a, pt__scope *scope, const pt__function *row, const pt_expr_call *call,
                              pt__leniency leniency, pt__match *out, pt_error *err)
{
    matcher m = {.a = a, .scope = scope, .call = call, .match = out, .err = err};
    m.with_casts = leniency >= PT_MATCH_WIDENING;
    m.narrowing = leniency == PT_MATCH_NARROWING;
    out->function = row;
    out->argument_count = call->argument_count;
    out->arguments = pt__arena_array(a->arena, const pt_expr *, call->argument_count + 1);
    for (size_t i = 0; i < call->argument_count; i++)
        out->arguments[i] = call->arguments[i];
    if (row->signature[0] == '@') {
        out->nullable = result_is_nullable(out);
        return apply_rule(&m, row->signature + 1);
    }
    reader r = {row->signature};
    PT_TRY(walk_parameters(&m, &r, WALK_FIT));
    r.at = row->signature;
    PT_TRY(walk_parameters(&m, &r, WALK_CAST));
    out->nullable = result_is_nullable(out);
    skip_space(&r);
    if (*r.at == '@')
        return apply_rule(&m, r.at + 1);
    bool nullable;
    out->type = substitute(&m, &r, NULL, &nullable);
    return out->type == NULL ? PT_NOT_FOUND : PT_OK;
}
