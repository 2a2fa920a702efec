/* Prepared statements that wait for their execution. */
#include "backend/duckdb/native/native.h"

#include <stdlib.h>
#include <string.h>

struct pt__shelf_entry {
    struct pt__shelf_entry *next; /* younger */
    char *id;
    pt__native_link *link;
    pt__native_statement statement;
};

static void free_entry(struct pt__shelf_entry *entry)
{
    pt__native_statement_deinit(&entry->statement);
    pt__native_link_unref(entry->link);
    free(entry->id);
    free(entry);
}

/* With the database's lock held; its caller frees what is returned, which may be NULL. */
static struct pt__shelf_entry *append(pt__duckdb *database, struct pt__shelf_entry *entry)
{
    struct pt__shelf_entry **at = &database->shelf;
    size_t count = 1;
    for (; *at != NULL; at = &(*at)->next)
        count++;
    *at = entry;
    struct pt__shelf_entry *oldest = NULL;
    if (count > PT_NATIVE_SHELF) {
        oldest = database->shelf;
        database->shelf = oldest->next;
    }
    return oldest;
}

void pt__native_shelve(pt__duckdb *database, const char *id, pt__native_link *link, pt__native_statement *statement)
{
    struct pt__shelf_entry *entry = calloc(1, sizeof(*entry));
    char *copy = strdup(id);
    if (entry == NULL || copy == NULL) {
        free(entry);
        free(copy);
        pt__native_statement_deinit(statement);
        pt__native_link_unref(link);
        return;
    }
    *entry = (struct pt__shelf_entry){.id = copy, .link = link, .statement = *statement};
    *statement = (pt__native_statement){0};
    pthread_mutex_lock(&database->mutex);
    struct pt__shelf_entry *oldest = append(database, entry);
    pthread_mutex_unlock(&database->mutex);
    if (oldest != NULL)
        free_entry(oldest);
}

bool pt__native_unshelve(pt__duckdb *database, const char *id, pt__native_link **link, pt__native_statement *statement)
{
    pthread_mutex_lock(&database->mutex);
    struct pt__shelf_entry **at = &database->shelf;
    while (*at != NULL && strcmp((*at)->id, id) != 0)
        at = &(*at)->next;
    struct pt__shelf_entry *entry = *at;
    if (entry != NULL)
        *at = entry->next;
    pthread_mutex_unlock(&database->mutex);
    if (entry == NULL)
        return false;
    *link = entry->link;
    *statement = entry->statement;
    free(entry->id);
    free(entry);
    return true;
}

void pt__native_clear_shelf(pt__duckdb *database)
{
    while (database->shelf != NULL) {
        struct pt__shelf_entry *entry = database->shelf;
        database->shelf = entry->next;
        free_entry(entry);
    }
}
