#include "analyze/json_schema.h"
#include "backend/duckdb/lower_collections.h"
#include "backend/duckdb/lower_rules.h"
#include "base/arena_buffer.h"

#include <string.h>
#include <strings.h>

/* Functions of JSON and CSV text. Rules as in lower_rules.h. */

static pt__options options_of(pt__lower *lower, const pt_expr_call *call, size_t index)
{
    pt__options options = NULL;
    pt__constant_options(lower->arena, index < call->argument_count ? call->arguments[index] : NULL, &options);
    return options;
}

static void put_text(pt__lower *lower, const char *text)
{
    pt__put_string(lower, text, strlen(text));
}

/* `, type, options, zone)` */
static void put_type_arguments(pt__lower *lower, const pt_type *type, pt__options options)
{
    pt__buffer *json = pt__arena_buffer(lower->arena);
    pt__type_append_json(json, type);
    pt__put(lower, ", ");
    put_text(lower, pt__buffer_string(json));
    pt__put(lower, ", ");
    put_text(lower, pt__options_text(lower->arena, options));
    pt__put(lower, ", ");
    put_text(lower, lower->time_zone);
    pt__put(lower, ")");
}

/* The type with text in the place of bytes, which JSON of DuckDB cannot hold; the type itself when it has none. */
static const pt_type *with_text(pt__arena *arena, const pt_type *type)
{
    if (type->id == PT_TYPE_BINARY)
        return PT_T(STRING);
    if (type->id == PT_TYPE_VARIANT) {
        static const pt_field FIELDS[] = {{"value", NULL, true, NULL}, {"metadata", NULL, true, NULL}};
        pt_field *both = pt__arena_copy(arena, FIELDS, sizeof(FIELDS));
        both[0].type = both[1].type = PT_T(STRING);
        return pt__type_struct(arena, both, 2);
    }
    if (type->id == PT_TYPE_ARRAY || type->id == PT_TYPE_MAP) {
        const pt_type *element = with_text(arena, type->element);
        if (element == type->element)
            return type;
        return type->id == PT_TYPE_ARRAY ? pt__type_array(arena, element, true)
                                         : pt__type_map(arena, type->key, element, true);
    }
    if (type->id != PT_TYPE_STRUCT)
        return type;
    pt_field *fields = pt__arena_array(arena, pt_field, type->field_count + 1);
    bool differs = false;
    for (size_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        fields[i].type = with_text(arena, type->fields[i].type);
        differs = differs || fields[i].type != type->fields[i].type;
    }
    return differs ? pt__type_struct(arena, fields, type->field_count) : type;
}

/* `text` gives JSON: the value of the type that it holds. */
static void put_from_json(pt__lower *lower, const char *text, const pt_type *type)
{
    const pt_type *textual = with_text(lower->arena, type);
    pt__put(lower, textual == type ? "" : "CAST(");
    if (pt__type_is_string(textual)) { /* a cast would leave the quotes */
        pt__putf(lower, "json_extract_string(%s, '$')", text);
    } else {
        pt__putf(lower, "CAST(CAST(%s AS JSON) AS ", text);
        pt__put_type(lower, textual);
        pt__put(lower, ")");
    }
    if (textual == type)
        return;
    pt__put(lower, " AS ");
    pt__put_type(lower, type);
    pt__put(lower, ")");
}

/* `head` and the type arguments, which close the call. */
static const char *call_text(pt__lower *lower, const char *head, const pt_type *type, pt__options options)
{
    size_t mark = lower->text.size_bytes;
    pt__put(lower, head);
    put_type_arguments(lower, type, options);
    return pt__cut(lower, mark);
}

PT_LOWERING(from_text)
{
    (void)form;
    const char *head = pt__is_function(call, "from_csv") ? "spark_from_csv({0}" : "spark_from_json({0}";
    const char *read = call_text(lower, head, call->base.type, options_of(lower, call, 2));
    size_t mark = lower->text.size_bytes;
    put_from_json(lower, read, call->base.type);
    return pt__lower_by_template(lower, pt__cut(lower, mark), call, NULL, err);
}

PT_LOWERING(to_text)
{
    (void)form;
    const char *head = pt__is_function(call, "to_csv") ? "spark_to_csv({0}" : "spark_to_json({0}";
    const char *written = call_text(lower, head, call->arguments[0]->type, options_of(lower, call, 1));
    return pt__lower_by_template(lower, written, call, NULL, err);
}

/* ---- variants ---- */

static pt__options try_options(pt__lower *lower, bool is_try)
{
    const char *text = is_try ? "{\"try\":\"true\"}" : "{}";
    pt__options options = NULL;
    pt__json_parse(lower->arena, text, strlen(text), &options, NULL);
    return options;
}

void pt__put_variant_cast(pt__lower *lower, const char *variant, const char *path, const pt_type *type, bool is_try)
{
    if (type->id == PT_TYPE_VARIANT) {
        pt__putf(lower, "spark_variant_part(%s, %s)", variant, path);
        return;
    }
    const char *head = pt__arena_printf(lower->arena, "spark_variant_get(%s, %s", variant, path);
    put_from_json(lower, call_text(lower, head, type, try_options(lower, is_try)), type);
}

void pt__put_to_variant(pt__lower *lower, const char *value, const pt_type *type)
{
    const char *head = pt__arena_printf(lower->arena, "spark_to_variant(%s", value);
    pt__put(lower, call_text(lower, head, type, try_options(lower, false)));
}

PT_LOWERING(variant_get)
{
    (void)form;
    size_t mark = lower->text.size_bytes;
    pt__put_variant_cast(lower, "{0}", "{1}", call->base.type, call->mode == PT_CAST_TRY);
    return pt__lower_by_template(lower, pt__cut(lower, mark), call, NULL, err);
}

PT_LOWERING(to_variant)
{
    (void)form;
    size_t mark = lower->text.size_bytes;
    pt__put_to_variant(lower, "{0}", call->arguments[0]->type);
    return pt__lower_by_template(lower, pt__cut(lower, mark), call, NULL, err);
}

PT_LOWERING(schema_of)
{
    (void)form;
    pt_text_view text = {"", 0};
    const pt_type *type;
    pt__options options = options_of(lower, call, 1);
    pt__constant_text(call->arguments[0], &text);
    if (pt__is_function(call, "schema_of_csv"))
        type = pt__infer_csv(lower->arena, text, options);
    else
        PT_TRY(pt__infer_json(lower->arena, text, options, &type, err));
    put_text(lower, pt__type_sql(lower->arena, type));
    pt__put(lower, "::VARCHAR");
    return PT_OK;
}
