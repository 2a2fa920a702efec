/* Which types of DuckDB can be appended to columns of which types of plans. */
#include "backend/duckdb/batch.h"

static duckdb_type engine_id(const pt_type *type)
{
    switch (type->id) {
    case PT_TYPE_VOID: return DUCKDB_TYPE_INTEGER;
    case PT_TYPE_BOOLEAN: return DUCKDB_TYPE_BOOLEAN;
    case PT_TYPE_BYTE: return DUCKDB_TYPE_TINYINT;
    case PT_TYPE_SHORT: return DUCKDB_TYPE_SMALLINT;
    case PT_TYPE_INT:
    case PT_TYPE_INTERVAL_YEAR_MONTH: return DUCKDB_TYPE_INTEGER;
    case PT_TYPE_LONG:
    case PT_TYPE_INTERVAL_DAY_TIME: return DUCKDB_TYPE_BIGINT;
    case PT_TYPE_FLOAT: return DUCKDB_TYPE_FLOAT;
    case PT_TYPE_DOUBLE: return DUCKDB_TYPE_DOUBLE;
    case PT_TYPE_DECIMAL: return DUCKDB_TYPE_DECIMAL;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: return DUCKDB_TYPE_VARCHAR;
    case PT_TYPE_BINARY: return DUCKDB_TYPE_BLOB;
    case PT_TYPE_DATE: return DUCKDB_TYPE_DATE;
    case PT_TYPE_TIME: return DUCKDB_TYPE_TIME;
    case PT_TYPE_TIMESTAMP: return DUCKDB_TYPE_TIMESTAMP_TZ;
    case PT_TYPE_TIMESTAMP_NTZ: return DUCKDB_TYPE_TIMESTAMP;
    case PT_TYPE_INTERVAL_CALENDAR: return DUCKDB_TYPE_INTERVAL;
    case PT_TYPE_ARRAY: return DUCKDB_TYPE_LIST;
    case PT_TYPE_MAP: return DUCKDB_TYPE_MAP;
    case PT_TYPE_STRUCT:
    case PT_TYPE_VARIANT: return DUCKDB_TYPE_STRUCT;
    case PT_TYPE_UDT: return engine_id(type->element);
    case PT_TYPE_COUNT: break;
    }
    return DUCKDB_TYPE_INVALID;
}

static bool child_fits(const pt_type *type, duckdb_logical_type child)
{
    bool fits = pt__batch_type_fits(type, child);
    duckdb_destroy_logical_type(&child);
    return fits;
}

static bool fields_fit(const pt_type *type, duckdb_logical_type engine_type)
{
    idx_t wanted = type->id == PT_TYPE_VARIANT ? 2 : type->field_count == 0 ? 1 : type->field_count;
    if (duckdb_struct_type_child_count(engine_type) != wanted)
        return false;
    for (size_t i = 0; i < type->field_count; i++) {
        if (!child_fits(type->fields[i].type, duckdb_struct_type_child_type(engine_type, i)))
            return false;
    }
    return true;
}

bool pt__batch_type_fits(const pt_type *type, duckdb_logical_type engine_type)
{
    if (type->id == PT_TYPE_VOID)
        return true;
    if (duckdb_get_type_id(engine_type) != engine_id(type))
        return false;
    switch (type->id) {
    case PT_TYPE_DECIMAL:
        return duckdb_decimal_scale(engine_type) == type->scale && duckdb_decimal_width(engine_type) == type->precision;
    case PT_TYPE_UDT: return pt__batch_type_fits(type->element, engine_type);
    case PT_TYPE_ARRAY: return child_fits(type->element, duckdb_list_type_child_type(engine_type));
    case PT_TYPE_MAP:
        return child_fits(type->key, duckdb_map_type_key_type(engine_type)) &&
               child_fits(type->element, duckdb_map_type_value_type(engine_type));
    case PT_TYPE_STRUCT:
    case PT_TYPE_VARIANT: return fields_fit(type, engine_type);
    default: return true;
    }
}
