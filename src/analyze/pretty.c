/* Names of unnamed output expressions, as Spark spells them: (a + 1), count(DISTINCT a), CAST(a AS INT). */
#include "analyze/analyzer.h"

#include "base/arena_buffer.h"
#include "base/format_datetime.h"
#include "base/format_double.h"
#include "base/int128.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static void put(pt__buffer *out, const pt_expr *expr);

static void put_list(pt__buffer *out, const pt_expr *const *items, size_t count, const char *separator)
{
    for (size_t i = 0; i < count; i++) {
        if (i != 0)
            pt__buffer_append_string(out, separator);
        put(out, items[i]);
    }
}

/* ---- literals and values ---- */

static void put_value(pt__buffer *out, const pt_type *type, const pt_value *value);

static void put_values(pt__buffer *out, const pt_type *type, const pt_value *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const pt_type *item = type->id == PT_TYPE_STRUCT              ? type->fields[i].type
                              : type->id == PT_TYPE_MAP && i % 2 == 0 ? type->key
                                                                      : type->element;
        if (i != 0)
            pt__buffer_append_string(out, type->id == PT_TYPE_MAP && i % 2 == 1 ? " -> " : ", ");
        put_value(out, item, &items[i]);
    }
}

static void put_nested(pt__buffer *out, const pt_type *type, const pt_value *value)
{
    pt__buffer_append_string(out, type->id == PT_TYPE_ARRAY ? "array(" : type->id == PT_TYPE_MAP ? "map(" : "struct(");
    put_values(out, type, value->as.list.items, value->as.list.count);
    pt__buffer_append_string(out, ")");
}

static void put_binary(pt__buffer *out, pt_text_view bytes)
{
    pt__buffer_append_string(out, "X'");
    for (size_t i = 0; i < bytes.size_bytes; i++)
        pt__buffer_printf(out, "%02X", (unsigned char)bytes.data[i]);
    pt__buffer_append_string(out, "'");
}

static void put_datetime(pt__buffer *out, const pt_type *type, const pt_value *value)
{
    char text[PT_DATETIME_TEXT_MAX];
    if (type->id == PT_TYPE_DATE) {
        pt__format_date(value->as.integer, text);
        pt__buffer_printf(out, "DATE '%s'", text);
    } else if (type->id == PT_TYPE_TIME) {
        pt__format_time(value->as.integer, text);
        pt__buffer_printf(out, "TIME '%s'", text);
    } else {
        pt__format_timestamp(value->as.integer, text);
        pt__buffer_printf(out, "%s '%s'", type->id == PT_TYPE_TIMESTAMP ? "TIMESTAMP" : "TIMESTAMP_NTZ", text);
    }
}

static void put_interval(pt__buffer *out, const pt_type *type, const pt_value *value)
{
    char text[PT_INTERVAL_TEXT_MAX];
    if (type->id == PT_TYPE_INTERVAL_DAY_TIME)
        pt__format_day_time_interval(value->as.integer, type->start_field, type->end_field, text);
    else if (type->id == PT_TYPE_INTERVAL_YEAR_MONTH)
        pt__format_year_month_interval((int32_t)value->as.integer, type->start_field, type->end_field, text);
    else
        pt__format_calendar_interval(value->as.interval.months, value->as.interval.days,
                                     value->as.interval.microseconds, text);
    pt__buffer_append_string(out, text);
}

static void put_real(pt__buffer *out, const pt_type *type, double value)
{
    char text[PT_DOUBLE_TEXT_MAX];
    if (type->id == PT_TYPE_FLOAT)
        pt__format_float((float)value, text);
    else
        pt__format_double(value, text);
    pt__buffer_append_string(out, text);
}

static void put_value(pt__buffer *out, const pt_type *type, const pt_value *value)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    if (value->is_null) {
        pt__buffer_append_string(out, "NULL");
        return;
    }
    switch (type->id) {
    case PT_TYPE_BOOLEAN: pt__buffer_append_string(out, value->as.boolean ? "true" : "false"); break;
    case PT_TYPE_FLOAT:
    case PT_TYPE_DOUBLE: put_real(out, type, value->as.real); break;
    case PT_TYPE_DECIMAL:
        pt__decimal_format(value->as.decimal, type->scale, text);
        pt__buffer_append_string(out, text);
        break;
    case PT_TYPE_STRING:
    case PT_TYPE_CHAR:
    case PT_TYPE_VARCHAR: pt__buffer_append(out, value->as.text.data, value->as.text.size_bytes); break;
    case PT_TYPE_BINARY: put_binary(out, value->as.text); break;
    case PT_TYPE_DATE:
    case PT_TYPE_TIME:
    case PT_TYPE_TIMESTAMP:
    case PT_TYPE_TIMESTAMP_NTZ: put_datetime(out, type, value); break;
    case PT_TYPE_INTERVAL_DAY_TIME:
    case PT_TYPE_INTERVAL_YEAR_MONTH:
    case PT_TYPE_INTERVAL_CALENDAR: put_interval(out, type, value); break;
    case PT_TYPE_ARRAY:
    case PT_TYPE_MAP:
    case PT_TYPE_STRUCT: put_nested(out, type, value); break;
    default: pt__buffer_printf(out, "%lld", (long long)value->as.integer); break;
    }
}

static void put_literal(pt__buffer *out, const pt_expr_literal *literal)
{
    put_value(out, literal->base.type, &literal->value);
}

/* ---- calls ---- */

static const char *const INFIX[] = {
    "+", "-", "*", "/", "%", "=", "<", ">", "<=", ">=", "<=>", "&", "|", "^", "==", "<<", ">>", ">>>"};

static bool is_infix(const char *name)
{
    for (size_t i = 0; i < sizeof(INFIX) / sizeof(INFIX[0]); i++) {
        if (strcmp(INFIX[i], name) == 0)
            return true;
    }
    return false;
}

static void put_infix(pt__buffer *out, const pt_expr_call *call, const char *symbol)
{
    pt__buffer_append_string(out, "(");
    put(out, call->arguments[0]);
    pt__buffer_printf(out, " %s ", symbol);
    put(out, call->arguments[1]);
    pt__buffer_append_string(out, ")");
}

static void put_when(pt__buffer *out, const pt_expr_call *call)
{
    pt__buffer_append_string(out, "CASE");
    size_t i = 0;
    for (; i + 1 < call->argument_count; i += 2) {
        pt__buffer_append_string(out, " WHEN ");
        put(out, call->arguments[i]);
        pt__buffer_append_string(out, " THEN ");
        put(out, call->arguments[i + 1]);
    }
    if (i < call->argument_count) {
        pt__buffer_append_string(out, " ELSE ");
        put(out, call->arguments[i]);
    }
    pt__buffer_append_string(out, " END");
}

static void put_between(pt__buffer *out, const pt_expr_call *call, const char *open, const char *middle,
                        const char *close)
{
    pt__buffer_append_string(out, open);
    put(out, call->arguments[0]);
    pt__buffer_append_string(out, middle);
    if (call->argument_count > 1)
        put(out, call->arguments[1]);
    pt__buffer_append_string(out, close);
}

static const pt_expr *below_casts(const pt_expr *expr)
{
    while (expr->kind == PT_EXPR_CAST && pt__expr_as_cast(expr)->is_implicit)
        expr = pt__expr_as_cast(expr)->child;
    return expr;
}

static bool is_interval(const pt_expr *expr)
{
    return expr->type != NULL && pt__type_is_interval(expr->type);
}

static void put_pair(pt__buffer *out, const char *open, const pt_expr *x, const char *middle, const pt_expr *y,
                     const char *close)
{
    pt__buffer_append_string(out, open);
    put(out, x);
    pt__buffer_append_string(out, middle);
    put(out, y);
    pt__buffer_append_string(out, close);
}

/* What Spark has in the place of a date plus or minus something, and of a number times an interval. */
static bool put_days(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    bool is_plus = strcmp(name, "+") == 0;
    if (call->argument_count != 2 || call->arguments[0]->type == NULL || call->arguments[1]->type == NULL)
        return false;
    bool swapped = (is_plus && (is_interval(call->arguments[0]) || pt__type_is_datetime(call->arguments[1]->type)) &&
                    !is_interval(call->arguments[1])) ||
                   (strcmp(name, "*") == 0 && is_interval(call->arguments[1]));
    const pt_expr *x = below_casts(call->arguments[swapped]);
    const pt_expr *y = below_casts(call->arguments[!swapped]);
    if (x->type == NULL || y->type == NULL)
        return false;
    bool moves = (is_plus || strcmp(name, "-") == 0) && !is_interval(x);
    bool is_date = moves && x->type->id == PT_TYPE_DATE;
    if (is_date && !is_interval(y) && !pt__type_is_datetime(y->type))
        put_pair(out, is_plus ? "date_add(" : "date_sub(", x, ", ", y, ")");
    else if (is_date && y->type->id == PT_TYPE_INTERVAL_DAY_TIME && y->type->end_field == 0)
        put_pair(out, "date_add(", x, is_plus ? ", extractansiintervaldays(" : ", (- extractansiintervaldays(", y,
                 is_plus ? "))" : ")))");
    else if (moves && is_interval(y))
        put_pair(out, "", x, is_plus ? " + " : " - ", y, "");
    else if (swapped && strcmp(name, "*") == 0)
        put_pair(out, "(", x, " * ", y, ")");
    else
        return false;
    return true;
}

/* The whole number that Spark compares with in the place of a decimal literal. */
static void put_rounded(pt__buffer *out, const pt_expr_literal *literal, bool up)
{
    char text[PT_DECIMAL_TEXT_BYTES];
    pt_int128 unit = pt__int128_power_of_ten(literal->base.type->scale);
    pt_int128 value = literal->value.as.decimal;
    pt_int128 whole = value / unit;
    whole += up && whole * unit < value;
    whole -= !up && whole * unit > value;
    pt__decimal_format(whole, 0, text);
    pt__buffer_append_string(out, text);
}

static const pt_expr_literal *decimal_literal(const pt_expr *expr)
{
    bool is_one = expr->kind == PT_EXPR_LITERAL && expr->type->id == PT_TYPE_DECIMAL;
    return is_one && !pt__expr_as_literal(expr)->value.is_null ? pt__expr_as_literal(expr) : NULL;
}

/* i > 1.5 is (i > 1), and so on. */
static bool put_number_comparison(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    static const char *const SYMBOLS[] = {"<", ">=", ">", "<="};
    int symbol = -1;
    for (int i = 0; i < 4; i++)
        symbol = strcmp(SYMBOLS[i], name) == 0 ? i : symbol;
    if (call->argument_count != 2 || symbol < 0)
        return false;
    const pt_expr *x = below_casts(call->arguments[0]);
    const pt_expr *y = below_casts(call->arguments[1]);
    const pt_expr_literal *left = decimal_literal(x);
    const pt_expr_literal *right = decimal_literal(y);
    bool fits = (left != NULL && y->type != NULL && pt__type_is_integral(y->type)) ||
                (right != NULL && x->type != NULL && pt__type_is_integral(x->type));
    if (!fits)
        return false;
    bool up = (symbol < 2) == (right != NULL); /* towards what the comparison leaves alone */
    pt__buffer_append_string(out, "(");
    if (left != NULL)
        put_rounded(out, left, up);
    else
        put(out, x);
    pt__buffer_printf(out, " %s ", name);
    if (right != NULL)
        put_rounded(out, right, up);
    else
        put(out, y);
    pt__buffer_append_string(out, ")");
    return true;
}

/* Calls that are spelled as operators; false: an ordinary function. */
static bool put_operator(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    static const struct {
        const char *name;
        size_t arguments;
        const char *open;
        const char *middle;
        const char *close;
    } FORMS[] = {
        {"and", 2, "(", " AND ", ")"},
        {"or", 2, "(", " OR ", ")"},
        {"not", 1, "(NOT ", "", ")"},
        {"!", 1, "(NOT ", "", ")"},
        {"isnull", 1, "(", " IS NULL", ")"},
        {"isnotnull", 1, "(", " IS NOT NULL", ")"},
        {"div", 2, "(", " div ", ")"},
        {"item_of_array", 2, "", "[", "]"},
        {"item_of_map", 2, "", "[", "]"},
        {"like", 2, "", " LIKE ", ""},
        {"~", 1, "~", "", ""},
        {"ilike", 2, "ilike(", ", ", ")"},
        {"positive", 1, "(+ ", "", ")"},
    };
    for (size_t i = 0; i < sizeof(FORMS) / sizeof(FORMS[0]); i++) {
        if (strcasecmp(FORMS[i].name, name) == 0 && call->argument_count == FORMS[i].arguments) {
            put_between(out, call, FORMS[i].open, FORMS[i].middle, FORMS[i].close);
            return true;
        }
    }
    if (strcasecmp(name, "when") == 0) {
        put_when(out, call);
        return true;
    }
    if (put_days(out, call, name) || put_number_comparison(out, call, name))
        return true;
    if (call->argument_count == 2 && is_infix(name)) {
        put_infix(out, call, strcmp(name, "==") == 0 ? "=" : name);
        return true;
    }
    return false;
}

static void put_typed_text(pt__buffer *out, const char *word, const pt_expr *argument)
{
    pt__buffer_printf(out, "%s '", word);
    put(out, argument);
    pt__buffer_append_string(out, "'");
}

static bool put_literal_call(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    if (call->argument_count != 1)
        return false;
    if (strcmp(name, "date_literal") == 0)
        put_typed_text(out, "DATE", call->arguments[0]);
    else if (strcmp(name, "timestamp_literal") == 0)
        put_typed_text(out,
                       call->base.type != NULL && call->base.type->id == PT_TYPE_TIMESTAMP_NTZ ? "TIMESTAMP_NTZ"
                                                                                               : "TIMESTAMP",
                       call->arguments[0]);
    else if (strcmp(name, "timestamp_ltz_literal") == 0)
        put_typed_text(out, "TIMESTAMP", call->arguments[0]);
    else if (strcmp(name, "timestamp_ntz_literal") == 0)
        put_typed_text(out, "TIMESTAMP_NTZ", call->arguments[0]);
    else
        return false;
    return true;
}

/* Names that Spark prints otherwise than they are written; `arguments` 0: with any number of them. */
static const char *printed_name(const char *name, size_t arguments)
{
    static const struct {
        const char *name;
        size_t arguments;
        const char *printed;
    } NAMES[] = {
#define PT_PRINTED_NAME(name, arguments, printed) {name, arguments, printed},
#include "analyze/printed_names.def"
#undef PT_PRINTED_NAME
    };
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        if (strcasecmp(NAMES[i].name, name) == 0 && (NAMES[i].arguments == 0 || NAMES[i].arguments == arguments))
            return NAMES[i].printed;
    }
    return name;
}

/* Percentiles show the direction alone; mode shows the contrary of what it was given. */
static void put_within_group(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    pt__buffer_append_string(out, " WITHIN GROUP (ORDER BY ");
    bool is_mode = strcasecmp(name, "mode") == 0;
    if (call->within_group_count == 1 && (is_mode || strncasecmp(name, "percentile_", 11) == 0)) {
        const pt_expr_sort_order *order = pt__expr_as_sort_order(call->within_group[0]);
        put(out, order->child);
        pt__buffer_append_string(out, order->is_descending != is_mode ? " DESC)" : ")");
        return;
    }
    put_list(out, call->within_group, call->within_group_count, ", ");
    pt__buffer_append_string(out, ")");
}

static bool has_type(const pt_expr *expr, pt_type_id id)
{
    return expr->type != NULL && expr->type->id == id;
}

static bool pads_bytes(const pt_expr_call *call, const char *name)
{
    return (strcasecmp(name, "lpad") == 0 || strcasecmp(name, "rpad") == 0) &&
           has_type(call->arguments[0], PT_TYPE_BINARY);
}

static void put_arguments(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    static const struct {
        const char *name;
        size_t given;
        size_t shown;
        const char *before;
        const char *added;
    } PRINTED[] = {
#define PT_PRINTED(name, given, shown, added) {name, given, shown, "", added},
#define PT_PRINTED_AFTER(name, given, before, added) {name, given, given, before, added},
#include "analyze/printed_arguments.def"
#undef PT_PRINTED
#undef PT_PRINTED_AFTER
    };
    size_t shown = call->argument_count;
    const char *before = "";
    const char *added = "";
    for (size_t i = 0; i < sizeof(PRINTED) / sizeof(PRINTED[0]); i++) {
        bool counts = PRINTED[i].given == SIZE_MAX || PRINTED[i].given == call->argument_count;
        if (counts && strcasecmp(PRINTED[i].name, name) == 0) {
            shown = PRINTED[i].shown < shown ? PRINTED[i].shown : shown;
            before = PRINTED[i].before;
            added = PRINTED[i].added;
        }
    }
    if (shown == 2 && *added != '\0' && pads_bytes(call, name))
        added = ", X'00'";
    pt__buffer_append_string(out, before);
    put_list(out, call->arguments, shown, ", ");
    pt__buffer_append_string(out, added);
}

/* mode(x, true) */
static bool put_ordered_mode(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    if (strcasecmp(name, "mode") != 0 || call->argument_count != 2 || call->arguments[1]->kind != PT_EXPR_LITERAL ||
        call->arguments[1]->type->id != PT_TYPE_BOOLEAN || !pt__expr_as_literal(call->arguments[1])->value.as.boolean)
        return false;
    pt__buffer_append_string(out, "mode() WITHIN GROUP (ORDER BY ");
    put(out, call->arguments[0]);
    pt__buffer_append_string(out, " DESC)");
    return true;
}

/* TRIM(BOTH a FROM b), a LIKE b ESCAPE 'c' */
static bool put_trim(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    static const char *const SIDES[][2] = {{"trim", "BOTH"}, {"ltrim", "LEADING"}, {"rtrim", "TRAILING"}};
    for (size_t i = 0; i < sizeof(SIDES) / sizeof(*SIDES) && call->argument_count == 2; i++) {
        if (strcasecmp(name, SIDES[i][0]) != 0)
            continue;
        pt__buffer_printf(out, "TRIM(%s ", SIDES[i][1]);
        put(out, call->arguments[0]);
        pt__buffer_append_string(out, " FROM ");
        put(out, call->arguments[1]);
        pt__buffer_append_string(out, ")");
        return true;
    }
    if (strcasecmp(name, "like") != 0 || call->argument_count != 3)
        return false;
    put(out, call->arguments[0]);
    pt__buffer_append_string(out, " LIKE ");
    put(out, call->arguments[1]);
    pt__buffer_append_string(out, " ESCAPE '");
    put(out, call->arguments[2]);
    pt__buffer_append_string(out, "'");
    return true;
}

/* to_char and to_varchar by the type that they take: what Spark has in their place. */
static bool put_converted(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    bool is_char = strcasecmp(name, "to_char") == 0;
    if ((!is_char && strcasecmp(name, "to_varchar") != 0) || call->argument_count != 2)
        return false;
    const pt_type *type = call->arguments[0]->type;
    const pt_expr *format = call->arguments[1];
    if (type != NULL && (type->id == PT_TYPE_BINARY || pt__type_is_string(type))) {
        bool is_literal = format->kind == PT_EXPR_LITERAL && pt__type_is_string(format->type);
        pt_text_view text = is_literal ? pt__expr_as_literal(format)->value.as.text : (pt_text_view){"", 0};
        if (text.size_bytes == 3 && strncasecmp(text.data, "hex", 3) == 0 && is_char)
            pt__buffer_append_string(out, "hex(");
        else if (text.size_bytes == 6 && strncasecmp(text.data, "base64", 6) == 0 && is_char)
            pt__buffer_append_string(out, "base64(");
        else
            return false;
        put(out, call->arguments[0]);
        pt__buffer_append_string(out, ")");
        return true;
    }
    bool is_time = type != NULL && pt__type_is_datetime(type);
    pt__buffer_append_string(out, is_time ? "date_format(" : "to_char(");
    put_list(out, call->arguments, 2, ", ");
    pt__buffer_append_string(out, ")");
    return true;
}

/* extract(YEAR FROM x), (IF(a, b, c)) */
static bool put_extract(pt__buffer *out, const pt_expr_call *call, const char *name)
{
    if (strcasecmp(name, "if") == 0 && call->argument_count == 3) {
        pt__buffer_append_string(out, "(IF(");
        put_list(out, call->arguments, 3, ", ");
        pt__buffer_append_string(out, "))");
        return true;
    }
    if (put_trim(out, call, name) || put_converted(out, call, name))
        return true;
    bool is_extract = strcasecmp(name, "extract") == 0 || strcasecmp(name, "datepart") == 0;
    if (!is_extract || call->argument_count != 2)
        return false;
    pt__buffer_printf(out, "%s(", name);
    put(out, call->arguments[0]);
    pt__buffer_append_string(out, " FROM ");
    put(out, call->arguments[1]);
    pt__buffer_append_string(out, ")");
    return true;
}

static void put_call(pt__buffer *out, const pt_expr_call *call)
{
    const char *name = call->name.parts[call->name.count - 1];
    if (put_ordered_mode(out, call, name))
        return;
    if (strcasecmp(name, "from_json") == 0 && call->base.type != NULL && call->base.type->id == PT_TYPE_MAP) {
        pt__buffer_append_string(out, "entries");
        return;
    }
    if (call->within_group_count != 0 && strcasecmp(name, "string_agg") == 0)
        name = "listagg";
    if (put_operator(out, call, name) || put_literal_call(out, call, name))
        return;
    if (put_extract(out, call, name))
        return;
    if (call->is_operator && call->argument_count == 1) {
        put_between(out, call, strcmp(name, "negative") == 0 ? "(- " : "(+ ", "", ")");
        return;
    }
    pt__buffer_append_string(out, printed_name(name, call->argument_count));
    pt__buffer_append_string(out, call->is_distinct ? "(DISTINCT " : "(");
    put_arguments(out, call, name);
    pt__buffer_append_string(out, ")");
    if (call->within_group_count != 0)
        put_within_group(out, call, name);
    if (call->ignore_nulls && strcasecmp(name, "nth_value") == 0)
        pt__buffer_append_string(out, " ignore nulls");
    if (call->filter != NULL) {
        pt__buffer_append_string(out, " FILTER (WHERE ");
        put(out, call->filter);
        pt__buffer_append_string(out, ")");
    }
}

/* ---- the rest ---- */

static void put_cast(pt__buffer *out, const pt_expr_cast *cast)
{
    if (cast->is_implicit) {
        put(out, cast->child);
        return;
    }
    pt__buffer_append_string(out, cast->mode == PT_CAST_TRY ? "TRY_CAST(" : "CAST(");
    put(out, cast->child);
    pt__buffer_append_string(out, " AS ");
    pt__type_append_sql(out, cast->target);
    pt__buffer_append_string(out, ")");
}

static void put_case(pt__buffer *out, const pt_expr_case *node)
{
    pt__buffer_append_string(out, "CASE");
    for (size_t i = 0; i < node->branch_count; i++) {
        pt__buffer_append_string(out, " WHEN ");
        put(out, node->branches[i].condition);
        pt__buffer_append_string(out, " THEN ");
        put(out, node->branches[i].value);
    }
    if (node->otherwise != NULL) {
        pt__buffer_append_string(out, " ELSE ");
        put(out, node->otherwise);
    }
    pt__buffer_append_string(out, " END");
}

static void put_sort_order(pt__buffer *out, const pt_expr_sort_order *order)
{
    put(out, order->child);
    pt__buffer_append_string(out, order->is_descending ? " DESC" : " ASC");
    pt__buffer_append_string(out, order->nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

static void put_bound(pt__buffer *out, const pt_frame_bound *bound)
{
    switch (bound->kind) {
    case PT_BOUND_UNBOUNDED_PRECEDING: pt__buffer_append_string(out, "UNBOUNDED PRECEDING"); break;
    case PT_BOUND_UNBOUNDED_FOLLOWING: pt__buffer_append_string(out, "UNBOUNDED FOLLOWING"); break;
    case PT_BOUND_CURRENT_ROW: pt__buffer_append_string(out, "CURRENT ROW"); break;
    case PT_BOUND_PRECEDING:
        put(out, bound->offset);
        pt__buffer_append_string(out, " PRECEDING");
        break;
    case PT_BOUND_FOLLOWING:
        put(out, bound->offset);
        pt__buffer_append_string(out, " FOLLOWING");
        break;
    }
}

static void put_window(pt__buffer *out, const pt_expr_window *window)
{
    put(out, window->function);
    pt__buffer_append_string(out, " OVER (");
    const char *gap = "";
    if (window->partition_count != 0) {
        pt__buffer_append_string(out, "PARTITION BY ");
        put_list(out, window->partition, window->partition_count, ", ");
        gap = " ";
    }
    if (window->order_count != 0) {
        pt__buffer_printf(out, "%sORDER BY ", gap);
        put_list(out, window->order, window->order_count, ", ");
        gap = " ";
    }
    if (window->unit != PT_FRAME_NONE) {
        pt__buffer_printf(out, "%s%s BETWEEN ", gap, window->unit == PT_FRAME_ROWS ? "ROWS" : "RANGE");
        put_bound(out, &window->lower);
        pt__buffer_append_string(out, " AND ");
        put_bound(out, &window->upper);
    }
    pt__buffer_append_string(out, ")");
}

static void put_lambda(pt__buffer *out, const pt_expr_lambda *lambda)
{
    pt__buffer_append_string(out, "lambdafunction(");
    put(out, lambda->body);
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        pt__buffer_append_string(out, ", ");
        put(out, &lambda->parameters[i]->base);
    }
    pt__buffer_append_string(out, ")");
}

static void put_lambda_variable(pt__buffer *out, const pt_expr_lambda_variable *variable)
{
    if (variable->base.type == NULL)
        pt__buffer_append_string(out, variable->name.parts[0]);
    else
        pt__buffer_printf(out, "namedlambdavariable()");
}

static void put_attribute(pt__buffer *out, const pt_name *name)
{
    for (size_t i = 0; i < name->count; i++)
        pt__buffer_printf(out, "%s%s", i == 0 ? "" : ".", name->parts[i]);
}

static void put_subquery(pt__buffer *out, const pt_expr_subquery *subquery)
{
    switch (subquery->subquery_kind) {
    case PT_SUBQUERY_EXISTS: pt__buffer_append_string(out, "exists()"); break;
    case PT_SUBQUERY_IN:
        pt__buffer_append_string(out, "(");
        put_list(out, subquery->values, subquery->value_count, ", ");
        pt__buffer_append_string(out, " IN (listquery()))");
        break;
    case PT_SUBQUERY_SCALAR:
    case PT_SUBQUERY_TABLE: pt__buffer_append_string(out, "scalarsubquery()"); break;
    }
}

static void put_update_fields(pt__buffer *out, const pt_expr_update_fields *update)
{
    pt__buffer_append_string(out, "update_fields(");
    put(out, update->child);
    if (update->value == NULL) {
        pt__buffer_append_string(out, ", dropfield())");
        return;
    }
    pt__buffer_append_string(out, ", WithField(");
    put(out, update->value);
    pt__buffer_append_string(out, "))");
}

static void put(pt__buffer *out, const pt_expr *expr)
{
    switch (expr->kind) {
    case PT_EXPR_LITERAL: put_literal(out, pt__expr_as_literal(expr)); break;
    case PT_EXPR_ATTRIBUTE: put_attribute(out, &pt__expr_as_attribute(expr)->name); break;
    case PT_EXPR_ORDINAL: pt__buffer_printf(out, "_%u", pt__expr_as_ordinal(expr)->position); break;
    case PT_EXPR_STAR: pt__buffer_append_string(out, "*"); break;
    case PT_EXPR_COLUMN_REGEX: pt__buffer_append_string(out, pt__expr_as_column_regex(expr)->pattern); break;
    case PT_EXPR_PARAMETER: pt__buffer_append_string(out, "?"); break;
    case PT_EXPR_EXTRACT:
        put(out, pt__expr_as_extract(expr)->child);
        pt__buffer_append_string(out, "[");
        put(out, pt__expr_as_extract(expr)->key);
        pt__buffer_append_string(out, "]");
        break;
    case PT_EXPR_COLUMN: pt__buffer_append_string(out, pt__expr_as_column(expr)->name); break;
    case PT_EXPR_FIELD:
        put(out, pt__expr_as_field(expr)->child);
        pt__buffer_printf(out, ".%s", pt__expr_as_field(expr)->name);
        break;
    case PT_EXPR_CALL: put_call(out, pt__expr_as_call(expr)); break;
    case PT_EXPR_ALIAS:
        put(out, pt__expr_as_alias(expr)->child);
        pt__buffer_printf(out, " AS %s", pt__expr_as_alias(expr)->names[0]);
        break;
    case PT_EXPR_CAST: put_cast(out, pt__expr_as_cast(expr)); break;
    case PT_EXPR_CASE: put_case(out, pt__expr_as_case(expr)); break;
    case PT_EXPR_IN:
        pt__buffer_append_string(out, "(");
        put(out, pt__expr_as_in(expr)->child);
        pt__buffer_append_string(out, " IN (");
        put_list(out, pt__expr_as_in(expr)->values, pt__expr_as_in(expr)->value_count, ", ");
        pt__buffer_append_string(out, "))");
        break;
    case PT_EXPR_SORT_ORDER: put_sort_order(out, pt__expr_as_sort_order(expr)); break;
    case PT_EXPR_WINDOW: put_window(out, pt__expr_as_window(expr)); break;
    case PT_EXPR_LAMBDA: put_lambda(out, pt__expr_as_lambda(expr)); break;
    case PT_EXPR_LAMBDA_VARIABLE: put_lambda_variable(out, pt__expr_as_lambda_variable(expr)); break;
    case PT_EXPR_UPDATE_FIELDS: put_update_fields(out, pt__expr_as_update_fields(expr)); break;
    case PT_EXPR_SUBQUERY: put_subquery(out, pt__expr_as_subquery(expr)); break;
    case PT_EXPR_NAMED_ARGUMENT: put(out, pt__expr_as_named_argument(expr)->value); break;
    case PT_EXPR_PYTHON_UDF:
        pt__buffer_printf(out, "%s(", pt__expr_as_python_udf(expr)->name);
        put_list(out, pt__expr_as_python_udf(expr)->arguments, pt__expr_as_python_udf(expr)->argument_count, ", ");
        pt__buffer_append_string(out, ")");
        break;
    case PT_EXPR_COUNT: break;
    }
}

const char *pt__pretty_name(pt__arena *arena, const pt_expr *expr)
{
    pt__buffer *text = pt__arena_buffer(arena);
    put(text, expr);
    return pt__arena_buffer_take(arena, text);
}
