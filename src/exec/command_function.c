/*
 * CREATE FUNCTION … RETURN: temporary ones live in the session, others in the host. A function of a Java class is
 * listed, as Spark loads the class only when it is called; here a call fails by name.
 */
#include "analyze/function.h"
#include "exec/command.h"

#include <stdlib.h>

static pt__function_entry *make_entry(pt__command *c, const pt_plan_create_function *node)
{
    pt__function_entry *entry = calloc(1, sizeof(*entry));
    if (entry == NULL)
        return NULL;
    atomic_init(&entry->references, 1);
    entry->memory = pt__shared_arena_ref(c->job->memory);
    entry->comment = node->comment;
    entry->class_name = node->class_name;
    entry->function = (pt__user_function){
        .name = pt__name_last(&node->name),
        .parameters = node->parameters,
        .defaults = node->parameter_defaults,
        .parameter_count = node->parameter_count,
        .return_type = node->return_type,
        .body = node->body,
        .table_body = node->table_body,
    };
    return entry;
}

static const char *routine_name(pt__command *c, const pt_name *name, const char *database)
{
    const char *parts[] = {database, pt__name_last(name)};
    pt_name full = {parts + (database == NULL), database == NULL ? 1 : 2};
    return pt__command_quote(c, &full);
}

/* Exactly this scope: a temporary function does not stand in the way of a persistent one. */
static bool exists(pt__command *c, const pt_name *name, const char *database)
{
    size_t count;
    pt__function_entry **list = pt__session_list_functions(c->session, c->arena, database == NULL, &count);
    const char *parts[] = {database, pt__name_last(name)};
    pt_name full = {parts + (database == NULL), database == NULL ? 1 : 2};
    pt__function_entry *found = pt__session_find_function(c->session, &full, "");
    pt__function_entry_unref(found);
    for (size_t i = 0; found != NULL && i < count; i++)
        if (list[i] == found)
            return true;
    return false;
}

static pt_status already_exists(pt__command *c, const pt_name *name, const char *database)
{
    return pt__raise(c->err, PT_COND_ROUTINE_ALREADY_EXISTS, "newRoutineType", "routine", "existingRoutineType",
                     "routine", "routineName", routine_name(c, name, database), NULL);
}

PT_COMMAND(create_function)
{
    const char *database = NULL;
    const char *object;
    if (!node->is_temporary) {
        PT_TRY(pt__command_split(c, &node->name, &database, &object));
        PT_TRY(pt__command_permit(c, "create", "function", &node->name));
        PT_TRY(pt__command_need_database(c, database));
    }
    if (!node->replace && exists(c, &node->name, database)) {
        if (!node->if_not_exists)
            return already_exists(c, &node->name, database);
        return pt__rows_none(c->arena, out, c->err);
    }
    pt__function_entry *entry = make_entry(c, node);
    if (entry == NULL)
        return pt_error_set(c->err, PT_NO_MEMORY, "no memory for a function");
    if (!pt__session_put_function(c->session, database, entry))
        return pt_error_set(c->err, PT_LIMIT, "there are too many functions already (session.view-limit)");
    return pt__rows_none(c->arena, out, c->err);
}
