/* Commands that write: df.write, df.writeTo, mergeInto. */
#include "decode/spark_connect/internal.h"

static pt_status refuse_evolution(pt__decoder *d, bool with_schema_evolution)
{
    return with_schema_evolution ? pt__decode_unsupported_feature(d, "writes with schema evolution") : PT_OK;
}

/* ---- df.write ---- */

#define MODE(name) SPARK__CONNECT__WRITE_OPERATION__SAVE_MODE__SAVE_MODE_##name

static pt_status decode_mode(pt__decoder *d, Spark__Connect__WriteOperation__SaveMode mode, pt_save_mode unspecified,
                             pt_save_mode *out)
{
    switch ((int)mode) {
    case MODE(UNSPECIFIED): *out = unspecified; return PT_OK;
    case MODE(APPEND): *out = PT_SAVE_APPEND; return PT_OK;
    case MODE(OVERWRITE): *out = PT_SAVE_OVERWRITE; return PT_OK;
    case MODE(ERROR_IF_EXISTS): *out = PT_SAVE_ERROR; return PT_OK;
    case MODE(IGNORE): *out = PT_SAVE_IGNORE; return PT_OK;
    default: return pt__decode_bad_enum(d, &spark__connect__write_operation__save_mode__descriptor, (int)mode);
    }
}

static pt_status decode_write_files(pt__decoder *d, const Spark__Connect__WriteOperation *m, const pt_plan **out)
{
    pt_plan_write_files *node = pt__plan_make(d->arena, WRITE_FILES, write_files, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->input, &node->query));
    PT_TRY(decode_mode(d, m->mode, PT_SAVE_ERROR, &node->mode));
    node->format = pt__decode_optional_text(PT_OPTIONAL(m, source, NULL));
    node->options = PT_DECODE_OPTIONS(d, m, options);
    node->path = m->save_type_case == SPARK__CONNECT__WRITE_OPERATION__SAVE_TYPE_PATH
                     ? m->path
                     : pt__options_get(&node->options, "path");
    node->partition_columns = (const char *const *)m->partitioning_columns;
    node->partition_count = m->n_partitioning_columns;
    node->sort_columns = (const char *const *)m->sort_column_names;
    node->sort_count = m->n_sort_column_names;
    if (m->bucket_by != NULL) {
        node->bucket_columns = (const char *const *)m->bucket_by->bucket_column_names;
        node->bucket_column_count = m->bucket_by->n_bucket_column_names;
        node->bucket_count = m->bucket_by->num_buckets;
    }
    return PT_OK;
}

#define METHOD(name) SPARK__CONNECT__WRITE_OPERATION__SAVE_TABLE__TABLE_SAVE_METHOD__TABLE_SAVE_METHOD_##name

static pt_status decode_insert_into(pt__decoder *d, const Spark__Connect__WriteOperation *m, pt_plan_insert *node)
{
    PT_TRY(decode_mode(d, m->mode, PT_SAVE_APPEND, &node->mode));
    node->overwrite = node->mode == PT_SAVE_OVERWRITE;
    return PT_OK;
}

static pt_status decode_save_as_table(pt__decoder *d, const Spark__Connect__WriteOperation *m, pt_plan_insert *node)
{
    node->is_save_as_table = true;
    node->by_name = true;
    node->provider = pt__decode_optional_text(PT_OPTIONAL(m, source, NULL));
    node->partition_columns = (const char *const *)m->partitioning_columns;
    node->partition_count = m->n_partitioning_columns;
    PT_TRY(decode_mode(d, m->mode, PT_SAVE_ERROR, &node->mode));
    node->overwrite = node->mode == PT_SAVE_OVERWRITE;
    return PT_OK;
}

static pt_status decode_write_table(pt__decoder *d, const Spark__Connect__WriteOperation *m, const pt_plan **out)
{
    pt_plan_insert *node = pt__plan_make(d->arena, INSERT, insert, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->input, &node->query));
    PT_TRY(pt__decode_name(d, m->table->table_name, &node->table));
    node->options = PT_DECODE_OPTIONS(d, m, options);
    switch ((int)m->table->save_method) {
    case METHOD(SAVE_AS_TABLE): return decode_save_as_table(d, m, node);
    case METHOD(INSERT_INTO): return decode_insert_into(d, m, node);
    default:
        return pt__decode_bad_enum(d, &spark__connect__write_operation__save_table__table_save_method__descriptor,
                                   (int)m->table->save_method);
    }
}

pt_status pt__decode_write(pt__decoder *d, const Spark__Connect__WriteOperation *m, const pt_plan **out)
{
    PT_TRY(refuse_evolution(d, m->with_schema_evolution));
    if (m->save_type_case == SPARK__CONNECT__WRITE_OPERATION__SAVE_TYPE_TABLE)
        return decode_write_table(d, m, out);
    return decode_write_files(d, m, out);
}

/* ---- df.writeTo ---- */

#define MODE_V2(name) SPARK__CONNECT__WRITE_OPERATION_V2__MODE__MODE_##name

static pt_status decode_partition_columns(pt__decoder *d, const Spark__Connect__WriteOperationV2 *m,
                                          pt_plan_create_table *node)
{
    const char **names = pt__arena_array(d->arena, const char *, m->n_partitioning_columns);
    for (size_t i = 0; i < m->n_partitioning_columns; i++) {
        const pt_expr *expr;
        pt_name name;
        PT_TRY(pt__decode_expression(d, m->partitioning_columns[i], &expr));
        PT_TRY(pt__decode_attribute_name(d, expr, "partitions", &name));
        names[i] = name.parts[name.count - 1];
    }
    node->partition_columns = names;
    node->partition_count = m->n_partitioning_columns;
    return PT_OK;
}

static pt_status decode_create(pt__decoder *d, const Spark__Connect__WriteOperationV2 *m, pt_create_mode mode,
                               const pt_plan **out)
{
    pt_plan_create_table *node = pt__plan_make(d->arena, CREATE_TABLE, create_table, d->origin);
    *out = &node->base;
    node->mode = mode;
    node->provider = pt__decode_optional_text(PT_OPTIONAL(m, provider, NULL));
    node->options = PT_DECODE_OPTIONS(d, m, options);
    node->properties = PT_DECODE_OPTIONS(d, m, table_properties);
    PT_TRY(pt__decode_name(d, m->table_name, &node->name));
    PT_TRY(decode_partition_columns(d, m, node));
    return pt__decode_relation(d, m->input, &node->query);
}

static pt_status decode_insert(pt__decoder *d, const Spark__Connect__WriteOperationV2 *m, pt_plan_insert **node,
                               const pt_plan **out)
{
    *node = pt__plan_make(d->arena, INSERT, insert, d->origin);
    *out = &(*node)->base;
    (*node)->by_name = true;
    (*node)->mode = PT_SAVE_APPEND;
    (*node)->options = PT_DECODE_OPTIONS(d, m, options);
    PT_TRY(pt__decode_name(d, m->table_name, &(*node)->table));
    return pt__decode_relation(d, m->input, &(*node)->query);
}

static pt_status decode_overwrite(pt__decoder *d, const Spark__Connect__WriteOperationV2 *m, const pt_plan **out)
{
    pt_plan_insert *node;
    PT_TRY(decode_insert(d, m, &node, out));
    node->overwrite = true;
    return pt__decode_expression(d, m->overwrite_condition, &node->overwrite_condition);
}

static pt_status decode_overwrite_partitions(pt__decoder *d, const Spark__Connect__WriteOperationV2 *m,
                                             const pt_plan **out)
{
    pt_plan_insert *node;
    PT_TRY(decode_insert(d, m, &node, out));
    node->overwrite = true;
    node->overwrite_partitions = true;
    return PT_OK;
}

pt_status pt__decode_write_v2(pt__decoder *d, const Spark__Connect__WriteOperationV2 *m, const pt_plan **out)
{
    pt_plan_insert *insert;
    PT_TRY(refuse_evolution(d, m->with_schema_evolution));
    switch ((int)m->mode) {
    case MODE_V2(CREATE): return decode_create(d, m, PT_CREATE, out);
    case MODE_V2(REPLACE): return decode_create(d, m, PT_REPLACE, out);
    case MODE_V2(CREATE_OR_REPLACE): return decode_create(d, m, PT_CREATE_OR_REPLACE, out);
    case MODE_V2(APPEND): return decode_insert(d, m, &insert, out);
    case MODE_V2(OVERWRITE): return decode_overwrite(d, m, out);
    case MODE_V2(OVERWRITE_PARTITIONS): return decode_overwrite_partitions(d, m, out);
    default: return pt__decode_bad_enum(d, &spark__connect__write_operation_v2__mode__descriptor, (int)m->mode);
    }
}

/* ---- mergeInto ---- */

#define ACTION(name) SPARK__CONNECT__MERGE_ACTION__ACTION_TYPE__ACTION_TYPE_##name

static pt_status decode_action_type(pt__decoder *d, Spark__Connect__MergeAction__ActionType type, pt_merge_action *out)
{
    switch ((int)type) {
    case ACTION(DELETE): *out = PT_MERGE_DELETE; return PT_OK;
    case ACTION(INSERT): *out = PT_MERGE_INSERT; return PT_OK;
    case ACTION(INSERT_STAR): *out = PT_MERGE_INSERT_ALL; return PT_OK;
    case ACTION(UPDATE): *out = PT_MERGE_UPDATE; return PT_OK;
    case ACTION(UPDATE_STAR): *out = PT_MERGE_UPDATE_ALL; return PT_OK;
    default: return pt__decode_bad_enum(d, &spark__connect__merge_action__action_type__descriptor, (int)type);
    }
}

static pt_status decode_assignments(pt__decoder *d, const Spark__Connect__MergeAction *m, pt_merge_clause *out)
{
    pt_assignment *assignments = pt__arena_array(d->arena, pt_assignment, m->n_assignments);
    for (size_t i = 0; i < m->n_assignments; i++) {
        const pt_expr *key;
        PT_TRY(pt__decode_expression(d, m->assignments[i]->key, &key));
        PT_TRY(pt__decode_attribute_name(d, key, "assignments to expressions", &assignments[i].column));
        PT_TRY(pt__decode_expression(d, m->assignments[i]->value, &assignments[i].value));
    }
    out->assignments = assignments;
    out->assignment_count = m->n_assignments;
    return PT_OK;
}

static pt_status decode_clauses(pt__decoder *d, Spark__Connect__Expression *const *actions, size_t count,
                                pt_merge_match match, pt_merge_clause *out)
{
    for (size_t i = 0; i < count; i++) {
        if (actions[i]->expr_type_case != SPARK__CONNECT__EXPRESSION__EXPR_TYPE_MERGE_ACTION)
            return pt__decode_not_supported(d, &actions[i]->base, actions[i]->expr_type_case);
        const Spark__Connect__MergeAction *action = actions[i]->merge_action;
        out[i].match = match;
        PT_TRY(decode_action_type(d, action->action_type, &out[i].action));
        PT_TRY(pt__decode_optional_expression(d, PT_OPTIONAL(action, condition, NULL), &out[i].condition));
        PT_TRY(decode_assignments(d, action, &out[i]));
    }
    return PT_OK;
}

pt_status pt__decode_merge(pt__decoder *d, const Spark__Connect__MergeIntoTableCommand *m, const pt_plan **out)
{
    pt_plan_merge *node = pt__plan_make(d->arena, MERGE, merge, d->origin);
    size_t matched = m->n_match_actions;
    size_t not_matched = m->n_not_matched_actions;
    size_t by_source = m->n_not_matched_by_source_actions;
    pt_merge_clause *clauses = pt__arena_array(d->arena, pt_merge_clause, matched + not_matched + by_source);
    *out = &node->base;
    PT_TRY(pt__decode_name(d, m->target_table_name, &node->table));
    PT_TRY(pt__decode_relation(d, m->source_table_plan, &node->source));
    PT_TRY(pt__decode_expression(d, m->merge_condition, &node->condition));
    PT_TRY(decode_clauses(d, m->match_actions, matched, PT_MERGE_MATCHED, clauses));
    PT_TRY(decode_clauses(d, m->not_matched_actions, not_matched, PT_MERGE_NOT_MATCHED, clauses + matched));
    PT_TRY(decode_clauses(d, m->not_matched_by_source_actions, by_source, PT_MERGE_NOT_MATCHED_BY_SOURCE,
                          clauses + matched + not_matched));
    node->clauses = clauses;
    node->clause_count = matched + not_matched + by_source;
    node->with_schema_evolution = m->with_schema_evolution;
    return PT_OK;
}
