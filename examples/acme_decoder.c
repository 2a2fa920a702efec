/*
 * A query format and two extension nodes from outside: the library knows nothing of them.
 *
 * - The format acme.query.v1 is text of one step a line: "from TABLE", "where CONDITION", "select EXPRESSIONS",
 *   "top N".
 * - acme.TopRows is an extension relation for Spark Connect: a relation (field 1), a count (field 2) and a column
 *   (field 3), for the rows that have the largest values. acme.Clamp is an extension expression: an expression
 *   (field 1) between two doubles (fields 2 and 3).
 *
 * As a program it runs a query of the format through the C API. As a plug-in (portico serve --plugins …) it serves
 * clients of Spark Connect, which send the extensions in their `extension` fields.
 */
#include <portico/decoder.h>
#include <portico/job.h>
#include <portico/plugin.h>

#include <stdio.h>
#include <string.h>

/* ---- the format ---- */

static pt_text_view text_after(const char *line, size_t size, const char *word)
{
    size_t skip = strlen(word);
    if (size < skip || memcmp(line, word, skip) != 0)
        return (pt_text_view){NULL, 0};
    return (pt_text_view){line + skip, size - skip};
}

/* "a, b + 1 as c": a comma within parentheses separates nothing. */
static const pt_plan *select_step(pt_builder *builder, const pt_plan *input, pt_text_view list)
{
    const pt_expr *expressions[64];
    size_t count = 0;
    size_t start = 0;
    int depth = 0;
    for (size_t i = 0; i <= list.size_bytes && count < 64; i++) {
        char c = i == list.size_bytes ? ',' : list.data[i];
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c != ',' || (depth != 0 && i != list.size_bytes))
            continue;
        expressions[count++] = pt_build_expression_sql(builder, (pt_text_view){list.data + start, i - start});
        start = i + 1;
    }
    return pt_build_project(builder, input, expressions, count);
}

static const pt_plan *table_step(pt_builder *builder, pt_text_view name)
{
    char copy[256];
    const char *part = copy;
    snprintf(copy, sizeof(copy), "%.*s", (int)name.size_bytes, name.data);
    return pt_build_table(builder, &part, 1);
}

/* Payloads are not terminated. */
static int64_t number_of(pt_text_view text)
{
    int64_t number = 0;
    for (size_t i = 0; i < text.size_bytes && text.data[i] >= '0' && text.data[i] <= '9' && number < 1000000000; i++)
        number = number * 10 + (text.data[i] - '0');
    return number;
}

static pt_status decode_step(pt_builder *builder, const char *line, size_t size, const pt_plan **plan, pt_error *err)
{
    pt_text_view rest;
    if ((rest = text_after(line, size, "from ")).data != NULL)
        *plan = table_step(builder, rest);
    else if ((rest = text_after(line, size, "where ")).data != NULL)
        *plan = pt_build_filter(builder, *plan, pt_build_expression_sql(builder, rest));
    else if ((rest = text_after(line, size, "select ")).data != NULL)
        *plan = select_step(builder, *plan, rest);
    else if ((rest = text_after(line, size, "top ")).data != NULL)
        *plan = pt_build_limit(builder, *plan, number_of(rest), -1);
    else
        return pt_error_set(err, PT_BAD_PLAN, "acme.query.v1 has no step like \"%.*s\"", (int)size, line);
    return PT_OK;
}

static pt_status decode(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                        pt_error *err)
{
    (void)self;
    const char *text = (const char *)query->payload.data;
    const char *end = text + query->payload.size_bytes;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        size_t size = line_end == NULL ? (size_t)(end - text) : (size_t)(line_end - text);
        pt_status status = size == 0 ? PT_OK : decode_step(builder, text, size, out, err);
        if (status != PT_OK)
            return status;
        text += size + 1;
    }
    return *out == NULL ? pt_error_set(err, PT_BAD_PLAN, "acme.query.v1 begins with \"from TABLE\"") : PT_OK;
}

static const pt_decoder_vtable acme_query = {
    .size_bytes = sizeof(pt_decoder_vtable), .format = "acme.query.v1", .decode = decode};

/* ---- the extension nodes ---- */

typedef struct message {
    pt_bytes_view field[4]; /* of length-delimited fields, by number */
    uint64_t number[4];     /* of varint and 64-bit fields */
} message;

static bool read_varint(pt_bytes_view *rest, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && rest->size_bytes != 0; shift += 7) {
        uint8_t byte = *rest->data++;
        rest->size_bytes--;
        *out |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take(pt_bytes_view *rest, uint64_t size, pt_bytes_view *out)
{
    if (size > rest->size_bytes)
        return false;
    *out = (pt_bytes_view){rest->data, (size_t)size};
    rest->data += size;
    rest->size_bytes -= (size_t)size;
    return true;
}

static bool read_message(pt_bytes_view rest, message *out)
{
    uint64_t tag;
    uint64_t size;
    pt_bytes_view eight;
    *out = (message){0};
    while (rest.size_bytes != 0) {
        if (!read_varint(&rest, &tag) || tag >> 3 > 3)
            return false;
        if ((tag & 7) == 0 && !read_varint(&rest, &out->number[tag >> 3]))
            return false;
        if ((tag & 7) == 2 && !(read_varint(&rest, &size) && take(&rest, size, &out->field[tag >> 3])))
            return false;
        if ((tag & 7) == 1) {
            if (!take(&rest, 8, &eight))
                return false;
            memcpy(&out->number[tag >> 3], eight.data, 8);
        } else if ((tag & 7) != 0 && (tag & 7) != 2) {
            return false;
        }
    }
    return true;
}

static pt_status top_rows(void *self, const pt_extension *extension, pt_builder *builder, const pt_plan **out,
                          pt_error *err)
{
    (void)self;
    message m;
    if (!read_message(extension->value, &m) || m.field[3].size_bytes == 0)
        return pt_error_set(err, PT_BAD_PLAN, "acme.TopRows: a relation, a count and a column are wanted");
    char name[256];
    const char *part = name;
    snprintf(name, sizeof(name), "%.*s", (int)m.field[3].size_bytes, (const char *)m.field[3].data);
    const pt_plan *input = pt_build_nested_relation(builder, m.field[1]);
    const pt_expr *order = pt_build_order(builder, pt_build_column(builder, &part, 1), true, false);
    *out = pt_build_limit(builder, pt_build_sort(builder, input, &order, 1), (int64_t)m.number[2], -1);
    return PT_OK;
}

static pt_status clamp(void *self, const pt_extension *extension, pt_builder *builder, const pt_expr **out,
                       pt_error *err)
{
    (void)self;
    message m;
    double low;
    double high;
    if (!read_message(extension->value, &m))
        return pt_error_set(err, PT_BAD_PLAN, "acme.Clamp: an expression and two doubles are wanted");
    memcpy(&low, &m.number[2], sizeof(low));
    memcpy(&high, &m.number[3], sizeof(high));
    const pt_expr *at_most[] = {pt_build_nested_expression(builder, m.field[1]), pt_build_double(builder, high)};
    const pt_expr *at_least[] = {pt_build_call(builder, "least", at_most, 2), pt_build_double(builder, low)};
    *out = pt_build_call(builder, "greatest", at_least, 2);
    return PT_OK;
}

static const pt_translator_vtable acme_top_rows = {
    .size_bytes = sizeof(pt_translator_vtable), .type_name = "acme.TopRows", .relation = top_rows};
static const pt_translator_vtable acme_clamp = {
    .size_bytes = sizeof(pt_translator_vtable), .type_name = "acme.Clamp", .expression = clamp};

pt_status pt_plugin_open(pt_host *host, const pt_config *config, pt_error *err)
{
    pt_status status = pt_host_add_decoder(host, &acme_query, config, err);
    if (status == PT_OK)
        status = pt_host_add_translator(host, &acme_top_rows, config, err);
    if (status == PT_OK)
        status = pt_host_add_translator(host, &acme_clamp, config, err);
    return status;
}

/* ---- the program ---- */

static pt_status submit(pt_host *host, pt_session *session, const char *format, const char *text, pt_job **out,
                        pt_error *err)
{
    pt_submit_request request = {
        .size_bytes = sizeof(request),
        .session = session,
        .query = {.format = format, .payload = {(const uint8_t *)text, strlen(text)}},
    };
    return pt_host_submit(host, &request, out, err);
}

/* Prints the first column, of 64-bit integers; a command has none. */
static pt_status print_numbers(pt_job *job, pt_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    pt_status status = pt_job_result(job, &stream, err);
    if (status != PT_OK)
        return status;
    while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
        for (int64_t i = 0; batch.n_children != 0 && i < batch.length; i++) {
            const struct ArrowArray *column = batch.children[0];
            printf("%lld\n", (long long)((const int64_t *)column->buffers[1])[column->offset + i]);
        }
        batch.release(&batch);
    }
    stream.release(&stream);
    return pt_job_failure(job, err);
}

static pt_status run(pt_host *host, pt_session *session, const char *format, const char *text, pt_error *err)
{
    pt_job *job = NULL;
    pt_status status = submit(host, session, format, text, &job, err);
    if (status == PT_OK)
        status = print_numbers(job, err);
    pt_job_unref(job);
    return status;
}

static pt_status run_all(pt_host *host, int count, const char *const *queries, pt_error *err)
{
    pt_session *session = NULL;
    pt_status status = pt_plugin_open(host, NULL, err);
    if (status == PT_OK)
        status = pt_host_add_backend(host, &pt_backend_duckdb, NULL, err);
    if (status == PT_OK)
        status = pt_host_create_session(host, NULL, &session, err);
    if (status == PT_OK)
        status = run(host, session, "spark.sql", "create table numbers as select id from range(100)", err);
    for (int i = 0; status == PT_OK && i + 1 < count; i += 2)
        status = run(host, session, queries[i], queries[i + 1], err);
    pt_session_unref(session);
    return status;
}

/* acme_decoder [FORMAT QUERY]…: queries over a table `numbers` of one column `id`, 0 to 99. */
int main(int argc, char **argv)
{
    static const char *const example[] = {"acme.query.v1",
                                          "from numbers\nwhere id % 7 = 0\nselect id * 10 as tens\ntop 3\n"};
    pt_error err = PT_ERROR_INIT;
    pt_host *host = NULL;
    pt_status status = pt_host_new(NULL, &host, &err);
    if (status == PT_OK)
        status =
            argc > 1 ? run_all(host, argc - 1, (const char *const *)argv + 1, &err) : run_all(host, 2, example, &err);
    if (status != PT_OK)
        fprintf(stderr, "acme_decoder: %s\n", pt_error_full_message(&err));
    pt_host_free(host);
    pt_error_clear(&err);
    return status == PT_OK ? 0 : 1;
}
