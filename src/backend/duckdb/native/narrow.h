/**
 * Narrowing: decimals come in 128 bits, and DuckDB keeps those of up to 18 digits in 64 or fewer, which it would make of
 * them one by one. Made here, and described as decimals of so many bits, they are taken as they are.
 *
 * Threads: any.
 * Spec:    Arrow C data interface, format strings d:P,S and d:P,S,BITS.
 */
#ifndef PT_BACKEND_DUCKDB_NATIVE_NARROW_H
#define PT_BACKEND_DUCKDB_NATIVE_NARROW_H

#include <nanoarrow/nanoarrow.h>
#include <portico/error.h>

/** Changes the format of a column that can be narrowed, and returns its bits; 0: it stays as it is. */
int pt__narrow_schema(struct ArrowSchema *column);

/**
 * The values of an array with the former format, as many as its offset and length; `*out` is to be freed. Errors:
 * PT_INVALID_ARGUMENT, when one does not fit into so many bits; PT_NO_MEMORY.
 */
pt_status pt__narrow_values(const struct ArrowArray *array, int bits, void **out, pt_error *err);

#endif
