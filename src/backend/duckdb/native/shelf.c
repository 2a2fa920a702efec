/* Prepared statements that wait for their execution, or for being sent again. */
#include "backend/duckdb/native/native.h"

#include <stdlib.h>
#include <string.h>

struct pt__shelf_entry {
    struct pt__shelf_entry *next; /* younger */
    char *key;
    pt__native_link *link; /* NULL: it is kept there */
    pt__native_statement statement;
};

static const size_t ROOM[PT_SHELF_COUNT] = {[PT_SHELF_HANDLES] = 64, [PT_SHELF_TEXTS] = 16};

static void free_entry(struct pt__shelf_entry *entry)
{
    if (entry == NULL)
        return;
    pt__native_statement_deinit(&entry->statement);
    pt__native_link_unref(entry->link);
    free(entry->key);
    free(entry);
}

/* With the database's lock held; its caller frees what is returned, which may be NULL: the oldest, or one of that key. */
static struct pt__shelf_entry *append(pt__duckdb *database, pt__shelf shelf, struct pt__shelf_entry *entry)
{
    struct pt__shelf_entry **first = &database->shelves[shelf];
    struct pt__shelf_entry **surplus = NULL;
    struct pt__shelf_entry **at = first;
    size_t count = 1;
    for (; *at != NULL; at = &(*at)->next, count++)
        if (strcmp((*at)->key, entry->key) == 0)
            surplus = at;
    *at = entry;
    if (surplus == NULL && count > ROOM[shelf])
        surplus = first;
    struct pt__shelf_entry *gone = surplus == NULL ? NULL : *surplus;
    if (gone != NULL)
        *surplus = gone->next;
    return gone;
}

/* Both are taken; NULL when memory is exhausted. */
static struct pt__shelf_entry *new_entry(const char *key, pt__native_link *link, pt__native_statement *statement)
{
    struct pt__shelf_entry *entry = calloc(1, sizeof(*entry));
    char *copy = strdup(key);
    if (entry == NULL || copy == NULL) {
        free(entry);
        free(copy);
        pt__native_statement_deinit(statement);
        pt__native_link_unref(link);
        return NULL;
    }
    *entry = (struct pt__shelf_entry){.key = copy, .link = link, .statement = *statement};
    *statement = (pt__native_statement){0};
    return entry;
}

void pt__native_shelve(pt__duckdb *database, pt__shelf shelf, const char *key, pt__native_link *link,
                       pt__native_statement *statement)
{
    struct pt__shelf_entry *entry = new_entry(key, link, statement);
    if (entry == NULL)
        return;
    pthread_mutex_lock(&database->mutex);
    struct pt__shelf_entry *gone = append(database, shelf, entry);
    pthread_mutex_unlock(&database->mutex);
    free_entry(gone);
}

bool pt__native_unshelve(pt__duckdb *database, pt__shelf shelf, const char *key, pt__native_link **link,
                         pt__native_statement *statement)
{
    pthread_mutex_lock(&database->mutex);
    struct pt__shelf_entry **at = &database->shelves[shelf];
    while (*at != NULL && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    struct pt__shelf_entry *entry = *at;
    if (entry != NULL)
        *at = entry->next;
    pthread_mutex_unlock(&database->mutex);
    if (entry == NULL)
        return false;
    *link = entry->link;
    *statement = entry->statement;
    free(entry->key);
    free(entry);
    return true;
}

bool pt__native_unshelve_text(pt__duckdb *database, pt__native *native, const char *sql, pt__native_link **link,
                              pt__native_statement *statement)
{
    return pt__native_is_literal_row(sql) && !pt__native_has_own(native) &&
           pt__native_unshelve(database, PT_SHELF_TEXTS, sql, link, statement);
}

/* ---- on a session's own connection ---- */

void pt__native_drop_kept(pt__native_link *link)
{
    free_entry(link->kept);
    link->kept = NULL;
}

void pt__native_keep(pt__native_link *link, const char *key, pt__native_statement *statement)
{
    pt__native_drop_kept(link);
    link->kept = new_entry(key, NULL, statement);
}

void pt__native_outdate_kept(pt__native_link *link, duckdb_prepared_statement executed, const char *sql)
{
    if (link->kept != NULL && pt__native_leaves_state(executed, sql))
        pt__native_drop_kept(link);
}

bool pt__native_take_kept(pt__native_link *link, const char *key, pt__native_statement *statement)
{
    if (link->kept == NULL || strcmp(link->kept->key, key) != 0)
        return false;
    *statement = link->kept->statement;
    link->kept->statement = (pt__native_statement){0};
    pt__native_drop_kept(link);
    return true;
}

/* ---- the end ---- */

void pt__native_clear_shelves(pt__duckdb *database)
{
    for (size_t i = 0; i < PT_SHELF_COUNT; i++) {
        while (database->shelves[i] != NULL) {
            struct pt__shelf_entry *entry = database->shelves[i];
            database->shelves[i] = entry->next;
            free_entry(entry);
        }
    }
}
