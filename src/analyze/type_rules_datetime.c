/* Types of the fields of dates and times. */
#include "analyze/type_rules.h"

#include <ctype.h>
#include <string.h>

/* The function that computes a field of EXTRACT; NULL: no such field. */
static const char *field_function(const char *field)
{
    static const struct {
        const char *names; /* with a space around each */
        const char *function;
    } FIELDS[] = {
        {" YEAR Y YEARS YR YRS ", "year"},
        {" YEAROFWEEK ", "yearofweek"},
        {" QUARTER QTR ", "quarter"},
        {" MONTH MON MONS MONTHS ", "month"},
        {" WEEK W WEEKS ", "weekofyear"},
        {" DAY D DAYS ", "day"},
        {" DAYOFWEEK DOW ", "dayofweek"},
        {" DAYOFWEEK_ISO DOW_ISO ", "isodow"},
        {" DOY ", "dayofyear"},
        {" HOUR H HOURS HR HRS ", "hour"},
        {" MINUTE M MIN MINS MINUTES ", "minute"},
        {" SECOND S SEC SECONDS SECS ", "second_fraction"},
    };
    char padded[32];
    if (strlen(field) > sizeof(padded) - 3)
        return NULL;
    size_t size = 0;
    padded[size++] = ' ';
    for (; *field != '\0'; field++)
        padded[size++] = (char)toupper((unsigned char)*field);
    padded[size++] = ' ';
    padded[size] = '\0';
    for (size_t i = 0; i < sizeof(FIELDS) / sizeof(FIELDS[0]); i++) {
        if (strstr(FIELDS[i].names, padded) != NULL)
            return FIELDS[i].function;
    }
    return NULL;
}

/* EXTRACT(field FROM source), date_part(field, source) */
PT_RULE(extract)
{
    const pt_expr *field = call->arguments[0];
    if (field->kind != PT_EXPR_LITERAL || !pt__type_is_string(field->type))
        return pt__mismatch(a, call, 0, "\"STRING\"", err);
    pt_text_view text = pt__expr_as_literal(field)->value.as.text;
    const char *name = pt__arena_copy_text(a->arena, text.data, text.size_bytes);
    const char *function = field_function(name);
    if (function == NULL) {
        pt_status status = pt__raise(err, PT_COND_INVALID_EXTRACT_FIELD, "field", pt__quote_one(a->arena, name), "expr",
                                     pt__quote_expr(a->arena, call->arguments[1]), NULL);
        return pt__analyzer_fail(status, call->base.origin, err);
    }
    PT_TRY(pt__call(a, function, &call->arguments[1], 1, &match->folded, err));
    match->type = match->folded->type;
    match->nullable = match->folded->nullable;
    return PT_OK;
}

PT_RULE(second_fraction)
{
    (void)call;
    (void)err;
    match->type = pt__type_decimal(a->arena, 8, 6);
    return PT_OK;
}

/* ---- windows of time ---- */

/* Select lists and GROUP BY take calls of window() away before they are typed (time_window.c). */
PT_RULE(window)
{
    (void)match;
    pt_status status = pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature",
                                 "windows of time outside of select lists and GROUP BY", NULL);
    (void)a;
    return pt__analyzer_fail(status, call->base.origin, err);
}

/* The last instant of a window. */
PT_RULE(window_time)
{
    const pt_type *type = call->arguments[0]->type;
    size_t overloads;
    if (type->id != PT_TYPE_STRUCT || type->field_count != 2 || strcmp(type->fields[1].name, "end") != 0)
        return pt__mismatch(a, call, 0, "\"STRUCT<start: TIMESTAMP, end: TIMESTAMP>\"", err);
    match->type = type->fields[1].type;
    match->nullable = true;
    if (match->type->id == PT_TYPE_TIMESTAMP_NTZ)
        match->function = pt__function_find("window_time ntz", &overloads);
    return PT_OK;
}
