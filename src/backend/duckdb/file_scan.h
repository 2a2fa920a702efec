/**
 * Scans of files, as the files of lowering share them.
 */
#ifndef PT_BACKEND_DUCKDB_FILE_SCAN_H
#define PT_BACKEND_DUCKDB_FILE_SCAN_H

#include "backend/duckdb/block.h"
#include "backend/duckdb/reader.h"

typedef struct pt__file_scan {
    const pt_plan_scan_files *node;
    pt__reader reader;
    const pt_type *data; /* columns in the files */
    uint32_t alias;
} pt__file_scan;

/* Text formats (file_scan_text.c): FROM item and data columns; partition columns are bound by the caller. */
pt_status pt__scan_csv(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err);
pt_status pt__scan_json(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err);
pt_status pt__scan_text(pt__lower *lower, pt__file_scan *scan, pt__block *out, pt_error *err);

#endif
