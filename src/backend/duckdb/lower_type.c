#include "backend/duckdb/lower.h"

#include <string.h>
#include <strings.h>

static const char *simple_name(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_VOID: return "INTEGER"; /* all NULL; that it is void is known outside */
    case PT_TYPE_BOOLEAN: return "BOOLEAN";
    case PT_TYPE_BYTE: return "TINYINT";
    case PT_TYPE_SHORT: return "SMALLINT";
    case PT_TYPE_INT: return "INTEGER";
    case PT_TYPE_LONG: return "BIGINT";
    case PT_TYPE_FLOAT: return "FLOAT";
    case PT_TYPE_DOUBLE: return "DOUBLE";
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return "VARCHAR";
    case PT_TYPE_BINARY: return "BLOB";
    case PT_TYPE_DATE: return "DATE";
    case PT_TYPE_TIME: return "TIME";
    case PT_TYPE_TIMESTAMP: return "TIMESTAMPTZ";
    case PT_TYPE_TIMESTAMP_NTZ: return "TIMESTAMP";
    case PT_TYPE_INTERVAL_YEAR_MONTH: return "INTEGER";
    case PT_TYPE_INTERVAL_DAY_TIME: return "BIGINT";
    case PT_TYPE_INTERVAL_CALENDAR: return "INTERVAL";
    case PT_TYPE_VARIANT: return "STRUCT(\"value\" BLOB, metadata BLOB)";
    case PT_TYPE_DECIMAL:
    case PT_TYPE_ARRAY:
    case PT_TYPE_MAP:
    case PT_TYPE_STRUCT:
    case PT_TYPE_UDT:
    case PT_TYPE_COUNT: break;
    }
    return NULL;
}

/* Whether DuckDB, which ignores case in names, can tell the fields apart. */
static bool names_are_distinct(const pt_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].name[0] == '\0')
            return false;
        for (size_t k = 0; k < i; k++) {
            if (strcasecmp(type->fields[i].name, type->fields[k].name) == 0)
                return false;
        }
    }
    return true;
}

const char *pt__field_name(pt__arena *arena, const pt_type *type, size_t ordinal)
{
    if (type->id == PT_TYPE_UDT)
        type = type->element;
    if (names_are_distinct(type))
        return type->fields[ordinal].name;
    return pt__arena_printf(arena, "f%zu", ordinal);
}

void pt__put_field_name(pt__lower *lower, const pt_type *type, size_t ordinal)
{
    pt__put_identifier(lower, pt__field_name(lower->arena, type, ordinal));
}

static void put_struct(pt__lower *lower, const pt_type *type)
{
    /* DuckDB has no struct without fields. */
    pt__put(lower, type->field_count == 0 ? "STRUCT(f0 INTEGER" : "STRUCT(");
    for (size_t i = 0; i < type->field_count; i++) {
        pt__put(lower, i == 0 ? "" : ", ");
        pt__put_field_name(lower, type, i);
        pt__put(lower, " ");
        pt__put_type(lower, type->fields[i].type);
    }
    pt__put(lower, ")");
}

void pt__put_type(pt__lower *lower, const pt_type *type)
{
    const char *name = simple_name(type);
    if (name != NULL) {
        pt__put(lower, name);
    } else if (type->id == PT_TYPE_DECIMAL) {
        pt__putf(lower, "DECIMAL(%d,%d)", type->precision, type->scale);
    } else if (type->id == PT_TYPE_ARRAY) {
        pt__put_type(lower, type->element);
        pt__put(lower, "[]");
    } else if (type->id == PT_TYPE_MAP) {
        pt__put(lower, "MAP(");
        pt__put_type(lower, type->key);
        pt__put(lower, ", ");
        pt__put_type(lower, type->element);
        pt__put(lower, ")");
    } else if (type->id == PT_TYPE_UDT) {
        pt__put_type(lower, type->element);
    } else {
        put_struct(lower, type);
    }
}
