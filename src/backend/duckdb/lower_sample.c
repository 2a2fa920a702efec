#include "backend/duckdb/block.h"

#include <inttypes.h>
#include <math.h>

enum { REPLACEMENT_MOST = 100 }; /* copies of a row, on average */

/* Each row comes as many times as a Poisson distribution says for its number n<alias>. */
static void repeat_rows(pt__lower *lower, double mean, uint32_t alias, pt__block *out)
{
    size_t mark = lower->text.size_bytes;
    double chance = exp(-mean); /* of `count` copies */
    double sum = chance;        /* of up to `count` copies */
    int count = 0;
    pt__put(lower, "(SELECT *, unnest(range(CASE");
    while (sum < 1 - 1e-15 && count < 10 * REPLACEMENT_MOST) {
        pt__putf(lower, " WHEN n%u < %.17g::DOUBLE THEN %d", alias, sum, count);
        count++;
        chance *= mean / count;
        sum += chance;
    }
    pt__putf(lower, " ELSE %d END)) FROM %s) AS q%u", count, out->from, alias);
    out->from = pt__cut(lower, mark);
}

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
    if (sample->with_replacement && sample->upper - sample->lower > REPLACEMENT_MOST)
        return pt__lower_unsupported(err, sample->base.origin, "sampling with replacement beyond a fraction of 100");
    pt__block_wrap(lower, out, sample->input->columns, sample->input->column_count);
    uint32_t alias = ++lower->next_alias;
    int64_t seed = sample->has_seed ? sample->seed : 0;
    out->from = pt__arena_printf(lower->arena, "(SELECT *, spark_rand((%" PRId64 ")::BIGINT) AS n%u FROM %s) AS q%u",
                                 seed, alias, out->from, alias);
    if (sample->with_replacement)
        repeat_rows(lower, sample->upper - sample->lower, alias, out);
    else
        pt__list_push(lower->arena, &out->where,
                      pt__arena_printf(lower->arena, "n%u >= %.17g::DOUBLE AND n%u < %.17g::DOUBLE", alias,
                                       sample->lower, alias, sample->upper));
    for (size_t i = 0; i < sample->base.column_count; i++)
        pt__bind_text(lower, sample->base.columns[i].id,
                      pt__arena_printf(lower->arena, "q%u.c%u", alias, sample->base.columns[i].id), PT_TEXT_COLUMN, 0);
    return PT_OK;
}
