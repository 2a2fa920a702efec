#include "backend/duckdb/engine_type.h"

#include "base/condition.h"

/* Unsigned numbers get the next larger type, as Spark reads them from Parquet. */
static const pt_type *simple_type(duckdb_type id)
{
    switch (id) {
    case DUCKDB_TYPE_BOOLEAN: return PT_T(BOOLEAN);
    case DUCKDB_TYPE_TINYINT: return PT_T(BYTE);
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_SMALLINT: return PT_T(SHORT);
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_INTEGER: return PT_T(INT);
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_BIGINT: return PT_T(LONG);
    case DUCKDB_TYPE_FLOAT: return PT_T(FLOAT);
    case DUCKDB_TYPE_DOUBLE: return PT_T(DOUBLE);
    case DUCKDB_TYPE_ENUM:
    case DUCKDB_TYPE_VARCHAR: return PT_T(STRING);
    case DUCKDB_TYPE_BLOB: return PT_T(BINARY);
    case DUCKDB_TYPE_DATE: return PT_T(DATE);
    case DUCKDB_TYPE_TIMESTAMP_TZ: return PT_T(TIMESTAMP);
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP: return PT_T(TIMESTAMP_NTZ);
    case DUCKDB_TYPE_SQLNULL: return PT_T(VOID);
    default: return NULL;
    }
}

static const char *illegal_name(duckdb_type id)
{
    switch (id) {
    case DUCKDB_TYPE_UUID: return "FIXED_LEN_BYTE_ARRAY (UUID)";
    case DUCKDB_TYPE_INTERVAL: return "FIXED_LEN_BYTE_ARRAY (INTERVAL)";
    case DUCKDB_TYPE_TIMESTAMP_NS: return "INT64 (TIMESTAMP(NANOS,false))";
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS: return "INT64 (TIME(MICROS,false))";
    case DUCKDB_TYPE_TIME_TZ: return "INT64 (TIME(MICROS,true))";
    case DUCKDB_TYPE_BIT: return "BIT";
    case DUCKDB_TYPE_UNION: return "UNION";
    default: return "a type that is not known here";
    }
}

static pt_status child_type(pt__arena *arena, duckdb_logical_type child, const char *column, const pt_type **out,
                            pt_error *err)
{
    pt_status status = pt__engine_type(arena, child, column, out, err);
    duckdb_destroy_logical_type(&child);
    return status;
}

static pt_status list_type(pt__arena *arena, duckdb_logical_type child, const char *column, const pt_type **out,
                           pt_error *err)
{
    const pt_type *element;
    PT_TRY(child_type(arena, child, column, &element, err));
    *out = pt__type_array(arena, element, true);
    return PT_OK;
}

static pt_status map_type(pt__arena *arena, duckdb_logical_type type, const char *column, const pt_type **out,
                          pt_error *err)
{
    const pt_type *key;
    const pt_type *value;
    PT_TRY(child_type(arena, duckdb_map_type_key_type(type), column, &key, err));
    PT_TRY(child_type(arena, duckdb_map_type_value_type(type), column, &value, err));
    *out = pt__type_map(arena, key, value, true);
    return PT_OK;
}

static pt_status struct_type(pt__arena *arena, duckdb_logical_type type, const char *column, const pt_type **out,
                             pt_error *err)
{
    idx_t count = duckdb_struct_type_child_count(type);
    pt_field *fields = pt__arena_array(arena, pt_field, count + 1);
    for (idx_t i = 0; i < count; i++) {
        char *name = duckdb_struct_type_child_name(type, i);
        fields[i].name = pt__arena_copy_string(arena, name);
        fields[i].nullable = true;
        duckdb_free(name);
        PT_TRY(child_type(arena, duckdb_struct_type_child_type(type, i), column, &fields[i].type, err));
    }
    *out = pt__type_struct(arena, fields, count);
    return PT_OK;
}

pt_status pt__engine_type(pt__arena *arena, duckdb_logical_type type, const char *column, const pt_type **out,
                          pt_error *err)
{
    duckdb_type id = duckdb_get_type_id(type);
    *out = simple_type(id);
    if (*out != NULL)
        return PT_OK;
    switch (id) {
    case DUCKDB_TYPE_DECIMAL:
        *out = pt__type_decimal(arena, duckdb_decimal_width(type), duckdb_decimal_scale(type));
        return PT_OK;
    case DUCKDB_TYPE_UBIGINT: *out = pt__type_decimal(arena, 20, 0); return PT_OK;
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT: *out = pt__type_decimal(arena, 38, 0); return PT_OK;
    case DUCKDB_TYPE_LIST: return list_type(arena, duckdb_list_type_child_type(type), column, out, err);
    case DUCKDB_TYPE_ARRAY: return list_type(arena, duckdb_array_type_child_type(type), column, out, err);
    case DUCKDB_TYPE_MAP: return map_type(arena, type, column, out, err);
    case DUCKDB_TYPE_STRUCT: return struct_type(arena, type, column, out, err);
    default: break;
    }
    return pt__raise(err, PT_COND_PARQUET_TYPE_ILLEGAL, "parquetType", illegal_name(id), "columnName", column, NULL);
}
