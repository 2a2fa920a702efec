/* Relations that run Python functions. */
#include "decode/spark_connect/internal.h"

#define REL(name) SPARK__CONNECT__RELATION__REL_TYPE_##name

static pt_status decode_map_partitions(pt__decoder *d, const Spark__Connect__MapPartitions *m, pt_plan **out)
{
    pt_plan_map_python *node = pt__plan_make(d->arena, MAP_PYTHON, map_python, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->input, &node->input));
    return pt__decode_python_udf(d, m->func, &node->function);
}

static pt_status decode_group_map(pt__decoder *d, const Spark__Connect__GroupMap *m, pt_plan **out)
{
    pt_plan_map_python *node = pt__plan_make(d->arena, MAP_PYTHON, map_python, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_python_udf(d, m->func, &node->function));
    if (m->initial_input != NULL || m->_state_schema_case != 0 || m->_transform_with_state_info_case != 0)
        return pt__decode_unsupported_feature(d, "functions with state over groups");
    if (m->n_sorting_expressions != 0)
        return pt__decode_unsupported_feature(d, "sorted groups of functions");
    PT_TRY(pt__decode_relation(d, m->input, &node->input));
    node->grouping_count = m->n_grouping_expressions;
    return pt__decode_expressions(d, m->grouping_expressions, m->n_grouping_expressions, &node->grouping);
}

static pt_status decode_co_group_map(pt__decoder *d, const Spark__Connect__CoGroupMap *m, pt_plan **out)
{
    pt_plan_map_python *node = pt__plan_make(d->arena, MAP_PYTHON, map_python, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_python_udf(d, m->func, &node->function));
    if (m->n_input_sorting_expressions != 0 || m->n_other_sorting_expressions != 0)
        return pt__decode_unsupported_feature(d, "sorted groups of functions");
    PT_TRY(pt__decode_relation(d, m->input, &node->input));
    PT_TRY(pt__decode_relation(d, m->other, &node->other));
    node->grouping_count = m->n_input_grouping_expressions;
    PT_TRY(pt__decode_expressions(d, m->input_grouping_expressions, m->n_input_grouping_expressions, &node->grouping));
    node->other_grouping_count = m->n_other_grouping_expressions;
    return pt__decode_expressions(d, m->other_grouping_expressions, m->n_other_grouping_expressions,
                                  &node->other_grouping);
}

static pt_status decode_table_function(pt__decoder *d, const Spark__Connect__CommonInlineUserDefinedTableFunction *m,
                                       pt_plan **out)
{
    pt_plan_table_function *node = pt__plan_make(d->arena, TABLE_FUNCTION, table_function, d->origin);
    *out = &node->base;
    node->name = pt__name_one(d->arena, m->function_name);
    return pt__decode_python_udtf(d, m, &node->python);
}

pt_status pt__decode_python_relation(pt__decoder *d, const Spark__Connect__Relation *r, pt_plan **out)
{
    switch ((int)r->rel_type_case) {
    case REL(MAP_PARTITIONS): return decode_map_partitions(d, r->map_partitions, out);
    case REL(GROUP_MAP): return decode_group_map(d, r->group_map, out);
    case REL(CO_GROUP_MAP): return decode_co_group_map(d, r->co_group_map, out);
    case REL(COMMON_INLINE_USER_DEFINED_TABLE_FUNCTION):
        return decode_table_function(d, r->common_inline_user_defined_table_function, out);
    default: return pt__decode_not_supported(d, &r->base, r->rel_type_case);
    }
}
