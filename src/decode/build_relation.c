/* Relations of the public builder. */
#include "decode/builder.h"

/* ---- relations ---- */

static const pt_plan *make_table(pt_builder *b, const char *const *parts, size_t count)
{
    pt_plan_scan_table *node = pt__plan_make(b->arena, SCAN_TABLE, scan_table, NULL);
    node->name = (pt_name){pt__builder_texts(b, parts, count), count};
    return &node->base;
}

const pt_plan *pt_build_table(pt_builder *b, const char *const *parts, size_t part_count)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, part_count == 0 ? NULL : (const void *)parts))
        PT_BUILD(b, out = make_table(b, parts, part_count));
    return out;
}

static pt_options copy_options(pt__arena *arena, const pt_query_option *options, size_t count)
{
    pt_option *copies = pt__arena_array(arena, pt_option, count + 1);
    for (size_t i = 0; i < count; i++)
        copies[i] =
            (pt_option){pt__arena_copy_string(arena, options[i].name), pt__arena_copy_string(arena, options[i].value)};
    return (pt_options){copies, count};
}

static const pt_plan *make_files(pt_builder *b, const char *format, const char *const *paths, size_t path_count,
                                 const pt_query_option *options, size_t option_count)
{
    pt_plan_scan_files *node = pt__plan_make(b->arena, SCAN_FILES, scan_files, NULL);
    node->format = pt__arena_copy_string(b->arena, format);
    node->paths = pt__builder_texts(b, paths, path_count);
    node->path_count = path_count;
    node->options = copy_options(b->arena, options, option_count);
    return &node->base;
}

const pt_plan *pt_build_files(pt_builder *b, const char *format, const char *const *paths, size_t path_count,
                              const pt_query_option *options, size_t option_count)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, format))
        PT_BUILD(b, out = make_files(b, format, paths, path_count, options, option_count));
    return out;
}

static const pt_plan *make_range(pt_builder *b, int64_t start, int64_t end, int64_t step)
{
    pt_plan_range *node = pt__plan_make(b->arena, RANGE, range, NULL);
    node->start = start;
    node->end = end;
    node->step = step;
    return &node->base;
}

const pt_plan *pt_build_range(pt_builder *b, int64_t start, int64_t end, int64_t step)
{
    const pt_plan *volatile out = NULL;
    PT_BUILD(b, out = make_range(b, start, end, step));
    return out;
}

static const pt_plan *make_local(pt_builder *b, pt_bytes_view ipc_stream)
{
    pt_plan_local *node = pt__plan_make(b->arena, LOCAL, local, NULL);
    node->data =
        (pt_bytes_view){pt__arena_copy(b->arena, ipc_stream.data, ipc_stream.size_bytes), ipc_stream.size_bytes};
    return &node->base;
}

const pt_plan *pt_build_local(pt_builder *b, pt_bytes_view ipc_stream)
{
    const pt_plan *volatile out = NULL;
    PT_BUILD(b, out = make_local(b, ipc_stream));
    return out;
}

static const pt_plan *parse_statement(pt_builder *b, pt_text_view sql)
{
    const pt_plan *plan = NULL;
    return pt__sql_parse_statement(b->arena, sql, &b->options->sql, &plan, &b->error) == PT_OK ? plan : NULL;
}

const pt_plan *pt_build_sql(pt_builder *b, pt_text_view sql)
{
    const pt_plan *volatile out = NULL;
    PT_BUILD(b, out = parse_statement(b, sql));
    return out;
}

static const pt_plan *make_project(pt_builder *b, const pt_plan *input, const pt_expr *const *expressions, size_t count)
{
    pt_plan_project *node = pt__plan_make(b->arena, PROJECT, project, NULL);
    node->input = input;
    node->expressions = pt__builder_list(b, expressions, count);
    node->expression_count = count;
    return &node->base;
}

const pt_plan *pt_build_project(pt_builder *b, const pt_plan *input, const pt_expr *const *expressions, size_t count)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has_all(b, expressions, count))
        PT_BUILD(b, out = make_project(b, input, expressions, count));
    return out;
}

static const pt_plan *make_filter(pt_builder *b, const pt_plan *input, const pt_expr *condition)
{
    pt_plan_filter *node = pt__plan_make(b->arena, FILTER, filter, NULL);
    node->input = input;
    node->condition = condition;
    return &node->base;
}

const pt_plan *pt_build_filter(pt_builder *b, const pt_plan *input, const pt_expr *condition)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, input) && pt__builder_has(b, condition))
        PT_BUILD(b, out = make_filter(b, input, condition));
    return out;
}

static const pt_plan *make_aggregate(pt_builder *b, const pt_plan *input, const pt_expr *const *grouping,
                                     size_t grouping_count, const pt_expr *const *aggregates, size_t aggregate_count)
{
    pt_plan_aggregate *node = pt__plan_make(b->arena, AGGREGATE, aggregate, NULL);
    node->input = input;
    node->group_kind = PT_GROUP_BY;
    node->grouping = pt__builder_list(b, grouping, grouping_count);
    node->grouping_count = grouping_count;
    node->aggregates = pt__builder_list(b, aggregates, aggregate_count);
    node->aggregate_count = aggregate_count;
    node->prepend_grouping = true;
    return &node->base;
}

const pt_plan *pt_build_aggregate(pt_builder *b, const pt_plan *input, const pt_expr *const *grouping,
                                  size_t grouping_count, const pt_expr *const *aggregates, size_t aggregate_count)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, input) && pt__builder_has_all(b, grouping, grouping_count) &&
        pt__builder_has_all(b, aggregates, aggregate_count))
        PT_BUILD(b, out = make_aggregate(b, input, grouping, grouping_count, aggregates, aggregate_count));
    return out;
}

static const pt_join_kind JOIN_KINDS[] = {
    [PT_BUILD_JOIN_INNER] = PT_JOIN_INNER,         [PT_BUILD_JOIN_CROSS] = PT_JOIN_CROSS,
    [PT_BUILD_JOIN_LEFT] = PT_JOIN_LEFT,           [PT_BUILD_JOIN_RIGHT] = PT_JOIN_RIGHT,
    [PT_BUILD_JOIN_FULL] = PT_JOIN_FULL,           [PT_BUILD_JOIN_LEFT_SEMI] = PT_JOIN_LEFT_SEMI,
    [PT_BUILD_JOIN_LEFT_ANTI] = PT_JOIN_LEFT_ANTI,
};

static const pt_plan *make_join(pt_builder *b, const pt_plan *left, const pt_plan *right, pt_build_join_kind kind,
                                const pt_expr *condition)
{
    pt_plan_join *node = pt__plan_make(b->arena, JOIN, join, NULL);
    node->left = left;
    node->right = right;
    node->join_kind = JOIN_KINDS[kind];
    node->condition = condition;
    return &node->base;
}

const pt_plan *pt_build_join(pt_builder *b, const pt_plan *left, const pt_plan *right, pt_build_join_kind kind,
                             const pt_expr *condition)
{
    const pt_plan *volatile out = NULL;
    if (b->error.status == PT_OK && (unsigned)kind >= sizeof(JOIN_KINDS) / sizeof(JOIN_KINDS[0]))
        pt_error_set(&b->error, PT_INVALID_ARGUMENT, "there is no join of kind %d", (int)kind);
    if (pt__builder_has(b, left) && pt__builder_has(b, right))
        PT_BUILD(b, out = make_join(b, left, right, kind, condition));
    return out;
}

static const pt_plan *make_sort(pt_builder *b, const pt_plan *input, const pt_expr *const *orders, size_t count)
{
    pt_plan_sort *node = pt__plan_make(b->arena, SORT, sort, NULL);
    node->input = input;
    node->orders = pt__builder_list(b, orders, count);
    node->order_count = count;
    node->is_global = true;
    return &node->base;
}

const pt_plan *pt_build_sort(pt_builder *b, const pt_plan *input, const pt_expr *const *orders, size_t count)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, input) && pt__builder_has_all(b, orders, count))
        PT_BUILD(b, out = make_sort(b, input, orders, count));
    return out;
}

static const pt_plan *make_limit(pt_builder *b, const pt_plan *input, int64_t limit, int64_t offset)
{
    pt_plan_limit *node = pt__plan_make(b->arena, LIMIT, limit, NULL);
    node->input = input;
    node->limit = limit < 0 ? NULL : pt__expr_long(b->arena, limit);
    node->offset = offset < 0 ? NULL : pt__expr_long(b->arena, offset);
    return &node->base;
}

const pt_plan *pt_build_limit(pt_builder *b, const pt_plan *input, int64_t limit, int64_t offset)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, input))
        PT_BUILD(b, out = make_limit(b, input, limit, offset));
    return out;
}

static const pt_set_kind SET_KINDS[] = {
    [PT_BUILD_UNION] = PT_SET_UNION, [PT_BUILD_INTERSECT] = PT_SET_INTERSECT, [PT_BUILD_EXCEPT] = PT_SET_EXCEPT};

static const pt_plan *make_set(pt_builder *b, const pt_plan *left, const pt_plan *right, pt_build_set_kind kind,
                               bool all)
{
    pt_plan_set_operation *node = pt__plan_make(b->arena, SET_OPERATION, set_operation, NULL);
    node->set_kind = SET_KINDS[kind];
    node->is_all = all;
    node->left = left;
    node->right = right;
    return &node->base;
}

const pt_plan *pt_build_set(pt_builder *b, const pt_plan *left, const pt_plan *right, pt_build_set_kind kind, bool all)
{
    const pt_plan *volatile out = NULL;
    if (b->error.status == PT_OK && (unsigned)kind >= sizeof(SET_KINDS) / sizeof(SET_KINDS[0]))
        pt_error_set(&b->error, PT_INVALID_ARGUMENT, "there is no set operation of kind %d", (int)kind);
    if (pt__builder_has(b, left) && pt__builder_has(b, right))
        PT_BUILD(b, out = make_set(b, left, right, kind, all));
    return out;
}

static const pt_plan *make_distinct(pt_builder *b, const pt_plan *input)
{
    pt_plan_deduplicate *node = pt__plan_make(b->arena, DEDUPLICATE, deduplicate, NULL);
    node->input = input;
    return &node->base;
}

const pt_plan *pt_build_distinct(pt_builder *b, const pt_plan *input)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, input))
        PT_BUILD(b, out = make_distinct(b, input));
    return out;
}

static const pt_plan *make_sample(pt_builder *b, const pt_plan *input, double share, int64_t seed)
{
    pt_plan_sample *node = pt__plan_make(b->arena, SAMPLE, sample, NULL);
    node->input = input;
    node->upper = share;
    node->seed = seed;
    node->has_seed = true;
    node->row_limit = -1;
    return &node->base;
}

const pt_plan *pt_build_sample(pt_builder *b, const pt_plan *input, double share, int64_t seed)
{
    const pt_plan *volatile out = NULL;
    if (b->error.status == PT_OK && !(share >= 0 && share <= 1))
        pt_error_set(&b->error, PT_INVALID_ARGUMENT, "a sample is a share from 0 to 1, not %g", share);
    if (pt__builder_has(b, input))
        PT_BUILD(b, out = make_sample(b, input, share, seed));
    return out;
}

static const pt_plan *make_named(pt_builder *b, const pt_plan *input, const char *name)
{
    pt_plan_subquery_alias *node = pt__plan_make(b->arena, SUBQUERY_ALIAS, subquery_alias, NULL);
    node->input = input;
    node->alias = pt__name_one(b->arena, pt__arena_copy_string(b->arena, name));
    return &node->base;
}

const pt_plan *pt_build_named(pt_builder *b, const pt_plan *input, const char *name)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, input) && pt__builder_has(b, name))
        PT_BUILD(b, out = make_named(b, input, name));
    return out;
}

static const pt_plan *make_renamed(pt_builder *b, const pt_plan *input, const char *const *names, size_t count)
{
    pt_plan_to_df *node = pt__plan_make(b->arena, TO_DF, to_df, NULL);
    node->input = input;
    node->names = pt__builder_texts(b, names, count);
    node->name_count = count;
    return &node->base;
}

const pt_plan *pt_build_renamed(pt_builder *b, const pt_plan *input, const char *const *names, size_t count)
{
    const pt_plan *volatile out = NULL;
    if (pt__builder_has(b, input))
        PT_BUILD(b, out = make_renamed(b, input, names, count));
    return out;
}

/* ---- nodes within an extension ---- */

static const pt_plan *decode_relation(pt_builder *b, pt_bytes_view message)
{
    const pt_plan *plan = NULL;
    return b->nested->relation(b->nested->context, b->arena, message, &plan, &b->error) == PT_OK ? plan : NULL;
}

static const pt_expr *decode_expression(pt_builder *b, pt_bytes_view message)
{
    const pt_expr *expr = NULL;
    return b->nested->expression(b->nested->context, b->arena, message, &expr, &b->error) == PT_OK ? expr : NULL;
}

static bool can_nest(pt_builder *b, bool known)
{
    if (b->error.status == PT_OK && !known)
        pt_error_set(&b->error, PT_UNSUPPORTED, "nothing of this kind is nested in extensions of this format");
    return b->error.status == PT_OK;
}

const pt_plan *pt_build_nested_relation(pt_builder *b, pt_bytes_view message)
{
    const pt_plan *volatile out = NULL;
    if (can_nest(b, b->nested != NULL && b->nested->relation != NULL))
        PT_BUILD(b, out = decode_relation(b, message));
    return out;
}

const pt_expr *pt_build_nested_expression(pt_builder *b, pt_bytes_view message)
{
    const pt_expr *volatile out = NULL;
    if (can_nest(b, b->nested != NULL && b->nested->expression != NULL))
        PT_BUILD(b, out = decode_expression(b, message));
    return out;
}
