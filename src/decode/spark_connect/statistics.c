/* Statistics of columns, and what na.* does. */
#include "decode/spark_connect/internal.h"

#define REL(name) SPARK__CONNECT__RELATION__REL_TYPE_##name

static const double FREQUENT_ITEMS_SUPPORT = 0.01; /* Spark's default */

static pt_plan_statistics *start(pt__decoder *d, pt_statistics_kind kind, pt_plan **out)
{
    pt_plan_statistics *node = pt__plan_make(d->arena, STATISTICS, statistics, d->origin);
    node->statistics_kind = kind;
    *out = &node->base;
    return node;
}

static void set_names(pt_plan_statistics *node, char **names, size_t count)
{
    node->names = (const char *const *)names;
    node->name_count = count;
}

static void set_pair(pt__decoder *d, pt_plan_statistics *node, const char *first, const char *second)
{
    const char **names = pt__arena_array(d->arena, const char *, 2);
    names[0] = first;
    names[1] = second;
    node->names = names;
    node->name_count = 2;
}

static pt_status decode_summary(pt__decoder *d, const Spark__Connect__StatSummary *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_SUMMARY, out);
    node->statistics = (const char *const *)m->statistics;
    node->statistic_count = m->n_statistics;
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_describe(pt__decoder *d, const Spark__Connect__StatDescribe *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_DESCRIBE, out);
    set_names(node, m->cols, m->n_cols);
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_crosstab(pt__decoder *d, const Spark__Connect__StatCrosstab *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_CROSSTAB, out);
    set_pair(d, node, m->col1, m->col2);
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_covariance(pt__decoder *d, const Spark__Connect__StatCov *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_COVARIANCE, out);
    set_pair(d, node, m->col1, m->col2);
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_correlation(pt__decoder *d, const Spark__Connect__StatCorr *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_CORRELATION, out);
    set_pair(d, node, m->col1, m->col2);
    node->method = PT_OPTIONAL(m, method, "pearson");
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_quantile(pt__decoder *d, const Spark__Connect__StatApproxQuantile *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_APPROX_QUANTILE, out);
    set_names(node, m->cols, m->n_cols);
    node->numbers = m->probabilities;
    node->number_count = m->n_probabilities;
    node->relative_error = m->relative_error;
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_frequent_items(pt__decoder *d, const Spark__Connect__StatFreqItems *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_FREQUENT_ITEMS, out);
    double *support = pt__arena_array(d->arena, double, 1);
    support[0] = PT_OPTIONAL(m, support, FREQUENT_ITEMS_SUPPORT);
    set_names(node, m->cols, m->n_cols);
    node->numbers = support;
    node->number_count = 1;
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_sample_by(pt__decoder *d, const Spark__Connect__StatSampleBy *m, pt_plan **out)
{
    pt_plan_statistics *node = start(d, PT_STATISTICS_SAMPLE_BY, out);
    double *fractions = pt__arena_array(d->arena, double, m->n_fractions);
    const pt_expr **strata = pt__arena_array(d->arena, const pt_expr *, m->n_fractions);
    for (size_t i = 0; i < m->n_fractions; i++) {
        fractions[i] = m->fractions[i]->fraction;
        PT_TRY(pt__decode_literal(d, m->fractions[i]->stratum, &strata[i]));
    }
    node->numbers = fractions;
    node->strata = strata;
    node->number_count = m->n_fractions;
    node->seed = PT_OPTIONAL(m, seed, 0);
    PT_TRY(pt__decode_expression(d, m->col, &node->column));
    return pt__decode_relation(d, m->input, &node->input);
}

pt_status pt__decode_statistics(pt__decoder *d, const Spark__Connect__Relation *r, pt_plan **out)
{
    switch ((int)r->rel_type_case) {
    case REL(SUMMARY): return decode_summary(d, r->summary, out);
    case REL(CROSSTAB): return decode_crosstab(d, r->crosstab, out);
    case REL(DESCRIBE): return decode_describe(d, r->describe, out);
    case REL(COV): return decode_covariance(d, r->cov, out);
    case REL(CORR): return decode_correlation(d, r->corr, out);
    case REL(APPROX_QUANTILE): return decode_quantile(d, r->approx_quantile, out);
    case REL(FREQ_ITEMS): return decode_frequent_items(d, r->freq_items, out);
    case REL(SAMPLE_BY): return decode_sample_by(d, r->sample_by, out);
    default: return pt__decode_not_supported(d, &r->base, r->rel_type_case);
    }
}

/* ---- missing values ---- */

static pt_status decode_fill(pt__decoder *d, const Spark__Connect__NAFill *m, pt_plan **out)
{
    pt_plan_fill_na *node = pt__plan_make(d->arena, FILL_NA, fill_na, d->origin);
    *out = &node->base;
    PT_TRY(pt__decode_relation(d, m->input, &node->input));
    if (m->n_values == 0)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NA_FILL_EMPTY, NULL);
    if (m->n_values > 1 && m->n_values != m->n_cols)
        return pt__raise(d->err, PT_COND_CONNECT_INVALID_PLAN_NA_FILL_LENGTH, NULL);
    node->names = (const char *const *)m->cols;
    node->name_count = m->n_cols;
    node->value_count = m->n_values;
    return pt__decode_literals(d, m->values, m->n_values, &node->values);
}

static pt_status decode_drop(pt__decoder *d, const Spark__Connect__NADrop *m, pt_plan **out)
{
    pt_plan_drop_na *node = pt__plan_make(d->arena, DROP_NA, drop_na, d->origin);
    *out = &node->base;
    node->names = (const char *const *)m->cols;
    node->name_count = m->n_cols;
    node->min_non_nulls = PT_OPTIONAL(m, min_non_nulls, -1);
    return pt__decode_relation(d, m->input, &node->input);
}

static pt_status decode_replace(pt__decoder *d, const Spark__Connect__NAReplace *m, pt_plan **out)
{
    pt_plan_replace_values *node = pt__plan_make(d->arena, REPLACE_VALUES, replace_values, d->origin);
    const pt_expr **from = pt__arena_array(d->arena, const pt_expr *, m->n_replacements);
    const pt_expr **to = pt__arena_array(d->arena, const pt_expr *, m->n_replacements);
    *out = &node->base;
    for (size_t i = 0; i < m->n_replacements; i++) {
        PT_TRY(pt__decode_literal(d, m->replacements[i]->old_value, &from[i]));
        PT_TRY(pt__decode_literal(d, m->replacements[i]->new_value, &to[i]));
    }
    node->names = (const char *const *)m->cols;
    node->name_count = m->n_cols;
    node->old_values = from;
    node->new_values = to;
    node->value_count = m->n_replacements;
    return pt__decode_relation(d, m->input, &node->input);
}

pt_status pt__decode_missing_values(pt__decoder *d, const Spark__Connect__Relation *r, pt_plan **out)
{
    switch ((int)r->rel_type_case) {
    case REL(FILL_NA): return decode_fill(d, r->fill_na, out);
    case REL(DROP_NA): return decode_drop(d, r->drop_na, out);
    case REL(REPLACE): return decode_replace(d, r->replace, out);
    default: return pt__decode_not_supported(d, &r->base, r->rel_type_case);
    }
}
