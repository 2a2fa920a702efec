/* Relations that write, create and drop. */
#include "decode/substrait/internal.h"

#define OP(name) SUBSTRAIT__WRITE_REL__WRITE_OP__WRITE_OP_##name
#define MODE(name) SUBSTRAIT__WRITE_REL__CREATE_MODE__CREATE_MODE_##name
#define DDL(name) SUBSTRAIT__DDL_REL__DDL_OP__DDL_OP_##name

static pt_status object_name(decoder *d, const Substrait__NamedObjectWrite *m, pt_name *out)
{
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "write"));
    if (m->n_names == 0)
        return pt__substrait_bad(d, "an object to be written has no name");
    *out = (pt_name){(const char *const *)m->names, m->n_names};
    return PT_OK;
}

/* The rows to be written, their columns called as the table's. */
static pt_status written_rows(decoder *d, const Substrait__WriteRel *m, relation_of *out)
{
    const pt_type *schema;
    PT_TRY(pt__substrait_relation_in(d, NULL, m->input, out));
    PT_TRY(pt__substrait_named_struct(d, m->table_schema, &schema));
    if (schema->field_count == 0)
        return PT_OK;
    return pt__substrait_root_names(d, m->table_schema->names, m->table_schema->n_names, out);
}

static pt_status decode_insert(decoder *d, const Substrait__WriteRel *m, const pt_plan **out)
{
    relation_of rows;
    pt_plan_insert *node = pt__plan_make(d->arena, INSERT, insert, NULL);
    PT_TRY(object_name(d, m->named_table, &node->table));
    PT_TRY(written_rows(d, m, &rows));
    node->query = rows.plan;
    *out = &node->base;
    return PT_OK;
}

static pt_status create_mode(decoder *d, const Substrait__WriteRel *m, pt_plan_create_table *node)
{
    switch ((int)m->create_mode) {
    case MODE(UNSPECIFIED):
    case MODE(ERROR_IF_EXISTS): return PT_OK;
    case MODE(IGNORE_IF_EXISTS): node->if_not_exists = true; return PT_OK;
    case MODE(REPLACE_IF_EXISTS): node->mode = PT_CREATE_OR_REPLACE; return PT_OK;
    default:
        return pt__substrait_unsupported(
            d, "the Substrait create mode %s",
            pt__substrait_enum_name(d, &substrait__write_rel__create_mode__descriptor, (int)m->create_mode));
    }
}

static pt_status decode_create_as(decoder *d, const Substrait__WriteRel *m, const pt_plan **out)
{
    relation_of rows;
    pt_plan_create_table *node = pt__plan_make(d->arena, CREATE_TABLE, create_table, NULL);
    PT_TRY(object_name(d, m->named_table, &node->name));
    PT_TRY(create_mode(d, m, node));
    PT_TRY(written_rows(d, m, &rows));
    node->query = rows.plan;
    *out = &node->base;
    return PT_OK;
}

pt_status pt__substrait_write(decoder *d, const Substrait__WriteRel *m, const pt_plan **out)
{
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "write"));
    if (m->write_type_case != SUBSTRAIT__WRITE_REL__WRITE_TYPE_NAMED_TABLE)
        return pt__substrait_unknown_kind(d, &m->base, m->write_type_case);
    if (m->output == SUBSTRAIT__WRITE_REL__OUTPUT_MODE__OUTPUT_MODE_MODIFIED_RECORDS)
        return pt__substrait_unsupported(d, "Substrait writes that give back the records");
    switch ((int)m->op) {
    case OP(INSERT): return decode_insert(d, m, out);
    case OP(CTAS): return decode_create_as(d, m, out);
    default:
        return pt__substrait_unsupported(
            d, "the Substrait write operation %s",
            pt__substrait_enum_name(d, &substrait__write_rel__write_op__descriptor, (int)m->op));
    }
}

/* ---- ddl ---- */

/* Columns of tables may be char and varchar, fields below them may not. */
static const pt_type *table_schema(decoder *d, const pt_type *schema)
{
    pt_field *fields = pt__arena_array(d->arena, pt_field, schema->field_count + 1);
    for (size_t i = 0; i < schema->field_count; i++) {
        const pt_type *type = schema->fields[i].type;
        bool has_length = type->id == PT_TYPE_CHAR || type->id == PT_TYPE_VARCHAR;
        fields[i] = schema->fields[i];
        fields[i].type = has_length ? type : pt__substrait_plain(d, type);
    }
    return pt__type_struct(d->arena, fields, schema->field_count);
}

static pt_status decode_create(decoder *d, const Substrait__DdlRel *m, const pt_plan **out)
{
    const pt_type *schema;
    if (m->object != SUBSTRAIT__DDL_REL__DDL_OBJECT__DDL_OBJECT_TABLE)
        return pt__substrait_unsupported(d, "creating views by Substrait");
    if (m->table_defaults != NULL && m->table_defaults->n_fields != 0)
        return pt__substrait_unsupported(d, "Substrait's table defaults");
    pt_plan_create_table *node = pt__plan_make(d->arena, CREATE_TABLE, create_table, NULL);
    PT_TRY(object_name(d, m->named_object, &node->name));
    PT_TRY(pt__substrait_named_struct(d, m->table_schema, &schema));
    node->schema = table_schema(d, schema);
    node->mode = m->op == DDL(CREATE_OR_REPLACE) ? PT_CREATE_OR_REPLACE : PT_CREATE;
    *out = &node->base;
    return PT_OK;
}

static pt_status decode_drop(decoder *d, const Substrait__DdlRel *m, const pt_plan **out)
{
    bool is_view = m->object == SUBSTRAIT__DDL_REL__DDL_OBJECT__DDL_OBJECT_VIEW;
    if (!is_view && m->object != SUBSTRAIT__DDL_REL__DDL_OBJECT__DDL_OBJECT_TABLE)
        return pt__substrait_unsupported(d, "the Substrait ddl object %d", (int)m->object);
    pt_plan_drop *node = pt__plan_make(d->arena, DROP, drop, NULL);
    PT_TRY(object_name(d, m->named_object, &node->name));
    node->object_kind = is_view ? PT_OBJECT_VIEW : PT_OBJECT_TABLE;
    node->if_exists = m->op == DDL(DROP_IF_EXIST);
    *out = &node->base;
    return PT_OK;
}

pt_status pt__substrait_ddl(decoder *d, const Substrait__DdlRel *m, const pt_plan **out)
{
    PT_TRY(pt__substrait_check_extension(d, m->advanced_extension, "ddl"));
    if (m->write_type_case != SUBSTRAIT__DDL_REL__WRITE_TYPE_NAMED_OBJECT)
        return pt__substrait_unknown_kind(d, &m->base, m->write_type_case);
    switch ((int)m->op) {
    case DDL(CREATE):
    case DDL(CREATE_OR_REPLACE): return decode_create(d, m, out);
    case DDL(DROP):
    case DDL(DROP_IF_EXIST): return decode_drop(d, m, out);
    default:
        return pt__substrait_unsupported(
            d, "the Substrait ddl operation %s",
            pt__substrait_enum_name(d, &substrait__ddl_rel__ddl_op__descriptor, (int)m->op));
    }
}
