#include "wrap/cache_key.h"

#include "analyze/function.h"
#include "base/buffer.h"
#include "plan/members.h"
#include "plan/table.h"
#include "plan/text.h"
#include "plan/walk.h"
#include "wrap/tree.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

enum {
    SETTLED_MS = 100, /* a file system's clock may stand still for some milliseconds */
    FILES_MAX = 10000
};

/* ---- is the answer determined? ---- */

/* The time itself is in the plan, so that no two queries are alike. */
static bool is_time_of_day(const pt_expr_call *call)
{
    static const char *const names[] = {"now", "current_timestamp", "localtimestamp", "current_time", "unix_timestamp"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (call->argument_count == 0 && strcasecmp(call->function->name, names[i]) == 0)
            return true;
    return false;
}

static bool is_determined_expr(void *context, const pt_expr *expr, uint32_t depth)
{
    (void)context;
    (void)depth;
    if (expr->kind == PT_EXPR_PYTHON_UDF)
        return false;
    if (expr->kind != PT_EXPR_CALL)
        return true;
    const pt_expr_call *call = pt__expr_as_call(expr);
    return call->function != NULL && call->function->kind != PT_FUNCTION_VOLATILE && !is_time_of_day(call);
}

/* Rows that a client sent or a session keeps are as near as an answer would be, and the text does not tell them apart. */
static bool is_determined_plan(void *context, const pt_plan *plan, uint32_t depth)
{
    (void)context;
    (void)depth;
    switch ((int)plan->kind) {
    case PT_PLAN_STREAM:
    case PT_PLAN_LOCAL:
    case PT_PLAN_CACHED:
    case PT_PLAN_MAP_PYTHON: return false;
    case PT_PLAN_SAMPLE: return pt__plan_as_sample(plan)->has_seed;
    default: return true;
    }
}

static bool is_determined(const pt_plan *plan)
{
    return pt__tree_walk(plan, &(pt__tree_visitor){is_determined_plan, is_determined_expr, NULL});
}

/* ---- text ---- */

/* A client counts its nodes anew for every query. */
static const pt_plan *without_id(void *context, const pt_plan *plan)
{
    if (plan->plan_id < 0)
        return plan;
    pt_plan *copy = pt__arena_copy(context, plan, pt__record_of_plan(plan->kind)->size_bytes);
    copy->plan_id = -1;
    return copy;
}

typedef struct writer {
    pt__buffer *out;
    pt__arena *arena;
    const pt__versions *versions;
    int64_t latest_us; /* change of a file */
    size_t file_count;
    bool failed;
} writer;

static int64_t micros(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool append_file(writer *w, const char *path)
{
    struct stat s;
    if (w->file_count++ == FILES_MAX || stat(path, &s) != 0)
        return false;
    int64_t changed = micros(s.st_ctim) > micros(s.st_mtim) ? micros(s.st_ctim) : micros(s.st_mtim);
    if (changed > w->latest_us)
        w->latest_us = changed;
    pt__buffer_printf(w->out, "file %s %lld %lld.%09ld %lld.%09ld %llu %llu\n", path, (long long)s.st_size,
                      (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, (long long)s.st_ctim.tv_sec, s.st_ctim.tv_nsec,
                      (unsigned long long)s.st_ino, (unsigned long long)s.st_dev);
    return true;
}

static bool append_source(void *context, const pt_plan *plan, uint32_t depth)
{
    writer *w = context;
    (void)depth;
    if (plan->kind == PT_PLAN_SCAN_TABLE) {
        const pt_table *table = pt__plan_as_scan_table(plan)->table;
        const char *key = pt__arena_printf(w->arena, "%s.%s", table->database, table->name);
        uint64_t version = w->versions->table(w->versions->context, key);
        pt__buffer_printf(w->out, "table %s %llu\n", key, (unsigned long long)version);
    }
    if (plan->kind != PT_PLAN_SCAN_FILES)
        return true;
    const pt_file_set *set = pt__plan_as_scan_files(plan)->files;
    pt__buffer_printf(w->out, "files %llu\n", (unsigned long long)w->versions->files(w->versions->context));
    for (size_t i = 0; set != NULL && i < set->file_count; i++)
        if (!append_file(w, set->files[i].path))
            return false;
    return true;
}

/* Times ahead of the clock say nothing about what comes. */
static bool is_settled(const writer *w)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return w->latest_us + SETTLED_MS * 1000 < micros(now);
}

static void append_query(pt__buffer *out, const pt_query *query, const char *user)
{
    pt__buffer_printf(out, "user %s\nzone %s\nbatch %llu %llu\n", user,
                      query->time_zone == NULL ? "" : query->time_zone, (unsigned long long)query->batch_rows,
                      (unsigned long long)query->batch_bytes);
}

static void end_buffer(void *buffer)
{
    pt__buffer_deinit(buffer);
}

const char *pt__cache_key(pt__arena *arena, const pt_query *query, const char *user, const pt__versions *versions)
{
    if (!is_determined(query->plan))
        return NULL;
    pt__buffer *out = pt__arena_make(arena, pt__buffer);
    pt__arena_defer(arena, end_buffer, out);
    writer w = {.out = out, .arena = arena, .versions = versions};
    append_query(out, query, user);
    if (!pt__tree_walk(query->plan, &(pt__tree_visitor){append_source, NULL, &w}) || !is_settled(&w))
        return NULL;
    pt__plan_append_text(out, pt__plan_rewrite(arena, query->plan, &(pt__rewriter){without_id, NULL, arena}));
    if (out->failed || memchr(out->data, '\0', out->size_bytes) != NULL)
        return NULL;
    return pt__buffer_string(out);
}
