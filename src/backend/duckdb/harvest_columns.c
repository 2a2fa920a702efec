/* The columns of a harvested query. */
#include "backend/duckdb/batch_packed.h"
#include "backend/duckdb/harvest_inside.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- types that are the same ---- */

static bool same_type(duckdb_logical_type one, duckdb_logical_type other);

static bool same_text(char *take_one, char *take_other)
{
    bool same = take_one == NULL || take_other == NULL ? take_one == take_other : strcmp(take_one, take_other) == 0;
    duckdb_free(take_one);
    duckdb_free(take_other);
    return same;
}

static bool same_children(duckdb_logical_type one, duckdb_logical_type other, idx_t count)
{
    bool same = true;
    for (idx_t i = 0; same && i < count; i++) {
        duckdb_logical_type a = pt__batch_child_type(one, (int64_t)i);
        duckdb_logical_type b = pt__batch_child_type(other, (int64_t)i);
        same = same_type(a, b);
        duckdb_destroy_logical_type(&a);
        duckdb_destroy_logical_type(&b);
    }
    return same;
}

static bool same_members(duckdb_logical_type one, duckdb_logical_type other)
{
    idx_t count = duckdb_struct_type_child_count(one);
    bool same = count == duckdb_struct_type_child_count(other);
    for (idx_t i = 0; same && i < count; i++)
        same = same_text(duckdb_struct_type_child_name(one, i), duckdb_struct_type_child_name(other, i));
    return same && same_children(one, other, count);
}

static bool same_words(duckdb_logical_type one, duckdb_logical_type other)
{
    uint32_t count = duckdb_enum_dictionary_size(one);
    bool same = count == duckdb_enum_dictionary_size(other);
    for (uint32_t i = 0; same && i < count; i++)
        same = same_text(duckdb_enum_dictionary_value(one, i), duckdb_enum_dictionary_value(other, i));
    return same;
}

static bool same_type(duckdb_logical_type one, duckdb_logical_type other)
{
    duckdb_type id = duckdb_get_type_id(one);
    if (id != duckdb_get_type_id(other) ||
        !same_text(duckdb_logical_type_get_alias(one), duckdb_logical_type_get_alias(other)))
        return false;
    switch (id) {
    case DUCKDB_TYPE_DECIMAL:
        return duckdb_decimal_width(one) == duckdb_decimal_width(other) &&
               duckdb_decimal_scale(one) == duckdb_decimal_scale(other);
    case DUCKDB_TYPE_ENUM: return same_words(one, other);
    case DUCKDB_TYPE_LIST: return same_children(one, other, 1);
    case DUCKDB_TYPE_ARRAY:
        return duckdb_array_type_array_size(one) == duckdb_array_type_array_size(other) && same_children(one, other, 1);
    case DUCKDB_TYPE_MAP: return same_children(one, other, 2);
    case DUCKDB_TYPE_STRUCT: return same_members(one, other);
    default: return true;
    }
}

/* ---- columns ---- */

static void free_columns(duckdb_logical_type *types, char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (types != NULL && types[i] != NULL)
            duckdb_destroy_logical_type(&types[i]);
        if (names != NULL)
            duckdb_free(names[i]);
    }
    free(types);
    free(names);
}

/* DuckDB makes a, a_1 … of a subquery's columns that are all called a: such a name may not be the query's own. */
static bool may_be_renamed(char *const *names, size_t count, size_t index)
{
    const char *name = names[index];
    const char *mark = strrchr(name, '_');
    if (mark == NULL || mark[1] == '\0' || strspn(mark + 1, "0123456789") != strlen(mark + 1))
        return false;
    size_t size = (size_t)(mark - name);
    for (size_t i = 0; i < count; i++)
        if (i != index && strlen(names[i]) == size && strncasecmp(names[i], name, size) == 0)
            return true;
    return false;
}

/* A column of NULL alone has another type at the top of a query than in the midst. */
static bool is_as_outside(const duckdb_logical_type *types, char *const *names, size_t count)
{
    bool is = true;
    for (size_t i = 0; is && i < count; i++)
        is = duckdb_get_type_id(types[i]) != DUCKDB_TYPE_SQLNULL &&
             duckdb_get_type_id(types[i]) != DUCKDB_TYPE_INVALID && !may_be_renamed(names, count, i);
    return is;
}

/* ---- packed columns ---- */

static bool may_be_packed(const pt__harvest *harvest, size_t column, const pt__column_set *set)
{
    return pt__column_set_has(set, column) && pt__can_pack(harvest->types[column]);
}

size_t pt__harvest_count_packable(const pt__harvest *harvest, const pt__column_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < harvest->column_count; i++)
        count += may_be_packed(harvest, i, set) ? 1 : 0;
    return count;
}

bool pt__harvest_is_packed(const pt__harvest *harvest, size_t column)
{
    return harvest->plain != NULL && may_be_packed(harvest, column, &harvest->packed);
}

void pt__harvest_note_packed(pt__harvest *harvest, size_t column, size_t values, uint32_t longest_bytes)
{
    pt__packed_column *packed = &harvest->packing[column];
    atomic_fetch_add(&packed->values, values);
    unsigned longest = atomic_load(&packed->longest_bytes);
    while (longest < longest_bytes && !atomic_compare_exchange_weak(&packed->longest_bytes, &longest, longest_bytes))
        ;
}

/* With the lock held: a call of ours is being bound. */
static void count(pt__harvest *harvest, size_t rows, size_t packs)
{
    if (harvest->is_bound_anew)
        harvest->rows_bound = harvest->packs_bound = 0;
    harvest->is_bound_anew = false;
    harvest->rows_bound += rows;
    harvest->packs_bound += packs;
}

bool pt__harvest_count_pack(pt__harvest *harvest, size_t column, duckdb_logical_type type)
{
    pthread_mutex_lock(&harvest->lock);
    count(harvest, 0, 1);
    bool is_right = column < harvest->column_count && pt__harvest_is_packed(harvest, column) &&
                    same_type(harvest->types[column], type);
    pthread_mutex_unlock(&harvest->lock);
    return is_right;
}

static bool is_ours(const pt__harvest *harvest)
{
    size_t packs = harvest->plain == NULL ? 0 : pt__harvest_count_packable(harvest, &harvest->packed);
    return harvest->rows_bound == 1 && harvest->packs_bound == packs;
}

bool pt__harvest_is_ours(pt__harvest *harvest)
{
    pthread_mutex_lock(&harvest->lock);
    bool is = harvest->schema.release != NULL && is_ours(harvest);
    pthread_mutex_unlock(&harvest->lock);
    return is;
}

/* ---- the same columns ---- */

static bool same_column(const pt__harvest *harvest, size_t index, duckdb_logical_type type)
{
    if (pt__harvest_is_packed(harvest, index))
        return duckdb_get_type_id(type) == DUCKDB_TYPE_UBIGINT;
    return same_type(harvest->types[index], type);
}

static bool same_columns(const pt__harvest *harvest, const duckdb_logical_type *types, char *const *names, size_t count)
{
    bool same = harvest->column_count == count;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(harvest->names[i], names[i]) == 0 && same_column(harvest, i, types[i]);
    return same;
}

static bool are_right(pt__harvest *harvest, const duckdb_logical_type *types, char *const *names, size_t column_count)
{
    count(harvest, 1, 0);
    if (!is_ours(harvest))
        return false;
    return harvest->types == NULL ? is_as_outside(types, names, column_count)
                                  : same_columns(harvest, types, names, column_count);
}

/* Takes what the query gives; later, only that it still gives the same. */
static bool set_columns(pt__harvest *harvest, duckdb_logical_type *take_types, char **take_names, size_t count)
{
    pthread_mutex_lock(&harvest->lock);
    bool is_first = harvest->types == NULL;
    bool is_right = are_right(harvest, take_types, take_names, count);
    if (is_first && is_right) {
        harvest->types = take_types;
        harvest->names = take_names;
        harvest->column_count = count;
    } else {
        free_columns(take_types, take_names, count);
    }
    harvest->is_outdated = !is_first && !is_right;
    pthread_mutex_unlock(&harvest->lock);
    return is_right;
}

void pt__harvest_free_columns(pt__harvest *harvest)
{
    free_columns(harvest->types, harvest->names, harvest->column_count);
}

bool pt__harvest_read_columns(pt__harvest *harvest, duckdb_logical_type rows)
{
    if (duckdb_get_type_id(rows) != DUCKDB_TYPE_STRUCT)
        return false;
    idx_t count = duckdb_struct_type_child_count(rows);
    duckdb_logical_type *types = calloc(count + 1, sizeof(*types));
    char **names = calloc(count + 1, sizeof(*names));
    bool has_all = types != NULL && names != NULL;
    for (idx_t i = 0; has_all && i < count; i++) {
        types[i] = duckdb_struct_type_child_type(rows, i);
        names[i] = duckdb_struct_type_child_name(rows, i);
        has_all = types[i] != NULL && names[i] != NULL;
    }
    if (has_all)
        return set_columns(harvest, types, names, count);
    free_columns(types, names, count);
    return false;
}
