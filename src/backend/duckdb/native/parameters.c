/* Parameters: cells of Arrow arrays bound to a prepared statement, by position. */
#include "backend/duckdb/native/native.h"

#include <nanoarrow/nanoarrow.h>
#include <stdlib.h>
#include <string.h>

static duckdb_value decimal_value(const struct ArrowArrayView *view, const struct ArrowSchemaView *schema, int64_t row)
{
    struct ArrowDecimal decimal;
    ArrowDecimalInit(&decimal, schema->decimal_bitwidth, schema->decimal_precision, schema->decimal_scale);
    ArrowArrayViewGetDecimalUnsafe(view, row, &decimal);
    duckdb_decimal value = {.width = (uint8_t)schema->decimal_precision, .scale = (uint8_t)schema->decimal_scale};
    value.value.lower = decimal.words[0];
    value.value.upper = (int64_t)decimal.words[1];
    return duckdb_create_decimal(value);
}

static int64_t micros(int64_t value, enum ArrowTimeUnit unit)
{
    switch (unit) {
    case NANOARROW_TIME_UNIT_SECOND: return value * 1000000;
    case NANOARROW_TIME_UNIT_MILLI: return value * 1000;
    case NANOARROW_TIME_UNIT_NANO: return value / 1000;
    default: return value;
    }
}

static duckdb_value timestamp_value(int64_t value, const struct ArrowSchemaView *schema)
{
    if (schema->timezone != NULL && schema->timezone[0] != '\0')
        return duckdb_create_timestamp_tz((duckdb_timestamp){micros(value, schema->time_unit)});
    if (schema->time_unit == NANOARROW_TIME_UNIT_NANO)
        return duckdb_create_timestamp_ns((duckdb_timestamp_ns){value});
    return duckdb_create_timestamp((duckdb_timestamp){micros(value, schema->time_unit)});
}

static duckdb_value interval_value(const struct ArrowArrayView *view, const struct ArrowSchemaView *schema, int64_t row)
{
    struct ArrowInterval interval;
    ArrowIntervalInit(&interval, schema->type);
    ArrowArrayViewGetIntervalUnsafe(view, row, &interval);
    return duckdb_create_interval(
        (duckdb_interval){interval.months, interval.days, interval.ms * 1000 + interval.ns / 1000});
}

/* The type of a parameter's values, for those that are NULL. */
static duckdb_type type_of(const struct ArrowSchemaView *schema)
{
    switch (schema->type) {
    case NANOARROW_TYPE_BOOL: return DUCKDB_TYPE_BOOLEAN;
    case NANOARROW_TYPE_INT8: return DUCKDB_TYPE_TINYINT;
    case NANOARROW_TYPE_INT16: return DUCKDB_TYPE_SMALLINT;
    case NANOARROW_TYPE_INT32: return DUCKDB_TYPE_INTEGER;
    case NANOARROW_TYPE_INT64: return DUCKDB_TYPE_BIGINT;
    case NANOARROW_TYPE_UINT8: return DUCKDB_TYPE_UTINYINT;
    case NANOARROW_TYPE_UINT16: return DUCKDB_TYPE_USMALLINT;
    case NANOARROW_TYPE_UINT32: return DUCKDB_TYPE_UINTEGER;
    case NANOARROW_TYPE_UINT64: return DUCKDB_TYPE_UBIGINT;
    case NANOARROW_TYPE_HALF_FLOAT:
    case NANOARROW_TYPE_FLOAT: return DUCKDB_TYPE_FLOAT;
    case NANOARROW_TYPE_DOUBLE: return DUCKDB_TYPE_DOUBLE;
    case NANOARROW_TYPE_STRING:
    case NANOARROW_TYPE_LARGE_STRING:
    case NANOARROW_TYPE_STRING_VIEW: return DUCKDB_TYPE_VARCHAR;
    case NANOARROW_TYPE_BINARY:
    case NANOARROW_TYPE_LARGE_BINARY:
    case NANOARROW_TYPE_BINARY_VIEW:
    case NANOARROW_TYPE_FIXED_SIZE_BINARY: return DUCKDB_TYPE_BLOB;
    case NANOARROW_TYPE_DATE32:
    case NANOARROW_TYPE_DATE64: return DUCKDB_TYPE_DATE;
    case NANOARROW_TYPE_TIME32:
    case NANOARROW_TYPE_TIME64: return DUCKDB_TYPE_TIME;
    case NANOARROW_TYPE_TIMESTAMP:
        if (schema->timezone != NULL && schema->timezone[0] != '\0')
            return DUCKDB_TYPE_TIMESTAMP_TZ;
        return schema->time_unit == NANOARROW_TIME_UNIT_NANO ? DUCKDB_TYPE_TIMESTAMP_NS : DUCKDB_TYPE_TIMESTAMP;
    case NANOARROW_TYPE_INTERVAL_MONTHS:
    case NANOARROW_TYPE_INTERVAL_DAY_TIME:
    case NANOARROW_TYPE_INTERVAL_MONTH_DAY_NANO: return DUCKDB_TYPE_INTERVAL;
    default: return DUCKDB_TYPE_SQLNULL;
    }
}

/* A NULL with its type, so that every row of parameters gives the statement the same types: made as a list's child. */
static duckdb_value null_value(const struct ArrowSchemaView *schema)
{
    duckdb_value untyped = duckdb_create_null_value();
    duckdb_logical_type type =
        schema->type == NANOARROW_TYPE_DECIMAL128
            ? duckdb_create_decimal_type((uint8_t)schema->decimal_precision, (uint8_t)schema->decimal_scale)
            : duckdb_create_logical_type(type_of(schema));
    duckdb_value list = duckdb_create_list_value(type, &untyped, 1);
    duckdb_destroy_logical_type(&type);
    if (list == NULL)
        return untyped;
    duckdb_value typed = duckdb_get_list_child(list, 0);
    duckdb_destroy_value(&list);
    duckdb_destroy_value(&untyped);
    return typed;
}

/* NULL: a type that no parameter may have. */
static duckdb_value value_of(const struct ArrowArrayView *view, const struct ArrowSchemaView *schema, int64_t row)
{
    struct ArrowStringView text;
    struct ArrowBufferView bytes;
    if (schema->type == NANOARROW_TYPE_NA || ArrowArrayViewIsNull(view, row))
        return null_value(schema);
    switch (schema->type) {
    case NANOARROW_TYPE_BOOL: return duckdb_create_bool(ArrowArrayViewGetIntUnsafe(view, row) != 0);
    case NANOARROW_TYPE_INT8: return duckdb_create_int8((int8_t)ArrowArrayViewGetIntUnsafe(view, row));
    case NANOARROW_TYPE_INT16: return duckdb_create_int16((int16_t)ArrowArrayViewGetIntUnsafe(view, row));
    case NANOARROW_TYPE_INT32: return duckdb_create_int32((int32_t)ArrowArrayViewGetIntUnsafe(view, row));
    case NANOARROW_TYPE_INT64: return duckdb_create_int64(ArrowArrayViewGetIntUnsafe(view, row));
    case NANOARROW_TYPE_UINT8: return duckdb_create_uint8((uint8_t)ArrowArrayViewGetUIntUnsafe(view, row));
    case NANOARROW_TYPE_UINT16: return duckdb_create_uint16((uint16_t)ArrowArrayViewGetUIntUnsafe(view, row));
    case NANOARROW_TYPE_UINT32: return duckdb_create_uint32((uint32_t)ArrowArrayViewGetUIntUnsafe(view, row));
    case NANOARROW_TYPE_UINT64: return duckdb_create_uint64(ArrowArrayViewGetUIntUnsafe(view, row));
    case NANOARROW_TYPE_HALF_FLOAT:
    case NANOARROW_TYPE_FLOAT: return duckdb_create_float((float)ArrowArrayViewGetDoubleUnsafe(view, row));
    case NANOARROW_TYPE_DOUBLE: return duckdb_create_double(ArrowArrayViewGetDoubleUnsafe(view, row));
    case NANOARROW_TYPE_DECIMAL128: return decimal_value(view, schema, row);
    case NANOARROW_TYPE_STRING:
    case NANOARROW_TYPE_LARGE_STRING:
    case NANOARROW_TYPE_STRING_VIEW:
        text = ArrowArrayViewGetStringUnsafe(view, row);
        return duckdb_create_varchar_length(text.data, (idx_t)text.size_bytes);
    case NANOARROW_TYPE_BINARY:
    case NANOARROW_TYPE_LARGE_BINARY:
    case NANOARROW_TYPE_BINARY_VIEW:
    case NANOARROW_TYPE_FIXED_SIZE_BINARY:
        bytes = ArrowArrayViewGetBytesUnsafe(view, row);
        return duckdb_create_blob(bytes.data.as_uint8, (idx_t)bytes.size_bytes);
    case NANOARROW_TYPE_DATE32:
        return duckdb_create_date((duckdb_date){(int32_t)ArrowArrayViewGetIntUnsafe(view, row)});
    case NANOARROW_TYPE_DATE64:
        return duckdb_create_date((duckdb_date){(int32_t)(ArrowArrayViewGetIntUnsafe(view, row) / 86400000)});
    case NANOARROW_TYPE_TIME32:
    case NANOARROW_TYPE_TIME64:
        return duckdb_create_time((duckdb_time){micros(ArrowArrayViewGetIntUnsafe(view, row), schema->time_unit)});
    case NANOARROW_TYPE_TIMESTAMP: return timestamp_value(ArrowArrayViewGetIntUnsafe(view, row), schema);
    case NANOARROW_TYPE_INTERVAL_MONTHS:
    case NANOARROW_TYPE_INTERVAL_DAY_TIME:
    case NANOARROW_TYPE_INTERVAL_MONTH_DAY_NANO: return interval_value(view, schema, row);
    default: return NULL;
    }
}

static pt_status bind_cell(duckdb_prepared_statement prepared, idx_t position, const struct ArrowArrayView *view,
                           const struct ArrowSchema *schema, int64_t row, pt_error *err)
{
    struct ArrowSchemaView type;
    if (ArrowSchemaViewInit(&type, schema, NULL) != NANOARROW_OK)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "parameter %llu has no valid Arrow type",
                            (unsigned long long)position);
    duckdb_value value = value_of(view, &type, row);
    if (value == NULL)
        return pt_error_set(err, PT_UNSUPPORTED, "parameter %llu: values of the Arrow type %s cannot be bound",
                            (unsigned long long)position, ArrowTypeString(type.type));
    duckdb_state state = duckdb_bind_value(prepared, position, value);
    duckdb_destroy_value(&value);
    if (state == DuckDBSuccess)
        return PT_OK;
    const char *message = duckdb_prepare_error(prepared);
    return pt_error_set(err, PT_INVALID_ARGUMENT, "parameter %llu: %s", (unsigned long long)position,
                        message == NULL ? "the value cannot be bound" : message);
}

static pt_status bind_cells(duckdb_prepared_statement prepared, const struct ArrowSchema *schema,
                            const struct ArrowArrayView *row_view, int64_t row, pt_error *err)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        PT_TRY(bind_cell(prepared, (idx_t)i + 1, row_view->children[i], schema->children[i], row, err));
    return PT_OK;
}

pt_status pt__native_bind_row(duckdb_prepared_statement prepared, const struct ArrowSchema *schema,
                              const struct ArrowArray *batch, int64_t row, pt_error *err)
{
    idx_t wanted = duckdb_nparams(prepared);
    if ((idx_t)schema->n_children != wanted)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the statement has %llu parameters, and %lld values came",
                            (unsigned long long)wanted, (long long)schema->n_children);
    struct ArrowArrayView view;
    struct ArrowError message = {0};
    pt_status status = PT_OK;
    if (ArrowArrayViewInitFromSchema(&view, schema, &message) != NANOARROW_OK)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "parameters: %s", message.message);
    if (ArrowArrayViewSetArray(&view, batch, &message) != NANOARROW_OK)
        status = pt_error_set(err, PT_INVALID_ARGUMENT, "parameters: %s", message.message);
    if (status == PT_OK)
        status = bind_cells(prepared, schema, &view, batch->offset + row, err);
    ArrowArrayViewReset(&view);
    return status;
}
