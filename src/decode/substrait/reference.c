/* References to columns, fields of structs, elements of lists and values of maps. */
#include "decode/substrait/internal.h"

#define ROOT(name) SUBSTRAIT__EXPRESSION__FIELD_REFERENCE__ROOT_TYPE_##name
#define SEGMENT(name) SUBSTRAIT__EXPRESSION__REFERENCE_SEGMENT__REFERENCE_TYPE_##name

typedef Substrait__Expression__ReferenceSegment segment;

/* ---- columns ---- */

const pt_expr *pt__substrait_ordinal(decoder *d, uint32_t position, uint32_t outer)
{
    pt_expr_ordinal *ordinal = pt__expr_make(d->arena, ORDINAL, ordinal, NULL);
    ordinal->position = position;
    ordinal->outer = outer;
    return &ordinal->base;
}

static bool is_mark(const scope *s)
{
    return s->layout == PT_SUBSTRAIT_MARK_LEFT || s->layout == PT_SUBSTRAIT_MARK_RIGHT;
}

/* `outer`: queries of the plan between the reference and the innermost one that `s` stands for. */
static const pt_expr *place(decoder *d, const scope *s, uint32_t outer, uint32_t position)
{
    bool is_left = position < s->left_width;
    uint32_t right = position - s->left_width;
    switch (s->layout) {
    case PT_SUBSTRAIT_STRAIGHT: break;
    case PT_SUBSTRAIT_SWAPPED: return pt__substrait_ordinal(d, is_left ? position + s->right_width : right, outer);
    case PT_SUBSTRAIT_MARK_LEFT: return pt__substrait_ordinal(d, is_left ? position : right, outer + is_left);
    case PT_SUBSTRAIT_MARK_RIGHT: return pt__substrait_ordinal(d, is_left ? position : right, outer + !is_left);
    }
    return pt__substrait_ordinal(d, position, outer);
}

pt_status pt__substrait_column(decoder *d, const scope *s, uint32_t steps, uint32_t position, value_of *out)
{
    uint32_t outer = 0;
    for (uint32_t i = 0; s != NULL && i < steps; i++) {
        outer += 1 + is_mark(s) + s->is_enclosing;
        s = s->outer;
    }
    if (s == NULL)
        return pt__substrait_bad(d, "a reference goes %u queries out, where there is none", steps);
    if (position > UINT32_MAX - s->first)
        return pt__substrait_bad(d, "there is no column %u", position);
    position += s->first;
    if (s->columns != NULL && position >= s->columns->field_count)
        return pt__substrait_bad(d, "there is no column %u in an input of %zu columns", position,
                                 s->columns->field_count);
    out->type = s->columns == NULL ? NULL : s->columns->fields[position].type;
    out->expr = place(d, s, outer + s->is_enclosing, position);
    return PT_OK;
}

/* ---- parts of values ---- */

static pt_status take_field(decoder *d, int32_t position, value_of *value)
{
    const pt_type *type = value->type;
    if (position < 0 || (type != NULL && (type->id != PT_TYPE_STRUCT || (size_t)position >= type->field_count)))
        return pt__substrait_bad(d, "there is no field %d in a value of type %s", position,
                                 pt__substrait_type_text(d, type));
    pt_expr_field *field = pt__expr_make(d->arena, FIELD, field, NULL);
    field->child = value->expr;
    field->ordinal = (uint32_t)position;
    value->expr = &field->base;
    value->type = type == NULL ? NULL : type->fields[position].type;
    return PT_OK;
}

/* Positions from 0 on, from the end if negative; NULL where there is none. */
static pt_status take_element(decoder *d, int32_t offset, value_of *value)
{
    const pt_type *type = value->type;
    if (type != NULL && type->id != PT_TYPE_ARRAY)
        return pt__substrait_bad(d, "element %d of a value of type %s", offset, pt__substrait_type_text(d, type));
    value->expr = pt__substrait_call(d, offset < 0 ? "try_element_at" : "get", 2, value->expr,
                                     pt__expr_int(d->arena, offset), NULL);
    value->type = type == NULL ? NULL : type->element;
    return PT_OK;
}

static pt_status take_value(decoder *d, const Substrait__Expression__Literal *key, value_of *value)
{
    const pt_type *type = value->type;
    value_of wanted;
    if (type != NULL && type->id != PT_TYPE_MAP)
        return pt__substrait_bad(d, "a map key of a value of type %s", pt__substrait_type_text(d, type));
    PT_TRY(pt__substrait_literal(d, key, &wanted));
    value->expr = pt__substrait_call(d, "try_element_at", 2, value->expr, wanted.expr, NULL);
    value->type = type == NULL ? NULL : type->element;
    return PT_OK;
}

static pt_status take_parts(decoder *d, const segment *part, value_of *value)
{
    while (part != NULL) {
        switch ((int)part->reference_type_case) {
        case SEGMENT(STRUCT_FIELD):
            PT_TRY(take_field(d, part->struct_field->field, value));
            part = part->struct_field->child;
            break;
        case SEGMENT(LIST_ELEMENT):
            PT_TRY(take_element(d, part->list_element->offset, value));
            part = part->list_element->child;
            break;
        case SEGMENT(MAP_KEY):
            PT_TRY(take_value(d, part->map_key->map_key, value));
            part = part->map_key->child;
            break;
        default: return pt__substrait_unknown_kind(d, &part->base, part->reference_type_case);
        }
    }
    return PT_OK;
}

/* ---- roots ---- */

static pt_status lambda_parameter(decoder *d, uint32_t steps, int32_t position, value_of *out)
{
    const pt__substrait_lambda *lambda = d->lambdas;
    for (uint32_t i = 0; lambda != NULL && i < steps; i++)
        lambda = lambda->outer;
    if (lambda == NULL || position < 0 || (size_t)position >= lambda->parameters->field_count)
        return pt__substrait_bad(d, "there is no lambda parameter %d", position);
    pt_expr_lambda_variable *variable = pt__expr_make(d->arena, LAMBDA_VARIABLE, lambda_variable, NULL);
    variable->name = pt__name_one(d->arena, pt__arena_printf(d->arena, "p%u_%d", lambda->depth, position));
    out->expr = &variable->base;
    out->type = lambda->parameters->fields[position].type;
    return PT_OK;
}

static pt_status steps_to_anchor(decoder *d, const scope *s, uint32_t anchor, uint32_t *steps)
{
    *steps = 0;
    for (; s != NULL; s = s->outer, ++*steps) {
        if (s->anchor == anchor && anchor != 0)
            return PT_OK;
    }
    return pt__substrait_bad(d, "no query around a reference has the rel_anchor %u", anchor);
}

static pt_status outer_steps(decoder *d, const scope *s,
                             const Substrait__Expression__FieldReference__OuterReference *outer, uint32_t *steps)
{
    *steps = outer->steps_out;
    if (outer->outer_reference_type_case ==
        SUBSTRAIT__EXPRESSION__FIELD_REFERENCE__OUTER_REFERENCE__OUTER_REFERENCE_TYPE_REL_REFERENCE)
        return steps_to_anchor(d, s, outer->rel_reference, steps);
    return *steps != 0 ? PT_OK : pt__substrait_bad(d, "an outer reference stays in its own query");
}

/* What a column reference starts with: the first segment is the column. */
static pt_status root_column(decoder *d, const scope *s, const Substrait__Expression__FieldReference *m,
                             const segment *first, value_of *out)
{
    if (first->reference_type_case != SEGMENT(STRUCT_FIELD) || first->struct_field->field < 0)
        return pt__substrait_bad(d, "a reference does not begin with a column");
    uint32_t position = (uint32_t)first->struct_field->field;
    uint32_t steps = 0;
    if (m->root_type_case == ROOT(LAMBDA_PARAMETER_REFERENCE))
        return lambda_parameter(d, m->lambda_parameter_reference->steps_out, first->struct_field->field, out);
    if (m->root_type_case == ROOT(OUTER_REFERENCE))
        PT_TRY(outer_steps(d, s, m->outer_reference, &steps));
    return pt__substrait_column(d, s, steps, position, out);
}

pt_status pt__substrait_reference(decoder *d, const scope *s, const Substrait__Expression__FieldReference *m,
                                  value_of *out)
{
    *out = (value_of){0};
    if (m->reference_type_case != SUBSTRAIT__EXPRESSION__FIELD_REFERENCE__REFERENCE_TYPE_DIRECT_REFERENCE)
        return pt__substrait_unknown_kind(d, &m->base, m->reference_type_case);
    const segment *part = m->direct_reference;
    if (m->root_type_case == ROOT(EXPRESSION)) {
        PT_TRY(pt__substrait_expression(d, s, m->expression, out));
        return take_parts(d, part, out);
    }
    PT_TRY(root_column(d, s, m, part, out));
    return take_parts(d, part->struct_field->child, out);
}
