/* Values of the session, choices, and values put together. */
#include "backend/duckdb/lower_collections.h"
#include "backend/duckdb/lower_rules.h"

#include <string.h>

PT_LOWERING(session_value)
{
    (void)form;
    if (pt__is_function(call, "current_timestamp") || pt__is_function(call, "now"))
        return pt__by_template(lower, call, "transaction_timestamp()", err);
    if (pt__is_function(call, "current_date") || pt__is_function(call, "curdate"))
        return pt__by_template(lower, call, "CAST(transaction_timestamp() AT TIME ZONE {z} AS DATE)", err);
    if (pt__is_function(call, "localtimestamp"))
        return pt__by_template(lower, call, "(transaction_timestamp() AT TIME ZONE {z})", err);
    return pt__lower_unsupported(err, call->base.origin,
                                 pt__arena_printf(lower->arena, "the function %s", call->function->name));
}

PT_LOWERING(cast_literal)
{
    (void)form;
    if (call->base.type->id == PT_TYPE_TIMESTAMP)
        return pt__by_template(lower, call, "spark_cast_timestamp_ansi({0}, {z})", err);
    return pt__by_template(lower, call, "spark_cast_timestamp_ntz_ansi({0}, {z})", err);
}

PT_LOWERING(typeof)
{
    (void)form;
    (void)err;
    const char *name = pt__type_simple_string(lower->arena, pt__type_of_argument(call, 0));
    pt__put_string(lower, name, strlen(name));
    pt__put(lower, "::VARCHAR");
    return PT_OK;
}

PT_LOWERING(when)
{
    (void)form;
    pt__put(lower, "CASE");
    size_t i = 0;
    for (; i + 1 < call->argument_count; i += 2) {
        pt__put(lower, " WHEN ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
        pt__put(lower, " THEN ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i + 1], err));
    }
    if (i < call->argument_count) {
        pt__put(lower, " ELSE ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
    }
    pt__put(lower, " END");
    return PT_OK;
}

/* ---- arrays, maps, structs ---- */

PT_LOWERING(struct)
{
    (void)form;
    const pt_type *type = call->base.type;
    bool is_named = pt__is_function(call, "named_struct");
    pt__put(lower, type->field_count == 0 ? "struct_pack(f0 := NULL::INTEGER" : "struct_pack(");
    for (size_t i = 0; i < type->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_field_name(lower, type, i);
        pt__put(lower, " := ");
        PT_TRY(pt__lower_expr(lower, call->arguments[is_named ? 2 * i + 1 : i], err));
    }
    pt__put(lower, ")");
    return PT_OK;
}

static pt_status put_every_second(pt__lower *lower, const pt_expr_call *call, size_t first, pt_error *err)
{
    pt__put(lower, "[");
    for (size_t i = first; i < call->argument_count; i += 2) {
        pt__put(lower, i == first ? "" : ", ");
        PT_TRY(pt__lower_expr(lower, call->arguments[i], err));
    }
    pt__put(lower, "]");
    return PT_OK;
}

PT_LOWERING(map)
{
    (void)form;
    if (call->argument_count == 0) {
        pt__put(lower, "CAST(MAP {} AS ");
        pt__put_type(lower, call->base.type);
        pt__put(lower, ")");
        return PT_OK;
    }
    if (call->mode == PT_CAST_LEGACY)
        return pt__lower_map_last_wins(lower, call, err);
    pt__put(lower, "map(");
    PT_TRY(put_every_second(lower, call, 0, err));
    pt__put(lower, ", ");
    PT_TRY(put_every_second(lower, call, 1, err));
    pt__put(lower, ")");
    return PT_OK;
}

/* Three-valued: NULL when only a NULL element could have matched. */
PT_LOWERING(array_contains)
{
    (void)form;
    if (!pt__type_of_argument(call, 0)->contains_null)
        return pt__by_template(lower, call, "list_contains({0}, {1})", err);
    return pt__by_template(lower, call,
                           "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN list_contains({0}, {1}) THEN true "
                           "WHEN len({0}) = list_count({0}) THEN false END",
                           err);
}

/* Generators are lowered by the relation that holds them. */
PT_LOWERING(explode)
{
    (void)lower;
    (void)form;
    return pt__lower_unsupported(err, call->base.origin, "a generator within an expression");
}
