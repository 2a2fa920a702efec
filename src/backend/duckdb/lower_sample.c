#include "backend/duckdb/block.h"

#include <inttypes.h>

/* Rows get a number drawn at random; those in [lower, upper) stay. */
pt_status pt__lower_sample(pt__lower *lower, const pt_plan_sample *sample, pt__block *out, pt_error *err)
{
    PT_TRY(pt__lower_relation(lower, sample->input, out, err));
    if (out->is_aggregated || out->has_window || out->limit != NULL || out->offset != NULL || out->order != NULL)
        pt__block_wrap(lower, out, sample->input->columns, sample->input->column_count);
    if (sample->row_limit >= 0) {
        out->limit = pt__arena_printf(lower->arena, "%" PRId64, sample->row_limit);
        return PT_OK;
    }
    if (sample->with_replacement)
        return pt__lower_unsupported(err, sample->base.origin, "sampling with replacement");
    pt__block_wrap(lower, out, sample->input->columns, sample->input->column_count);
    uint32_t alias = ++lower->next_alias;
    int64_t seed = sample->has_seed ? sample->seed : 0;
    out->from = pt__arena_printf(lower->arena, "(SELECT *, spark_rand((%" PRId64 ")::BIGINT) AS n%u FROM %s) AS q%u",
                                 seed, alias, out->from, alias);
    pt__list_push(lower->arena, &out->where,
                  pt__arena_printf(lower->arena, "n%u >= %.17g::DOUBLE AND n%u < %.17g::DOUBLE", alias, sample->lower,
                                   alias, sample->upper));
    for (size_t i = 0; i < sample->base.column_count; i++)
        pt__bind_text(lower, sample->base.columns[i].id,
                      pt__arena_printf(lower->arena, "q%u.c%u", alias, sample->base.columns[i].id), PT_TEXT_COLUMN, 0);
    return PT_OK;
}
