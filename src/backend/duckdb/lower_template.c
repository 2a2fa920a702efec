#include "backend/duckdb/block.h"
#include "backend/duckdb/functions/functions.h"
#include "backend/duckdb/lower_narrow.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- expansion ---- */

static void put_arguments(pt__lower *lower, const pt__template *template, size_t from)
{
    for (size_t i = from; i < template->argument_count; i++) {
        pt__put(lower, i == from ? "" : ", ");
        pt__put(lower, template->arguments[i]);
    }
}

static pt_status put_argument(pt__lower *lower, const pt__template *template, size_t index, bool as_type, pt_error *err)
{
    if (index >= template->argument_count)
        return pt_error_set(err, PT_INTERNAL, "the lowering \"%s\" names argument %zu of %zu", template->text, index,
                            template->argument_count);
    if (as_type)
        pt__put_type(lower, template->types[index]);
    else
        pt__put(lower, template->arguments[index]);
    return PT_OK;
}

/* The holes that annotate() makes: D distinct, O order and null treatment, F and & filter, W window. */
static void put_form(pt__lower *lower, const pt__aggregate_form *form, char hole)
{
    if (form == NULL)
        return;
    if (hole == 'D' && form->is_distinct)
        pt__put(lower, "DISTINCT ");
    if (hole == 'O' && form->order != NULL)
        pt__putf(lower, " ORDER BY %s", form->order);
    if (hole == 'O' && form->ignore_nulls)
        pt__put(lower, " IGNORE NULLS");
    if (hole == 'F' && form->filter != NULL)
        pt__putf(lower, " FILTER (WHERE %s)", form->filter);
    if (hole == '&' && form->filter != NULL)
        pt__putf(lower, "%s AND ", form->filter);
    if (hole == 'W' && form->over != NULL)
        pt__putf(lower, " OVER (%s)", form->over);
}

/* `hole` is what stands between the braces. */
static pt_status put_hole(pt__lower *lower, const pt__template *template, const char *hole, size_t size, pt_error *err)
{
    if (size == 1 && hole[0] == '*') {
        put_arguments(lower, template, 0);
    } else if (size == 1 && hole[0] == 'r') {
        pt__put_type(lower, template->result);
    } else if (size == 1 && hole[0] == 'z') {
        pt__put_string(lower, template->time_zone, strlen(template->time_zone));
    } else if (size == 1 && strchr("DOF&W", hole[0]) != NULL) {
        put_form(lower, template->form, hole[0]);
    } else if (size == 1 && hole[0] == 'm') {
        pt__put(lower, template->mode);
    } else if (size == 1 && isdigit((unsigned char)hole[0])) {
        return put_argument(lower, template, (size_t)(hole[0] - '0'), false, err);
    } else if (size == 2 && hole[0] == 't' && isdigit((unsigned char)hole[1])) {
        return put_argument(lower, template, (size_t)(hole[1] - '0'), true, err);
    } else if (size == 2 && isdigit((unsigned char)hole[0]) && hole[1] == '*') {
        put_arguments(lower, template, (size_t)(hole[0] - '0'));
    } else {
        return pt_error_set(err, PT_INTERNAL, "the lowering \"%s\" has an unknown hole {%.*s}", template->text,
                            (int)size, hole);
    }
    return PT_OK;
}

/* Braces that hold something else, as in `MAP {}` or `{'a': 1}`, are plain text. */
static bool is_hole(const char *hole, size_t size)
{
    if (size < 1 || size > 2)
        return false;
    return strchr("*rzmtDOF&W0123456789", hole[0]) != NULL;
}

pt_status pt__put_template(pt__lower *lower, const pt__template *template, pt_error *err)
{
    const char *text = template->text;
    for (;;) {
        const char *open = strchr(text, '{');
        const char *close = open == NULL ? NULL : strchr(open, '}');
        if (close == NULL)
            break;
        size_t size = (size_t)(close - open - 1);
        if (!is_hole(open + 1, size)) {
            pt__buffer_append(&lower->text, text, (size_t)(open + 1 - text));
            text = open + 1;
            continue;
        }
        pt__buffer_append(&lower->text, text, (size_t)(open - text));
        PT_TRY(put_hole(lower, template, open + 1, size, err));
        text = close + 1;
    }
    pt__put(lower, text);
    return PT_OK;
}

/* ---- arguments named more than once ---- */

static size_t count_mentions(const char *text, size_t index)
{
    size_t mentions = 0;
    for (const char *open = strchr(text, '{'); open != NULL; open = strchr(open + 1, '{')) {
        bool all = open[1] == '*' && open[2] == '}';
        bool rest = isdigit((unsigned char)open[1]) && open[2] == '*' && (size_t)(open[1] - '0') <= index;
        bool one = isdigit((unsigned char)open[1]) && open[2] == '}' && (size_t)(open[1] - '0') == index;
        mentions += all || rest || one;
    }
    return mentions;
}

typedef struct argument {
    const char *text;
    unsigned flags;
    bool is_bound;
} argument;

static pt_status lower_argument(pt__lower *lower, const pt_expr *expr, argument *out, pt_error *err)
{
    unsigned seen = lower->seen;
    lower->seen = 0;
    size_t mark = lower->text.size_bytes;
    PT_TRY(pt__lower_expr(lower, expr, err));
    out->text = pt__cut(lower, mark);
    out->flags = lower->seen;
    lower->seen |= seen;
    return PT_OK;
}

/* Our functions look at their arguments when they are bound, which DuckDB does not allow with subqueries in them. */
static bool must_bind(const char *template, const argument *item, const pt_expr *expr, size_t mentions)
{
    if ((item->flags & PT_TEXT_SUBQUERY) != 0 && strstr(template, "spark_") != NULL)
        return true;
    if (mentions < 2 || expr->kind == PT_EXPR_LAMBDA)
        return false;
    return (item->flags & PT_TEXT_VOLATILE) != 0 || strlen(item->text) > PT_LOWER_REPEAT_MAX;
}

enum { UNFIT_FOR_LAMBDA = PT_TEXT_SUBQUERY | PT_TEXT_WINDOW | PT_TEXT_AGGREGATE };

/* Marks what the lambda's parameter must carry; false when nothing. */
static bool choose_bound(const char *template, const pt_expr_call *call, argument *items)
{
    bool any = false;
    for (size_t i = 0; i < call->argument_count; i++) {
        items[i].is_bound = must_bind(template, &items[i], call->arguments[i], count_mentions(template, i));
        any = any || items[i].is_bound;
    }
    for (size_t i = 0; any && i < call->argument_count; i++)
        items[i].is_bound = items[i].is_bound || (items[i].flags & UNFIT_FOR_LAMBDA) != 0;
    return any;
}

/* list_transform([struct_pack(a0 := …, a1 := …)], lambda b7: … b7.a0 …)[1] */
static void open_lambda(pt__lower *lower, argument *items, size_t count, const char **texts)
{
    uint32_t name = ++lower->next_alias;
    bool first = true;
    pt__put(lower, "list_transform([struct_pack(");
    for (size_t i = 0; i < count; i++) {
        if (!items[i].is_bound)
            continue;
        pt__putf(lower, "%sa%zu := %s", first ? "" : ", ", i, items[i].text);
        texts[i] = pt__arena_printf(lower->arena, "struct_extract(b%u, 'a%zu')", name, i);
        first = false;
    }
    pt__putf(lower, ")], lambda b%u: ", name);
}

const char *pt__mode_name(pt_cast_mode mode)
{
    return mode == PT_CAST_TRY ? "try" : mode == PT_CAST_LEGACY ? "legacy" : "ansi";
}

static pt_status expand(pt__lower *lower, const char *template_text, const pt_expr_call *call,
                        const pt__aggregate_form *form, argument *items, pt_error *err)
{
    size_t count = call->argument_count;
    const char **texts = pt__arena_array(lower->arena, const char *, count + 1);
    const pt_type **types = pt__arena_array(lower->arena, const pt_type *, count + 1);
    for (size_t i = 0; i < count; i++) {
        texts[i] = items[i].text;
        types[i] = call->arguments[i]->type;
    }
    bool binds = call->function->kind != PT_FUNCTION_AGGREGATE && call->function->kind != PT_FUNCTION_WINDOW &&
                 choose_bound(template_text, call, items);
    if (binds)
        open_lambda(lower, items, count, texts);
    pt__template template = {
        template_text, call->base.type, types, texts, count, pt__mode_name(call->mode), lower->time_zone, form};
    PT_TRY(pt__put_template(lower, &template, err));
    if (binds)
        pt__put(lower, ")[1]");
    return PT_OK;
}

/* ---- aggregates ---- */

/* Functions of DuckDB that are aggregates; ours start with spark_ and stand only in rows of that kind. */
static const char *const AGGREGATES[] = {
    "any_value",
    "approx_count_distinct",
    "arg_max",
    "arg_max_null",
    "arg_min",
    "arg_min_null",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "covar_pop",
    "covar_samp",
    "first",
    "histogram",
    "kurtosis",
    "kurtosis_pop",
    "last",
    "list",
    "max",
    "median",
    "min",
    "mode",
    "product",
    "quantile_cont",
    "quantile_disc",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "skewness",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "var_pop",
    "var_samp",
};

static const char *const WINDOW_FUNCTIONS[] = {"cume_dist", "dense_rank", "first_value",  "lag",  "last_value", "lead",
                                               "nth_value", "ntile",      "percent_rank", "rank", "row_number"};

static bool is_in(const char *const *names, size_t count, const char *name, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == size && strncasecmp(names[i], name, size) == 0)
            return true;
    }
    return false;
}

static bool is_own_aggregate(const char *name)
{
    return strncasecmp(name, PT_AGGREGATE_PREFIX, strlen(PT_AGGREGATE_PREFIX)) == 0;
}

static bool is_aggregate_name(const char *name, size_t size)
{
    return is_in(AGGREGATES, sizeof(AGGREGATES) / sizeof(*AGGREGATES), name, size) ||
           is_in(WINDOW_FUNCTIONS, sizeof(WINDOW_FUNCTIONS) / sizeof(*WINDOW_FUNCTIONS), name, size) ||
           is_own_aggregate(name);
}

const char *pt__closing_parenthesis(const char *open)
{
    int depth = 0;
    for (const char *c = open; *c != '\0'; c++) {
        if (*c == '\'' || *c == '"') {
            const char *end = strchr(c + 1, *c);
            if (end == NULL)
                return NULL;
            c = end;
        } else if (*c == '(') {
            depth++;
        } else if (*c == ')' && --depth == 0) {
            return c;
        }
    }
    return NULL;
}

/* A filter of the template's own is joined with the user's. */
static const char *annotate_filter(pt__lower *lower, const char *rest)
{
    static const char FILTER[] = " FILTER (WHERE ";
    const char *end =
        strncmp(rest, FILTER, sizeof(FILTER) - 1) == 0 ? pt__closing_parenthesis(rest + strlen(" FILTER ")) : NULL;
    if (end == NULL) {
        pt__put(lower, "{F}");
        return rest;
    }
    const char *own = rest + sizeof(FILTER) - 1;
    pt__putf(lower, "%s{&}(%.*s))", FILTER, (int)(end - own), own);
    return end + 1;
}

static const char *annotate_call(pt__lower *lower, const pt__aggregate_form *form, const char *name, const char *open,
                                 const char *close)
{
    if (form->is_whole && is_own_aggregate(name)) {
        pt__put(lower, PT_WHOLE_AGGREGATE_PREFIX);
        name += strlen(PT_AGGREGATE_PREFIX);
    }
    pt__buffer_append(&lower->text, name, (size_t)(open + 1 - name));
    if (strncasecmp(open + 1, "DISTINCT ", 9) != 0)
        pt__put(lower, "{D}");
    pt__buffer_append(&lower->text, open + 1, (size_t)(close - open - 1));
    pt__put(lower, "{O})");
    const char *rest = annotate_filter(lower, close + 1);
    pt__put(lower, "{W}");
    return rest;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of the word, quoted text or single character at `c`. */
static const char *token_end(const char *c)
{
    if (*c == '\'' || *c == '"') {
        const char *quote = strchr(c + 1, *c);
        return quote == NULL ? c + strlen(c) : quote + 1;
    }
    const char *end = c;
    while (is_word(*end))
        end++;
    return end == c ? c + 1 : end;
}

/* The template with holes for the form at every aggregate function in it. */
static const char *annotate(pt__lower *lower, const pt__aggregate_form *form, const char *template)
{
    size_t mark = lower->text.size_bytes;
    const char *c = template;
    while (*c != '\0') {
        const char *end = token_end(c);
        const char *close =
            *end == '(' && is_aggregate_name(c, (size_t)(end - c)) ? pt__closing_parenthesis(end) : NULL;
        if (close != NULL) {
            c = annotate_call(lower, form, c, end, close);
            continue;
        }
        pt__buffer_append(&lower->text, c, (size_t)(end - c));
        c = end;
    }
    return pt__cut(lower, mark);
}

/* ---- calls ---- */

static pt_status lower_arguments(pt__lower *lower, const pt_expr_call *call, argument **out, pt_error *err)
{
    argument *items = pt__arena_array(lower->arena, argument, call->argument_count + 1);
    for (size_t i = 0; i < call->argument_count; i++)
        PT_TRY(lower_argument(lower, call->arguments[i], &items[i], err));
    *out = items;
    return PT_OK;
}

pt_status pt__lower_by_template(pt__lower *lower, const char *template, const pt_expr_call *call,
                                const pt__aggregate_form *form, pt_error *err)
{
    argument *items;
    PT_TRY(lower_arguments(lower, call, &items, err));
    if (form != NULL)
        template = annotate(lower, form, template);
    return expand(lower, template, call, form, items, err);
}

bool pt__is_call_of(const pt_expr *expr, const char *name)
{
    return expr->kind == PT_EXPR_CALL && pt__expr_as_call(expr)->function != NULL &&
           strcasecmp(pt__expr_as_call(expr)->function->name, name) == 0;
}

/* A chain of one of the two becomes flat, however it was nested. */
static pt_status lower_chain(pt__lower *lower, const pt_expr_call *call, const char *name, pt_error *err)
{
    pt__list(const pt_expr *) pending = {0};
    pt__list_push(lower->arena, &pending, &call->base);
    bool first = true;
    pt__put(lower, "(");
    while (pending.count > 0) {
        const pt_expr *expr = pending.items[--pending.count];
        if (pt__is_call_of(expr, name)) {
            pt__list_push(lower->arena, &pending, pt__expr_as_call(expr)->arguments[1]);
            pt__list_push(lower->arena, &pending, pt__expr_as_call(expr)->arguments[0]);
            continue;
        }
        if (!first)
            pt__putf(lower, " %s ", name);
        PT_TRY(pt__lower_expr(lower, expr, err));
        first = false;
    }
    pt__put(lower, ")");
    return PT_OK;
}

static bool is_not(const pt_expr_call *call)
{
    return pt__is_call_of(&call->base, "not") || pt__is_call_of(&call->base, "!");
}

static pt_status lower_known(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form, pt_error *err)
{
    const char *lowering = call->function->lowering;
    if (lowering[0] != '@')
        return pt__lower_by_template(lower, lowering, call, form, err);
    pt__lower_rule rule = pt__lower_rule_find(lowering + 1);
    if (rule == NULL)
        return pt__lower_unsupported(err, call->base.origin,
                                     pt__arena_printf(lower->arena, "the function %s", call->function->name));
    return rule(lower, call, form, err);
}

/* Whether the arguments of a call may be products in 64 bits. */
static bool takes_narrow(const pt__lower *lower, const pt_expr_call *call)
{
    if (call->base.type->id != PT_TYPE_DECIMAL)
        return false;
    if (call->function->kind == PT_FUNCTION_AGGREGATE)
        return lower->may_narrow && call->mode == PT_CAST_ANSI && !call->is_distinct &&
               (pt__is_call_of(&call->base, "sum") || pt__is_call_of(&call->base, "avg") ||
                pt__is_call_of(&call->base, "mean"));
    return pt__narrow_fits(lower, call);
}

pt_status pt__lower_call(pt__lower *lower, const pt_expr_call *call, const pt__aggregate_form *form, pt_error *err)
{
    if (call->function == NULL)
        return pt_error_set(err, PT_INTERNAL, "the call of %s has not been analyzed", call->name.parts[0]);
    if (call->folded != NULL)
        return pt__lower_expr(lower, call->folded, err);
    if (pt__is_call_of(&call->base, "and") || pt__is_call_of(&call->base, "or"))
        return lower_chain(lower, call, strcasecmp(call->function->name, "and") == 0 ? "AND" : "OR", err);
    if (is_not(call) && call->arguments[0]->kind == PT_EXPR_SUBQUERY)
        return pt__lower_subquery(lower, pt__expr_as_subquery(call->arguments[0]), true, err);
    bool in_filter = lower->in_filter;
    bool in_narrow = lower->in_narrow;
    lower->in_filter = false; /* NULL and false differ inside a function */
    lower->in_narrow = takes_narrow(lower, call);
    if (call->function->kind == PT_FUNCTION_VOLATILE)
        lower->seen |= PT_TEXT_VOLATILE;
    pt_status status = lower_known(lower, call, form, err);
    lower->in_filter = in_filter;
    lower->in_narrow = in_narrow;
    return status;
}
