#include "backend/duckdb/block.h"

#include <string.h>
#include <strings.h>

/*
 * A generator is unnest() in a select list, which keeps the order of rows and elements. Each column it makes is one
 * unnest over lists of the same length.
 */

typedef struct generator {
    const pt_plan_generate *node;
    const pt_expr_call *call;
    const pt_column *made; /* the columns it makes */
    size_t made_count;
    bool is_outer;
    bool has_position;
    const char *list; /* SQL of the list whose elements become rows */
    uint32_t alias;   /* of the subquery that gives `list` a name */
} generator;

static bool name_is(const generator *g, const char *name)
{
    return strcasecmp(g->call->function->name, name) == 0;
}

/* Outer generators make one row of NULLs out of nothing. */
static const char *list_or_null(pt__lower *lower, const generator *g, const char *list)
{
    if (!g->is_outer)
        return list;
    return pt__arena_printf(lower->arena, "CASE WHEN len(%s) > 0 THEN %s ELSE [NULL] END", list, list);
}

static void bind_made(pt__lower *lower, const generator *g, size_t index, const char *text)
{
    pt__bind_text(lower, g->made[index].id, text, PT_TEXT_COMPUTED, 1);
    pt__bind(lower, g->made[index].id)->uses++;
}

static void bind_position(pt__lower *lower, const generator *g)
{
    const char *subscripts = pt__arena_printf(
        lower->arena, g->is_outer ? "CASE WHEN len(%s) > 0 THEN range(len(%s)) ELSE [NULL] END" : "range(len(%s))",
        g->list, g->list);
    bind_made(lower, g, 0, pt__arena_printf(lower->arena, "unnest(%s)::INTEGER", subscripts));
}

/* Columns out of the fields of a list of structs. */
static void bind_fields(pt__lower *lower, const generator *g, size_t first, const pt_type *element)
{
    for (size_t i = first; i < g->made_count; i++) {
        const char *name =
            element == NULL ? (i == first ? "key" : "value") : pt__field_name(lower->arena, element, i - first);
        size_t mark = lower->text.size_bytes;
        pt__putf(lower, "struct_extract(unnest(%s), ", list_or_null(lower, g, g->list));
        pt__put_string(lower, name, strlen(name));
        pt__put(lower, ")");
        bind_made(lower, g, i, pt__cut(lower, mark));
    }
}

static pt_status bind_columns(pt__lower *lower, const generator *g, pt_error *err)
{
    const pt_type *type = g->call->arguments[0]->type;
    size_t first = g->has_position ? 1 : 0;
    if (g->has_position)
        bind_position(lower, g);
    if (name_is(g, "json_tuple")) {
        for (size_t i = 0; i < g->made_count; i++)
            bind_made(lower, g, i, pt__arena_printf(lower->arena, "list_extract(unnest(%s), %zu)", g->list, i + 1));
    } else if (name_is(g, "inline") || name_is(g, "inline_outer")) {
        bind_fields(lower, g, 0, type->element);
    } else if (type->id == PT_TYPE_MAP) {
        bind_fields(lower, g, first, NULL);
    } else if (type->id == PT_TYPE_ARRAY) {
        bind_made(lower, g, first, pt__arena_printf(lower->arena, "unnest(%s)", list_or_null(lower, g, g->list)));
    } else {
        return pt__lower_unsupported(err, g->call->base.origin,
                                     pt__arena_printf(lower->arena, "the generator %s", g->call->function->name));
    }
    return PT_OK;
}

/* stack(n, …): a list of n structs. */
static pt_status put_stack(pt__lower *lower, const generator *g, const pt_type **element, pt_error *err)
{
    if (g->call->arguments[0]->kind != PT_EXPR_LITERAL)
        return pt__lower_unsupported(err, g->call->base.origin, "stack with a row count that is no literal");
    size_t rows = (size_t)pt__expr_as_literal(g->call->arguments[0])->value.as.integer;
    size_t cell = 1;
    pt_field *fields = pt__arena_array(lower->arena, pt_field, g->made_count);
    for (size_t i = 0; i < g->made_count; i++)
        fields[i] = (pt_field){pt__arena_printf(lower->arena, "f%zu", i), g->made[i].type, true, NULL};
    *element = pt__type_struct(lower->arena, fields, g->made_count);
    pt__put(lower, "[");
    for (size_t row = 0; row < rows; row++) {
        pt__put(lower, row == 0 ? "struct_pack(" : ", struct_pack(");
        for (size_t i = 0; i < g->made_count; i++, cell++) {
            pt__putf(lower, "%sf%zu := CAST(", i == 0 ? "" : ", ", i);
            if (cell < g->call->argument_count)
                PT_TRY(pt__lower_expr(lower, g->call->arguments[cell], err));
            else
                pt__put(lower, "NULL");
            pt__put(lower, " AS ");
            pt__put_type(lower, g->made[i].type);
            pt__put(lower, ")");
        }
        pt__put(lower, ")");
    }
    pt__put(lower, "]");
    return PT_OK;
}

static pt_status put_list(pt__lower *lower, const generator *g, const pt_type **element, pt_error *err)
{
    *element = NULL;
    if (name_is(g, "stack"))
        return put_stack(lower, g, element, err);
    if (g->call->argument_count == 0)
        return pt__lower_unsupported(err, g->call->base.origin, "this generator");
    if (name_is(g, "json_tuple")) {
        pt__put(lower, "[");
        PT_TRY(pt__lower_by_template(lower, "spark_json_tuple({*})", g->call, NULL, err));
        pt__put(lower, "]");
        return PT_OK;
    }
    if (name_is(g, "variant_explode") || name_is(g, "variant_explode_outer")) {
        *element = g->call->base.type;
        return pt__lower_by_template(lower, "spark_variant_entries({0})", g->call, NULL, err);
    }
    bool is_map = g->call->arguments[0]->type->id == PT_TYPE_MAP;
    pt__put(lower, is_map ? "map_entries(" : "(");
    PT_TRY(pt__lower_expr(lower, g->call->arguments[0], err));
    pt__put(lower, ")");
    return PT_OK;
}

/* The list gets a name in a subquery, for it is mentioned more than once. */
static pt_status name_list(pt__lower *lower, pt__block *block, generator *g, const pt_type **element, pt_error *err)
{
    static const pt_plan ONE_ROW = {.columns = NULL};
    const pt_plan *input = g->node->input == NULL ? &ONE_ROW : g->node->input;
    if (block->is_aggregated || block->has_window || block->order != NULL || block->limit != NULL ||
        block->offset != NULL || pt__must_wrap(lower, &g->call->base, PT_USE_PROJECT))
        pt__block_wrap(lower, block, input->columns, input->column_count);
    size_t mark = lower->text.size_bytes;
    PT_TRY(put_list(lower, g, element, err));
    const char *list = pt__cut(lower, mark);
    g->alias = ++lower->next_alias;
    pt__putf(lower, "(SELECT %s AS u%u", list, g->alias);
    for (size_t i = 0; i < input->column_count; i++) {
        const pt__binding *binding = pt__bind(lower, input->columns[i].id);
        if (binding->uses > 0)
            pt__putf(lower, ", %s AS c%u", binding->text, input->columns[i].id);
    }
    pt__putf(lower, " FROM %s", block->from == NULL ? "(SELECT 1) AS one" : block->from);
    for (size_t i = 0; i < block->where.count; i++)
        pt__putf(lower, "%s%s", i == 0 ? " WHERE " : " AND ", block->where.items[i]);
    pt__putf(lower, ") AS q%u", g->alias);
    *block = pt__block_from(pt__cut(lower, mark));
    for (size_t i = 0; i < input->column_count; i++)
        pt__bind_text(lower, input->columns[i].id,
                      pt__arena_printf(lower->arena, "q%u.c%u", g->alias, input->columns[i].id), PT_TEXT_COLUMN, 0);
    g->list = pt__arena_printf(lower->arena, "q%u.u%u", g->alias, g->alias);
    return PT_OK;
}

pt_status pt__lower_generate(pt__lower *lower, const pt_plan_generate *generate, pt__block *out, pt_error *err)
{
    if (generate->generator->kind != PT_EXPR_CALL)
        return pt__lower_unsupported(err, generate->base.origin, "this generator");
    generator g = {.node = generate, .call = pt__expr_as_call(generate->generator)};
    size_t before = generate->input == NULL ? 0 : generate->input->column_count;
    const char *name = g.call->function->name;
    size_t length = strlen(name);
    g.made = generate->base.columns + before;
    g.made_count = generate->base.column_count - before;
    g.is_outer = generate->is_outer || (length > 6 && strcasecmp(name + length - 6, "_outer") == 0);
    g.has_position = strncasecmp(name, "pos", 3) == 0;
    *out = pt__block_from(NULL);
    if (generate->input != NULL)
        PT_TRY(pt__lower_relation(lower, generate->input, out, err));
    const pt_type *element;
    PT_TRY(name_list(lower, out, &g, &element, err));
    if (element != NULL)
        bind_fields(lower, &g, 0, element);
    else
        PT_TRY(bind_columns(lower, &g, err));
    pt__block_wrap(lower, out, generate->base.columns, generate->base.column_count);
    return PT_OK;
}
