/* Relations that are one node each; larger families have files of their own. */
#include "decode/spark_connect/internal.h"

#include "plan/members.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#define REL(name) SPARK__CONNECT__RELATION__REL_TYPE_##name

/* A node with its input decoded; `node` and `input` are set in the calling function. */
#define START(ID, name)                                                                                                \
    pt_plan_##name *node = pt__plan_make(d->arena, ID, name, d->origin);                                               \
    *out = &node->base;                                                                                                \
    PT_TRY(pt__decode_relation(d, m->input, &node->input))

static const char *const *texts(char **array)
{
    return (const char *const *)array;
}

/* ---- rows ---- */

static pt_status decode_project(pt__decoder *d, const Spark__Connect__Project *m, pt_plan **out)
{
    pt_plan_project *node = pt__plan_make(d->arena, PROJECT, project, d->origin);
    *out = &node->base;
    if (m->input != NULL)
        PT_TRY(pt__decode_relation(d, m->input, &node->input));
    node->expression_count = m->n_expressions;
    return pt__decode_expressions(d, m->expressions, m->n_expressions, &node->expressions);
}

static pt_status decode_filter(pt__decoder *d, const Spark__Connect__Filter *m, pt_plan **out)
{
    START(FILTER, filter);
    return pt__decode_expression(d, m->condition, &node->condition);
}

static pt_status decode_sort(pt__decoder *d, const Spark__Connect__Sort *m, pt_plan **out)
{
    START(SORT, sort);
    node->is_global = PT_OPTIONAL(m, is_global, true);
    node->order_count = m->n_order;
    return pt__decode_sort_orders(d, m->order, m->n_order, &node->orders);
}

static pt_status decode_limit(pt__decoder *d, const Spark__Connect__Limit *m, pt_plan **out)
{
    START(LIMIT, limit);
    node->limit = pt__expr_int(d->arena, m->limit);
    return PT_OK;
}

static pt_status decode_offset(pt__decoder *d, const Spark__Connect__Offset *m, pt_plan **out)
{
    START(LIMIT, limit);
    node->offset = pt__expr_int(d->arena, m->offset);
    return PT_OK;
}

static pt_status decode_tail(pt__decoder *d, const Spark__Connect__Tail *m, pt_plan **out)
{
    START(TAIL, tail);
    node->count = m->limit;
    return PT_OK;
}

static pt_status decode_range(pt__decoder *d, const Spark__Connect__Range *m, pt_plan **out)
{
    pt_plan_range *node = pt__plan_make(d->arena, RANGE, range, d->origin);
    *out = &node->base;
    if (m->step == 0)
        return pt_error_set(d->err, PT_INVALID_ARGUMENT, "requirement failed: step (0) cannot be 0");
    node->start = PT_OPTIONAL(m, start, 0);
    node->end = m->end;
    node->step = m->step;
    return PT_OK;
}

static pt_status decode_sample(pt__decoder *d, const Spark__Connect__Sample *m, pt_plan **out)
{
    START(SAMPLE, sample);
    node->lower = m->lower_bound;
    node->upper = m->upper_bound;
    node->with_replacement = PT_OPTIONAL(m, with_replacement, false);
    node->has_seed = m->_seed_case != 0;
    node->seed = PT_OPTIONAL(m, seed, 0);
    node->deterministic_order = m->deterministic_order;
    node->row_limit = -1;
    return PT_OK;
}

static pt_status decode_deduplicate(pt__decoder *d, const Spark__Connect__Deduplicate *m, pt_plan **out)
{
    START(DEDUPLICATE, deduplicate);
    bool all = PT_OPTIONAL(m, all_columns_as_keys, false);
    if (all && m->n_column_names != 0)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_DEDUPLICATE_ALL, NULL);
    if (!all && m->n_column_names == 0)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_DEDUPLICATE_NONE, NULL);
    node->names = texts(m->column_names);
    node->name_count = m->n_column_names;
    return PT_OK;
}

/* ---- two inputs ---- */

#define JOIN(name) SPARK__CONNECT__JOIN__JOIN_TYPE__JOIN_TYPE_##name

pt_status pt__decode_join_kind(pt__decoder *d, Spark__Connect__Join__JoinType type, pt_join_kind *out)
{
    switch ((int)type) {
    case JOIN(INNER): *out = PT_JOIN_INNER; return PT_OK;
    case JOIN(FULL_OUTER): *out = PT_JOIN_FULL; return PT_OK;
    case JOIN(LEFT_OUTER): *out = PT_JOIN_LEFT; return PT_OK;
    case JOIN(RIGHT_OUTER): *out = PT_JOIN_RIGHT; return PT_OK;
    case JOIN(LEFT_ANTI): *out = PT_JOIN_LEFT_ANTI; return PT_OK;
    case JOIN(LEFT_SEMI): *out = PT_JOIN_LEFT_SEMI; return PT_OK;
    case JOIN(CROSS): *out = PT_JOIN_CROSS; return PT_OK;
    default: return pt__decode_bad_enum(d, &spark__connect__join__join_type__descriptor, (int)type);
    }
}

static pt_status decode_join(pt__decoder *d, const Spark__Connect__Join *m, pt_plan **out)
{
    pt_plan_join *node = pt__plan_make(d->arena, JOIN, join, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->left, &node->left));
    PT_TRY(pt__decode_relation(d, m->right, &node->right));
    PT_TRY(pt__decode_join_kind(d, m->join_type, &node->join_kind));
    if (m->_join_data_type_case != 0)
        return pt__decode_unsupported_feature(d, "joinWith");
    node->using_columns = texts(m->using_columns);
    node->using_count = m->n_using_columns;
    return pt__decode_optional_expression(d, m->join_condition, &node->condition);
}

static pt_status decode_lateral_join(pt__decoder *d, const Spark__Connect__LateralJoin *m, pt_plan **out)
{
    pt_plan_join *node = pt__plan_make(d->arena, JOIN, join, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->left, &node->left));
    PT_TRY(pt__decode_relation(d, m->right, &node->right));
    PT_TRY(pt__decode_join_kind(d, m->join_type, &node->join_kind));
    if (node->join_kind != PT_JOIN_INNER && node->join_kind != PT_JOIN_LEFT && node->join_kind != PT_JOIN_CROSS)
        return pt__raise(d->err, PT_COND_UNSUPPORTED_JOIN_TYPE, "typ",
                         m->join_type == JOIN(RIGHT_OUTER) ? "right" : "other", "supported",
                         "'inner', 'leftouter', 'left', 'left_outer', 'cross'", NULL);
    node->is_lateral = true;
    return pt__decode_optional_expression(d, m->join_condition, &node->condition);
}

/* The kinds of as-of joins come as words. */
static pt_status as_of_kind(pt__decoder *d, const char *word, pt_join_kind *out)
{
    if (*word == '\0' || strcmp(word, "inner") == 0)
        *out = PT_JOIN_INNER;
    else if (strcmp(word, "left") == 0 || strcmp(word, "leftouter") == 0 || strcmp(word, "left_outer") == 0)
        *out = PT_JOIN_LEFT;
    else
        return pt__raise(d->err, PT_COND_UNSUPPORTED_JOIN_TYPE, "typ", word, "supported",
                         "'inner', 'leftouter', 'left', 'left_outer'", NULL);
    return PT_OK;
}

static pt_status decode_as_of_join(pt__decoder *d, const Spark__Connect__AsOfJoin *m, pt_plan **out)
{
    pt_plan_as_of_join *node = pt__plan_make(d->arena, AS_OF_JOIN, as_of_join, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->left, &node->left));
    PT_TRY(pt__decode_relation(d, m->right, &node->right));
    PT_TRY(pt__decode_expression(d, m->left_as_of, &node->left_as_of));
    PT_TRY(pt__decode_expression(d, m->right_as_of, &node->right_as_of));
    PT_TRY(pt__decode_optional_expression(d, m->join_expr, &node->condition));
    PT_TRY(pt__decode_optional_expression(d, m->tolerance, &node->tolerance));
    PT_TRY(as_of_kind(d, m->join_type, &node->join_kind));
    node->using_columns = texts(m->using_columns);
    node->using_count = m->n_using_columns;
    node->allow_exact_matches = m->allow_exact_matches;
    node->direction = m->direction;
    return PT_OK;
}

/* A lateral join with the right side sorted by rank and cut: what the server of Spark does, mode "approx" included. */
static pt_status decode_nearest_by_join(pt__decoder *d, const Spark__Connect__NearestByJoin *m, pt_plan **out)
{
    pt_plan_join *node = pt__plan_make(d->arena, JOIN, join, d->origin);
    pt_plan_sort *sort = pt__plan_make(d->arena, SORT, sort, d->origin);
    pt_plan_limit *limit = pt__plan_make(d->arena, LIMIT, limit, d->origin);
    pt_expr_sort_order *order = pt__expr_make(d->arena, SORT_ORDER, sort_order, d->origin);
    const pt_expr **orders = pt__arena_array(d->arena, const pt_expr *, 1);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->left, &node->left));
    PT_TRY(pt__decode_relation(d, m->right, &sort->input));
    PT_TRY(pt__decode_expression(d, m->ranking_expression, &order->child));
    PT_TRY(as_of_kind(d, m->join_type, &node->join_kind));
    order->is_descending = strcasecmp(m->direction, "similarity") == 0;
    orders[0] = &order->base;
    sort->orders = orders;
    sort->order_count = 1;
    sort->is_global = true;
    limit->input = &sort->base;
    limit->limit = pt__expr_int(d->arena, m->num_results);
    node->right = &limit->base;
    node->is_lateral = true;
    return PT_OK;
}

static pt_status decode_set_kind(pt__decoder *d, Spark__Connect__SetOperation__SetOpType type, pt_set_kind *out)
{
    switch ((int)type) {
    case SPARK__CONNECT__SET_OPERATION__SET_OP_TYPE__SET_OP_TYPE_INTERSECT: *out = PT_SET_INTERSECT; return PT_OK;
    case SPARK__CONNECT__SET_OPERATION__SET_OP_TYPE__SET_OP_TYPE_UNION: *out = PT_SET_UNION; return PT_OK;
    case SPARK__CONNECT__SET_OPERATION__SET_OP_TYPE__SET_OP_TYPE_EXCEPT: *out = PT_SET_EXCEPT; return PT_OK;
    default: return pt__decode_bad_enum(d, &spark__connect__set_operation__set_op_type__descriptor, (int)type);
    }
}

static pt_status decode_set_operation(pt__decoder *d, const Spark__Connect__SetOperation *m, pt_plan **out)
{
    pt_plan_set_operation *node = pt__plan_make(d->arena, SET_OPERATION, set_operation, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->left_input, &node->left));
    PT_TRY(pt__decode_relation(d, m->right_input, &node->right));
    PT_TRY(decode_set_kind(d, m->set_op_type, &node->set_kind));
    node->is_all = PT_OPTIONAL(m, is_all, false);
    node->by_name = PT_OPTIONAL(m, by_name, false);
    node->allow_missing = PT_OPTIONAL(m, allow_missing_columns, false);
    return PT_OK;
}

/* ---- columns ---- */

static pt_status decode_subquery_alias(pt__decoder *d, const Spark__Connect__SubqueryAlias *m, pt_plan **out)
{
    START(SUBQUERY_ALIAS, subquery_alias);
    const char **parts = pt__arena_array(d->arena, const char *, m->n_qualifier + 1);
    for (size_t i = 0; i < m->n_qualifier; i++)
        parts[i] = m->qualifier[i];
    parts[m->n_qualifier] = m->alias;
    node->alias = (pt_name){parts, m->n_qualifier + 1};
    return PT_OK;
}

static pt_status decode_with_columns(pt__decoder *d, const Spark__Connect__WithColumns *m, pt_plan **out)
{
    START(WITH_COLUMNS, with_columns);
    const pt_expr **aliases = pt__arena_array(d->arena, const pt_expr *, m->n_aliases);
    for (size_t i = 0; i < m->n_aliases; i++) {
        if (m->aliases[i]->n_name != 1)
            return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_WITH_COLUMNS, "got",
                             pt__arena_printf(d->arena, "%zu", m->aliases[i]->n_name), NULL);
        PT_TRY(pt__decode_alias(d, m->aliases[i], &aliases[i]));
    }
    node->aliases = aliases;
    node->alias_count = m->n_aliases;
    return PT_OK;
}

/* Clients before 4.0 send a map. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static pt_status decode_renames(pt__decoder *d, const Spark__Connect__WithColumnsRenamed *m, pt_plan **out)
{
    START(RENAME_COLUMNS, rename_columns);
    pt_options from_map = PT_DECODE_OPTIONS(d, m, rename_columns_map);
    pt_option *renames = pt__arena_array(d->arena, pt_option, m->n_renames);
    for (size_t i = 0; i < m->n_renames; i++)
        renames[i] = (pt_option){m->renames[i]->col_name, m->renames[i]->new_col_name};
    node->renames = m->n_renames != 0 ? renames : from_map.items;
    node->rename_count = m->n_renames != 0 ? m->n_renames : from_map.count;
    return PT_OK;
}
#pragma GCC diagnostic pop

static pt_status decode_drop(pt__decoder *d, const Spark__Connect__Drop *m, pt_plan **out)
{
    START(DROP_COLUMNS, drop_columns);
    node->names = texts(m->column_names);
    node->name_count = m->n_column_names;
    node->expression_count = m->n_columns;
    return pt__decode_expressions(d, m->columns, m->n_columns, &node->expressions);
}

static pt_status decode_to_df(pt__decoder *d, const Spark__Connect__ToDF *m, pt_plan **out)
{
    START(TO_DF, to_df);
    node->names = texts(m->column_names);
    node->name_count = m->n_column_names;
    return PT_OK;
}

static pt_status decode_to_schema(pt__decoder *d, const Spark__Connect__ToSchema *m, pt_plan **out)
{
    START(TO_SCHEMA, to_schema);
    return pt__decode_type(d, m->schema, &node->schema);
}

static pt_status decode_unpivot(pt__decoder *d, const Spark__Connect__Unpivot *m, pt_plan **out)
{
    START(UNPIVOT, unpivot);
    const char **names = pt__arena_array(d->arena, const char *, 1);
    names[0] = m->value_column_name;
    node->ids_given = true;
    node->id_count = m->n_ids;
    node->variable_name = m->variable_column_name;
    node->value_names = names;
    node->value_width = 1;
    node->include_nulls = true;
    PT_TRY(pt__decode_expressions(d, m->ids, m->n_ids, &node->ids));
    node->values_given = m->_values_case != 0;
    if (!node->values_given)
        return PT_OK;
    node->value_count = m->values->n_values;
    return pt__decode_expressions(d, m->values->values, m->values->n_values, &node->values);
}

static pt_status decode_transpose(pt__decoder *d, const Spark__Connect__Transpose *m, pt_plan **out)
{
    START(TRANSPOSE, transpose);
    node->index_count = m->n_index_columns;
    return pt__decode_expressions(d, m->index_columns, m->n_index_columns, &node->index_columns);
}

/* ---- what changes no rows ---- */

static pt_status decode_hint(pt__decoder *d, const Spark__Connect__Hint *m, pt_plan **out)
{
    START(HINT, hint);
    node->name = m->name;
    node->parameter_count = m->n_parameters;
    return pt__decode_expressions(d, m->parameters, m->n_parameters, &node->parameters);
}

static pt_status decode_repartition(pt__decoder *d, const Spark__Connect__Repartition *m, pt_plan **out)
{
    START(HINT, hint);
    const pt_expr **parameters = pt__arena_array(d->arena, const pt_expr *, 1);
    parameters[0] = pt__expr_int(d->arena, m->num_partitions);
    node->name = PT_OPTIONAL(m, shuffle, false) ? "repartition" : "coalesce";
    node->parameters = parameters;
    node->parameter_count = 1;
    return PT_OK;
}

static pt_status decode_repartition_by(pt__decoder *d, const Spark__Connect__RepartitionByExpression *m, pt_plan **out)
{
    START(HINT, hint);
    size_t count = m->_num_partitions_case != 0 ? 1 : 0;
    const pt_expr **parameters = pt__arena_array(d->arena, const pt_expr *, count + m->n_partition_exprs);
    if (count != 0)
        parameters[0] = pt__expr_int(d->arena, m->num_partitions);
    for (size_t i = 0; i < m->n_partition_exprs; i++)
        PT_TRY(pt__decode_expression(d, m->partition_exprs[i], &parameters[count + i]));
    node->name = "repartition";
    node->parameters = parameters;
    node->parameter_count = count + m->n_partition_exprs;
    return PT_OK;
}

static pt_status decode_watermark(pt__decoder *d, const Spark__Connect__WithWatermark *m, pt_plan **out)
{
    START(HINT, hint);
    const pt_expr **parameters = pt__arena_array(d->arena, const pt_expr *, 2);
    parameters[0] = pt__expr_string(d->arena, m->event_time);
    parameters[1] = pt__expr_string(d->arena, m->delay_threshold);
    node->name = "withwatermark";
    node->parameters = parameters;
    node->parameter_count = 2;
    return PT_OK;
}

static pt_status decode_collect_metrics(pt__decoder *d, const Spark__Connect__CollectMetrics *m, pt_plan **out)
{
    START(COLLECT_METRICS, collect_metrics);
    node->name = m->name;
    node->metric_count = m->n_metrics;
    return pt__decode_expressions(d, m->metrics, m->n_metrics, &node->metrics);
}

/* ---- texts and functions ---- */

static pt_status decode_show(pt__decoder *d, const Spark__Connect__ShowString *m, pt_plan **out)
{
    START(SHOW, show);
    node->row_count = m->num_rows;
    node->truncate = m->truncate;
    node->is_vertical = m->vertical;
    return PT_OK;
}

static pt_status decode_html(pt__decoder *d, const Spark__Connect__HtmlString *m, pt_plan **out)
{
    START(SHOW, show);
    node->row_count = m->num_rows;
    node->truncate = m->truncate;
    node->is_html = true;
    return PT_OK;
}

static pt_status decode_parse(pt__decoder *d, const Spark__Connect__Parse *m, pt_plan **out)
{
    START(PARSE, parse);
    switch ((int)m->format) {
    case SPARK__CONNECT__PARSE__PARSE_FORMAT__PARSE_FORMAT_CSV: node->format = "csv"; break;
    case SPARK__CONNECT__PARSE__PARSE_FORMAT__PARSE_FORMAT_JSON: node->format = "json"; break;
    case SPARK__CONNECT__PARSE__PARSE_FORMAT__PARSE_FORMAT_XML: return pt__decode_unsupported_feature(d, "reading XML");
    default: return pt__decode_bad_enum(d, &spark__connect__parse__parse_format__descriptor, (int)m->format);
    }
    node->options = PT_DECODE_OPTIONS(d, m, options);
    return m->_schema_case == 0 ? PT_OK : pt__decode_type(d, m->schema, &node->schema);
}

static pt_status decode_table_function(pt__decoder *d, const Spark__Connect__UnresolvedTableValuedFunction *m,
                                       pt_plan **out)
{
    pt_plan_table_function *node = pt__plan_make(d->arena, TABLE_FUNCTION, table_function, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_name(d, m->function_name, &node->name));
    node->argument_count = m->n_arguments;
    return pt__decode_expressions(d, m->arguments, m->n_arguments, &node->arguments);
}

static pt_status decode_with_relations(pt__decoder *d, const Spark__Connect__WithRelations *m, pt_plan **out)
{
    pt_plan_with_references *node = pt__plan_make(d->arena, WITH_REFERENCES, with_references, d->origin);
    const pt_plan **references = pt__arena_array(d->arena, const pt_plan *, m->n_references);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->root, &node->root));
    for (size_t i = 0; i < m->n_references; i++)
        PT_TRY(pt__decode_relation(d, m->references[i], &references[i]));
    node->references = references;
    node->reference_count = m->n_references;
    return PT_OK;
}

/* ---- kept rows ---- */

static pt_status decode_cached_local(pt__decoder *d, const Spark__Connect__CachedLocalRelation *m, pt_plan **out)
{
    pt_plan_local *node = pt__plan_make(d->arena, LOCAL, local, d->origin);
    *out = &node->base;
    node->cache_hash = m->hash;
    return PT_OK;
}

static pt_status decode_chunked(pt__decoder *d, const Spark__Connect__ChunkedCachedLocalRelation *m, pt_plan **out)
{
    pt_plan_local *node = pt__plan_make(d->arena, LOCAL, local, d->origin);
    *out = &node->base;
    node->chunk_hashes = texts(m->datahashes);
    node->chunk_count = m->n_datahashes;
    node->schema_hash = m->_schema_hash_case != 0 ? m->schemahash : NULL;
    return PT_OK;
}

static pt_status decode_cached_remote(pt__decoder *d, const Spark__Connect__CachedRemoteRelation *m, pt_plan **out)
{
    pt_plan_cached *node = pt__plan_make(d->arena, CACHED, cached, d->origin);
    *out = &node->base;
    node->relation_id = m->relation_id;
    return PT_OK;
}

/* ---- all kinds ---- */

static pt_status decode_kind(pt__decoder *d, const Spark__Connect__Relation *r, pt_plan **out)
{
    switch ((int)r->rel_type_case) {
    case REL(_NOT_SET):
        return pt__decode_not_set(d, &r->base, &spark__connect__relation__descriptor, "RELTYPE_NOT_SET");
    case REL(READ): return pt__decode_read(d, r->read, out);
    case REL(PROJECT): return decode_project(d, r->project, out);
    case REL(FILTER): return decode_filter(d, r->filter, out);
    case REL(JOIN): return decode_join(d, r->join, out);
    case REL(SET_OP): return decode_set_operation(d, r->set_op, out);
    case REL(SORT): return decode_sort(d, r->sort, out);
    case REL(LIMIT): return decode_limit(d, r->limit, out);
    case REL(AGGREGATE): return pt__decode_aggregate(d, r->aggregate, out);
    case REL(SQL): return pt__decode_sql(d, r->sql, out);
    case REL(LOCAL_RELATION): return pt__decode_local(d, r->local_relation, out);
    case REL(SAMPLE): return decode_sample(d, r->sample, out);
    case REL(OFFSET): return decode_offset(d, r->offset, out);
    case REL(DEDUPLICATE): return decode_deduplicate(d, r->deduplicate, out);
    case REL(RANGE): return decode_range(d, r->range, out);
    case REL(SUBQUERY_ALIAS): return decode_subquery_alias(d, r->subquery_alias, out);
    case REL(REPARTITION): return decode_repartition(d, r->repartition, out);
    case REL(TO_DF): return decode_to_df(d, r->to_df, out);
    case REL(WITH_COLUMNS_RENAMED): return decode_renames(d, r->with_columns_renamed, out);
    case REL(SHOW_STRING): return decode_show(d, r->show_string, out);
    case REL(DROP): return decode_drop(d, r->drop, out);
    case REL(TAIL): return decode_tail(d, r->tail, out);
    case REL(WITH_COLUMNS): return decode_with_columns(d, r->with_columns, out);
    case REL(HINT): return decode_hint(d, r->hint, out);
    case REL(UNPIVOT): return decode_unpivot(d, r->unpivot, out);
    case REL(TO_SCHEMA): return decode_to_schema(d, r->to_schema, out);
    case REL(REPARTITION_BY_EXPRESSION): return decode_repartition_by(d, r->repartition_by_expression, out);
    case REL(COLLECT_METRICS): return decode_collect_metrics(d, r->collect_metrics, out);
    case REL(PARSE): return decode_parse(d, r->parse, out);
    case REL(MAP_PARTITIONS):
    case REL(GROUP_MAP):
    case REL(CO_GROUP_MAP):
    case REL(COMMON_INLINE_USER_DEFINED_TABLE_FUNCTION): return pt__decode_python_relation(d, r, out);
    case REL(WITH_WATERMARK): return decode_watermark(d, r->with_watermark, out);
    case REL(HTML_STRING): return decode_html(d, r->html_string, out);
    case REL(CACHED_LOCAL_RELATION): return decode_cached_local(d, r->cached_local_relation, out);
    case REL(CACHED_REMOTE_RELATION): return decode_cached_remote(d, r->cached_remote_relation, out);
    case REL(AS_OF_JOIN): return decode_as_of_join(d, r->as_of_join, out);
    case REL(NEAREST_BY_JOIN): return decode_nearest_by_join(d, r->nearest_by_join, out);
    case REL(WITH_RELATIONS): return decode_with_relations(d, r->with_relations, out);
    case REL(TRANSPOSE): return decode_transpose(d, r->transpose, out);
    case REL(UNRESOLVED_TABLE_VALUED_FUNCTION):
        return decode_table_function(d, r->unresolved_table_valued_function, out);
    case REL(LATERAL_JOIN): return decode_lateral_join(d, r->lateral_join, out);
    case REL(CHUNKED_CACHED_LOCAL_RELATION): return decode_chunked(d, r->chunked_cached_local_relation, out);
    case REL(FILL_NA):
    case REL(DROP_NA):
    case REL(REPLACE): return pt__decode_missing_values(d, r, out);
    case REL(SUMMARY):
    case REL(CROSSTAB):
    case REL(DESCRIBE):
    case REL(COV):
    case REL(CORR):
    case REL(APPROX_QUANTILE):
    case REL(FREQ_ITEMS):
    case REL(SAMPLE_BY): return pt__decode_statistics(d, r, out);
    case REL(EXTENSION): return pt__decode_extension_relation(d, r->extension, out);
    case REL(CATALOG): return pt__decode_catalog(d, r->catalog, out);
    default: return pt__decode_not_supported(d, &r->base, r->rel_type_case);
    }
}

pt_status pt__decode_relation(pt__decoder *d, const Spark__Connect__Relation *relation, const pt_plan **out)
{
    if (relation == NULL)
        return pt__decode_not_set(d, NULL, &spark__connect__relation__descriptor, "RELTYPE_NOT_SET");
    const pt_origin *outer = d->origin;
    const Spark__Connect__RelationCommon *common = relation->common;
    pt_plan *plan = NULL;
    if (common != NULL)
        d->origin = pt__decode_origin(d, common->origin);
    PT_TRY(decode_kind(d, relation, &plan));
    assert(plan != NULL);
    if (common != NULL)
        plan->plan_id = PT_OPTIONAL(common, plan_id, -1);
    d->origin = outer;
    *out = plan;
    return PT_OK;
}
