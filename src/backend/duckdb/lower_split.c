#include "backend/duckdb/lower_split.h"

#include "backend/duckdb/block.h"
#include "plan/members.h"

enum {
    DEPTH_MAX = 64,  /* of an expression that is left whole */
    PIECE_DEPTH = 48 /* of what is taken out */
};

/* ---- depth ---- */

static bool add_depth(void *context, const pt_expr *expr)
{
    uint32_t deepest = 0;
    uint32_t *out = context;
    pt__visitor visitor = {add_depth, NULL, &deepest};
    pt__record_visit(pt__record_of_expr(expr->kind), expr, &visitor);
    *out = deepest + 1 > *out ? deepest + 1 : *out;
    return true;
}

static uint32_t depth_of(const pt_expr *expr)
{
    uint32_t depth = 0;
    add_depth(&depth, expr);
    return depth;
}

/* ---- taking out ---- */

typedef struct split {
    pt__lower *lower;
    pt__list(const pt_expr *) pieces;
    pt__list(uint32_t) ids;
} split;

/* Whether all children are evaluated whenever the node is, row by row. */
static bool is_strict(const pt_expr *expr)
{
    switch (expr->kind) {
    case PT_EXPR_ALIAS:
    case PT_EXPR_CAST:
    case PT_EXPR_FIELD: return true;
    case PT_EXPR_CALL: break;
    default: return false;
    }
    static const char *const LAZY[] = {"and", "or", "if", "iff", "coalesce", "nvl", "ifnull", "nvl2", "when", "nullif"};
    const pt_expr_call *call = pt__expr_as_call(expr);
    if (call->function == NULL || call->function->kind != PT_FUNCTION_SCALAR)
        return false;
    for (size_t i = 0; i < sizeof(LAZY) / sizeof(*LAZY); i++) {
        if (pt__is_call_of(expr, LAZY[i]))
            return false;
    }
    return true;
}

static const pt_expr *take_out(split *s, const pt_expr *piece)
{
    uint32_t id = ++s->lower->last_id;
    pt_expr_column *column = pt__expr_make(s->lower->arena, COLUMN, column, piece->origin);
    pt__list_push(s->lower->arena, &s->pieces, piece);
    pt__list_push(s->lower->arena, &s->ids, id);
    pt__bind(s->lower, id)->uses = 1;
    column->base.type = piece->type;
    column->base.nullable = piece->nullable;
    column->id = id;
    column->name = "piece";
    return &column->base;
}

static const pt_expr *rewrite(void *context, const pt_expr *expr);

/* The lowest nodes of the depth of a piece become columns. */
static const pt_expr *rewrite(void *context, const pt_expr *expr)
{
    split *s = context;
    uint32_t depth = depth_of(expr);
    if (depth < PIECE_DEPTH || !is_strict(expr))
        return expr;
    if (depth == PIECE_DEPTH && expr->kind != PT_EXPR_ALIAS)
        return take_out(s, expr);
    return pt__expr_map_children(s->lower->arena, expr, rewrite, s);
}

/* The old columns and the pieces. */
static const pt_plan *project_pieces(split *s, const pt_plan *input)
{
    pt__arena *arena = s->lower->arena;
    size_t before = input == NULL ? 0 : input->column_count;
    size_t count = before + s->pieces.count;
    pt_plan_project *project = pt__plan_make(arena, PROJECT, project, NULL);
    pt_column *columns = pt__arena_array(arena, pt_column, count);
    const pt_expr **expressions = pt__arena_array(arena, const pt_expr *, count);
    for (size_t i = 0; i < before; i++) {
        pt_expr_column *column = pt__expr_make(arena, COLUMN, column, NULL);
        columns[i] = input->columns[i];
        column->base.type = columns[i].type;
        column->id = columns[i].id;
        column->name = columns[i].name;
        expressions[i] = &column->base;
    }
    for (size_t i = 0; i < s->pieces.count; i++) {
        columns[before + i] =
            (pt_column){.id = s->ids.items[i], .name = "piece", .type = s->pieces.items[i]->type, .nullable = true};
        expressions[before + i] = s->pieces.items[i];
    }
    project->input = input;
    project->expressions = expressions;
    project->expression_count = count;
    project->base.columns = columns;
    project->base.column_count = count;
    return &project->base;
}

static bool is_too_deep(const pt_expr *const *expressions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (depth_of(expressions[i]) > DEPTH_MAX)
            return true;
    }
    return false;
}

void pt__split_deep(pt__lower *lower, const pt_plan **input, const pt_expr *const **expressions, size_t count)
{
    while (is_too_deep(*expressions, count)) {
        split s = {.lower = lower};
        const pt_expr **rewritten = pt__arena_array(lower->arena, const pt_expr *, count);
        for (size_t i = 0; i < count; i++) {
            rewritten[i] = (*expressions)[i];
            if (depth_of(rewritten[i]) > DEPTH_MAX)
                rewritten[i] = rewrite(&s, rewritten[i]);
        }
        if (s.pieces.count == 0)
            return;
        *input = project_pieces(&s, *input);
        *expressions = rewritten;
    }
}
