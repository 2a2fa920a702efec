/* withField and dropFields: a struct made anew around the field that changes. */
#include "analyze/analyzer.h"

#include <string.h>

static pt_status make_struct(pt__analyzer *a, const pt_expr *child, const char *const *names,
                             const pt_expr *const *values, size_t count, const pt_expr **out, pt_error *err)
{
    const pt_expr **arguments = pt__arena_array(a->arena, const pt_expr *, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        arguments[2 * i] = pt__expr_string(a->arena, names[i]);
        arguments[2 * i + 1] = values[i];
    }
    const pt_expr *made;
    PT_TRY(pt__call(a, "named_struct", arguments, 2 * count, &made, err));
    if (!child->nullable) {
        *out = made;
        return PT_OK;
    }
    const pt_expr **when = pt__arena_array(a->arena, const pt_expr *, 2);
    PT_TRY(pt__call(a, "isnotnull", &child, 1, &when[0], err));
    when[1] = made;
    return pt__call(a, "when", when, 2, out, err);
}

/* `child` with the field at the end of the path set to `value`, or dropped when it is NULL. */
static pt_status update_path(pt__analyzer *a, const pt_expr *child, const pt_name *path, size_t depth,
                             const pt_expr *value, const pt_origin *origin, const pt_expr **out, pt_error *err)
{
    if (child->type->id != PT_TYPE_STRUCT) {
        pt_status status =
            pt__raise(err, PT_COND_DATATYPE_MISMATCH_UNEXPECTED_INPUT_TYPE, "sqlExpr", "\"update_fields\"",
                      "paramIndex", "first", "requiredType", "\"STRUCT\"", "inputSql", pt__quote_expr(a->arena, child),
                      "inputType", pt__quote_type(a->arena, child->type), NULL);
        return pt__analyzer_fail(status, origin, err);
    }
    pt__list(const char *) names = {0};
    pt__list(const pt_expr *) values = {0};
    bool found = false;
    bool last = depth + 1 == path->count;
    for (size_t i = 0; i < child->type->field_count; i++) {
        const char *name = child->type->fields[i].name;
        const pt_expr *field;
        PT_TRY(pt__struct_field(a, child, name, origin, &field, err));
        if (pt__same_name(a, name, path->parts[depth])) {
            found = true;
            if (last && value == NULL)
                continue;
            if (last)
                field = value;
            else
                PT_TRY(update_path(a, field, path, depth + 1, value, origin, &field, err));
            name = last ? path->parts[depth] : name;
        }
        pt__list_push(a->arena, &names, name);
        pt__list_push(a->arena, &values, field);
    }
    if (!found && value != NULL && last) {
        pt__list_push(a->arena, &names, path->parts[depth]);
        pt__list_push(a->arena, &values, value);
    }
    if (names.count == 0) {
        pt_status status =
            pt__raise(err, PT_COND_DATATYPE_MISMATCH_CANNOT_DROP_ALL_FIELDS, "sqlExpr", "\"update_fields\"", NULL);
        return pt__analyzer_fail(status, origin, err);
    }
    return make_struct(a, child, names.items, values.items, names.count, out, err);
}

static pt_name split_path(pt__analyzer *a, const char *text)
{
    pt__list(const char *) parts = {0};
    while (*text != '\0') {
        size_t size;
        if (*text == '`') {
            size = strcspn(++text, "`");
            pt__list_push(a->arena, &parts, pt__arena_copy_text(a->arena, text, size));
            text += size + (text[size] == '`');
        } else {
            size = strcspn(text, ".");
            pt__list_push(a->arena, &parts, pt__arena_copy_text(a->arena, text, size));
            text += size;
        }
        text += *text == '.';
    }
    return (pt_name){parts.items, parts.count};
}

pt_status pt__analyze_update_fields(pt__analyzer *a, pt__scope *scope, const pt_expr_update_fields *update,
                                    const pt_expr **out, pt_error *err)
{
    const pt_expr *child;
    const pt_expr *value = NULL;
    PT_TRY(pt__analyze_expr(a, scope, update->child, &child, err));
    if (update->value != NULL)
        PT_TRY(pt__analyze_expr(a, scope, update->value, &value, err));
    pt_name path = split_path(a, update->field);
    return update_path(a, child, &path, 0, value, update->base.origin, out, err);
}
