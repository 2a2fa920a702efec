/**
 * Harvest, inside: what the text (harvest_text.c), its binding (harvest_bind.c), the functions in the pipeline
 * (harvest_function.c, harvest_pack.c), the reader (harvest.c) and what it learns (harvest_many.c) share.
 */
#ifndef PT_BACKEND_DUCKDB_HARVEST_INSIDE_H
#define PT_BACKEND_DUCKDB_HARVEST_INSIDE_H

#include "backend/duckdb/harvest.h"

#define PT_HARVEST_FUNCTION "portico_harvest"
#define PT_HARVEST_PACK_FUNCTION "portico_pack"

enum { PT_HARVEST_ROW_BITS = 24 }; /* of a handle; above them is the number of the part */

typedef struct pt__producer pt__producer;

/** Rows of one thread, a batch in the end. Shared by counting references. */
typedef struct pt__part {
    atomic_size_t references;
    struct pt__part *next; /* of the harvest, which has a reference */
    uint64_t number;
    pt__producer *producer; /* a reference */
    bool is_sealed;         /* takes no more rows, and `array` is there; guarded by the producer's lock */
    uint64_t row_count;     /* once sealed */
    uint64_t given;         /* rows that the reader has handed out; the reader's */
    struct ArrowArray array;
} pt__part;

/** A thread of the pipeline, to the function. Shared by counting references. */
struct pt__producer {
    atomic_size_t references;
    pt__harvest *harvest; /* a reference */
    pthread_mutex_t lock; /* guards these two */
    pt__batch batch;
    pt__part *part; /* that `batch` fills; NULL: the next row opens one. The harvest's list has the reference */
    /* Guarded by the harvest's lock: */
    uint64_t produced; /* chunks */
    uint64_t fetched;  /* of them */
    pthread_t thread;  /* that it ran on last */
    bool has_ended;
};

/** What the reader has of the chunk of handles at hand, and the rows it is going to give out together. */
typedef struct pt__harvest_reader {
    duckdb_data_chunk chunk;
    idx_t chunk_row;
    pt__part *part; /* NULL: none; the harvest's list has the reference */
    uint64_t first, end;
    pt__producer *last; /* of the last chunk: a reference */
    uint64_t fetches;
    bool is_at_end;
} pt__harvest_reader;

/** What has been packed of a column. */
typedef struct pt__packed_column {
    atomic_size_t values;      /* of rows or of dictionaries, in this execution */
    atomic_uint longest_bytes; /* no text is longer, of any execution: dictionaries may outlive one */
} pt__packed_column;

struct pt__harvest {
    atomic_size_t references;
    pt__harvest *next; /* of the database, under its lock */
    pt__duckdb *database;
    uint64_t key;
    uint64_t text_hash;
    pt__harvest *plain;         /* a reference: whose columns these are, now for many rows; NULL: they are its own */
    pt__column_set packed;      /* columns that come so, if they can be */
    bool is_serial;             /* one pipeline makes the rows, on one thread at a time */
    pt__packed_column *packing; /* of each column; NULL if `plain` is */
    pthread_mutex_t lock;
    pthread_cond_t produced;     /* what the reader waits for */
    const pt__producer *awaited; /* NULL: it does not wait */
    uint64_t awaited_chunks;     /* of this producer */
    bool is_closed;
    bool is_outdated;
    atomic_bool is_binding; /* its text is being bound, by: */
    pthread_t binder;
    bool is_bound_anew; /* with its first call, for which these are 0 again: */
    size_t rows_bound;  /* calls of portico_harvest(), so far */
    size_t packs_bound; /* and of portico_pack() */
    atomic_bool is_discarding;
    pt__part *parts;
    uint64_t part_count; /* so far */
    duckdb_logical_type *types;
    char **names;
    size_t column_count;
    struct ArrowSchema schema;
    pt__batch_limits limits;
    pt__harvest_reader reader;
    uint64_t rows_given;     /* in this execution */
    uint64_t first_batch_ms; /* when it came; 0: not yet */
    uint64_t slow_ms; /* for which the reader has waited for batches that took longer than the helper is patient */
};

/** The one whose text this thread binds, a reference; NULL: none. */
pt__harvest *pt__harvest_being_bound(pt__duckdb *database);
/** Whether it is this thread that binds its text. */
bool pt__harvest_is_bound_here(pt__harvest *harvest);
/** The value of an argument, the caller's to destroy; false when it is not constant. */
bool pt__harvest_bind_constant(duckdb_bind_info info, idx_t index, duckdb_value *out);
/** The type of an argument, the caller's to destroy. */
duckdb_logical_type pt__harvest_bind_type(duckdb_bind_info info, idx_t index);
/** What the function's call is about from now on. */
void pt__harvest_bind_to(duckdb_bind_info info, pt__harvest *take_harvest);

pt__harvest *pt__harvest_ref(pt__harvest *harvest);
void pt__harvest_unref(pt__harvest *harvest);

/** As pt__harvest_new. */
pt__harvest *pt__harvest_new_of(pt__duckdb *database, uint64_t text_hash);

/** Around an execution (harvest_many.c): before it, for rows and a batch that were given, and once all were. */
void pt__harvest_begin_learning(pt__harvest *harvest);
void pt__harvest_count_rows(pt__harvest *harvest, uint64_t count);
void pt__harvest_note_batch(pt__harvest *harvest, uint64_t since_ms);
void pt__harvest_learn(pt__harvest *harvest);

/**
 * Reads the columns off the type of whole rows; false when rows of such columns are not harvested so, or, when columns were
 * read before, if they are others.
 */
bool pt__harvest_read_columns(pt__harvest *harvest, duckdb_logical_type rows);
/** How many columns of the set can be packed. */
size_t pt__harvest_count_packable(const pt__harvest *harvest, const pt__column_set *set);
/** Whether the column comes packed. */
bool pt__harvest_is_packed(const pt__harvest *harvest, size_t column);
/** Counts a call that packs the column; false if it does not come packed, or if it is of another type. */
bool pt__harvest_count_pack(pt__harvest *harvest, size_t column, duckdb_logical_type type);
/** Values of the column have been packed, of rows or of a dictionary, which are no longer than that. From any thread. */
void pt__harvest_note_packed(pt__harvest *harvest, size_t column, size_t values, uint32_t longest_bytes);
/**
 * Whether it is our own words alone that were bound, and rows may come. DuckDB binds them behind the query, and may evaluate
 * calls in it meanwhile: these were no more than counted.
 */
bool pt__harvest_is_ours(pt__harvest *harvest);
void pt__harvest_free_columns(pt__harvest *harvest);

void pt__part_unref(pt__part *part);
/** `count` rows of a sealed part from `first` on, which refer to its memory; false when memory is exhausted. */
bool pt__part_slice(pt__part *part, uint64_t first, uint64_t count, struct ArrowArray *out);

/** One of our functions, of a constant and of anything. */
typedef struct pt__harvest_function {
    const char *name;
    duckdb_type constant;
    duckdb_type result;
    bool is_volatile;
    duckdb_scalar_function_bind_t bind;
    duckdb_scalar_function_init_t init; /* NULL: it has no state */
    duckdb_scalar_function_t run;
} pt__harvest_function;

/** portico_pack(). */
extern const pt__harvest_function pt__harvest_pack_function;

/** NULL when memory is exhausted. */
pt__producer *pt__producer_new(pt__harvest *harvest);
pt__producer *pt__producer_ref(pt__producer *producer);
void pt__producer_unref(pt__producer *producer);
/** No rows come any more. */
void pt__producer_end(pt__producer *producer);
/** Appends `count` rows of a struct vector and writes their handles; false when memory is exhausted or nobody wants them. */
bool pt__producer_append(pt__producer *producer, duckdb_vector rows, idx_t count, int64_t *handles);
/** Makes the part's rows so far a batch; false when memory is exhausted. */
bool pt__producer_seal(pt__producer *producer, pt__part *part);

#endif
