/* Select lists: stars and regular expressions become columns, later items see the aliases of earlier ones. */
#include "analyze/analyzer.h"

#include <regex.h>

typedef pt__list(const pt_expr *) expr_list;

static void free_regex(void *regex)
{
    regfree(regex);
}

static pt_status push_regex(pt__analyzer *a, pt__scope *scope, const pt_expr_column_regex *node, expr_list *list,
                            pt_error *err)
{
    const char *pattern = pt__arena_printf(a->arena, "^(%s)$", node->pattern);
    regex_t *regex = pt__arena_make(a->arena, regex_t);
    if (regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB | (a->case_sensitive ? 0 : REG_ICASE)) != 0)
        return pt_error_set(err, PT_ANALYSIS, "the column pattern %s is no regular expression", node->pattern);
    pt__arena_defer(a->arena, free_regex, regex);
    pt_expr_star star = {.base = node->base, .target = node->qualifier, .plan_id = node->plan_id};
    const pt_expr *const *items;
    size_t count;
    PT_TRY(pt__expand_star(a, scope, &star, &items, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (regexec(regex, pt__expr_as_column(items[i])->name, 0, NULL, 0) == 0)
            pt__list_push(a->arena, list, items[i]);
    }
    return PT_OK;
}

static pt_status push_item(pt__analyzer *a, pt__scope *scope, const pt_expr *item, expr_list *list, pt_error *err)
{
    if (item->kind == PT_EXPR_COLUMN_REGEX)
        return push_regex(a, scope, pt__expr_as_column_regex(item), list, err);
    if (item->kind == PT_EXPR_STAR) {
        const pt_expr *const *items;
        size_t count;
        PT_TRY(pt__expand_star(a, scope, pt__expr_as_star(item), &items, &count, err));
        for (size_t i = 0; i < count; i++)
            pt__list_push(a->arena, list, items[i]);
        return PT_OK;
    }
    scope->select_items = list->items;
    scope->select_count = list->count;
    const pt_expr *analyzed;
    PT_TRY(pt__analyze_expr(a, scope, item, &analyzed, err));
    /* r.b written as a name is called b; as getField("b") of r it is called r.b. */
    if (item->kind == PT_EXPR_EXTRACT && analyzed->kind == PT_EXPR_FIELD)
        analyzed = pt__automatic_alias(a, analyzed);
    pt__list_push(a->arena, list, analyzed);
    return PT_OK;
}

pt_status pt__analyze_list(pt__analyzer *a, pt__scope *scope, const pt_expr *const *expressions, size_t count,
                           const pt_expr *const **out, size_t *out_count, pt_error *err)
{
    expr_list list = {0};
    for (size_t i = 0; i < count; i++)
        PT_TRY(push_item(a, scope, expressions[i], &list, err));
    scope->select_items = NULL;
    scope->select_count = 0;
    *out = list.items;
    *out_count = list.count;
    return PT_OK;
}
