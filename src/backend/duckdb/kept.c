#include "backend/duckdb/engine.h"

const char *pt__kept_table(const void *handle)
{
    return handle;
}
