/**
 * A backend for tests: queries say what to do.
 *
 * Encoded queries of format "test" are "rows BATCHES ROWS_PER_BATCH", "strings BATCHES ROWS BYTES", "hang", "fail" or
 * "hang-in-execute". Plans of kind RANGE give their numbers in batches of 1000.
 */
#ifndef PT_EXEC_TEST_BACKEND_H
#define PT_EXEC_TEST_BACKEND_H

#include <portico/backend.h>

#include <stdatomic.h>

extern const pt_backend_vtable pt__test_backend;

/** Counts what is alive, over all test backends: to be 0 at the end of a test. */
extern atomic_int pt__test_backend_arrays;
extern atomic_int pt__test_backend_operations;
extern atomic_int pt__test_backend_sessions;

/** Batches pulled so far, over all. */
extern atomic_int pt__test_backend_pulled;
/** Of "write" operations that began. */
extern atomic_int pt__test_backend_writes;
/** Shut: operations "gate" and "write" wait. */
extern atomic_bool pt__test_backend_gate;
/** What the backend says of writes whose node has died. */
extern atomic_bool pt__test_backend_committed;

#endif
