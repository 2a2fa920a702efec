#include "exec/decode.h"

#include "decode/builder.h"
#include "decode/formats.h"
#include "exec/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the registry ---- */

typedef struct registered {
    const void *vtable; /* of a decoder or a translator */
    void *self;
} registered;

/* True when the plug-in's table reaches over the member. */
#define KNOWS(vtable, type, member) ((vtable)->size_bytes >= offsetof(type, member) + sizeof((vtable)->member))

static pt_status add(pt__map *map, const char *name, const registered *entry, pt_error *err)
{
    registered *copy = malloc(sizeof(*copy));
    void *old = NULL;
    if (copy == NULL || !pt__map_set(map, name, copy, &old)) {
        free(copy);
        return pt_error_set(err, PT_NO_MEMORY, "no memory to register %s", name);
    }
    *copy = *entry;
    return old == NULL ? PT_OK : pt_error_set(err, PT_INTERNAL, "%s was not unregistered", name);
}

static void close_decoder(registered *entry)
{
    const pt_decoder_vtable *decoder = entry->vtable;
    if (decoder->close != NULL)
        decoder->close(entry->self);
    free(entry);
}

static void close_translator(registered *entry)
{
    const pt_translator_vtable *translator = entry->vtable;
    if (translator->close != NULL)
        translator->close(entry->self);
    free(entry);
}

pt_status pt_host_add_decoder(pt_host *host, const pt_decoder_vtable *decoder, const pt_config *config, pt_error *err)
{
    if (!KNOWS(decoder, pt_decoder_vtable, decode) || decoder->format == NULL || decoder->decode == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "a decoder needs a format and a decode function");
    registered entry = {decoder, NULL};
    if (decoder->open != NULL)
        PT_TRY(decoder->open(config, &entry.self, err));
    registered *old = pt__map_remove(&host->decoders, decoder->format);
    if (old != NULL)
        close_decoder(old);
    return add(&host->decoders, decoder->format, &entry, err);
}

pt_status pt_host_add_translator(pt_host *host, const pt_translator_vtable *translator, const pt_config *config,
                                 pt_error *err)
{
    if (!KNOWS(translator, pt_translator_vtable, relation) || translator->type_name == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "a translator needs a type name and a function");
    registered entry = {translator, NULL};
    if (translator->open != NULL)
        PT_TRY(translator->open(config, &entry.self, err));
    registered *old = pt__map_remove(&host->translators, translator->type_name);
    if (old != NULL)
        close_translator(old);
    return add(&host->translators, translator->type_name, &entry, err);
}

pt_status pt__host_add_decoders(pt_host *host, pt_error *err)
{
    const pt_decoder_vtable *decoder;
    for (size_t i = 0; (decoder = pt__decoder_at(i)) != NULL; i++)
        PT_TRY(pt_host_add_decoder(host, decoder, NULL, err));
    return PT_OK;
}

void pt__host_close_decoders(pt_host *host)
{
    const char *name;
    void *entry;
    for (size_t at = 0; pt__map_next(&host->decoders, &at, &name, &entry);)
        close_decoder(entry);
    for (size_t at = 0; pt__map_next(&host->translators, &at, &name, &entry);)
        close_translator(entry);
    pt__map_deinit(&host->decoders);
    pt__map_deinit(&host->translators);
}

static const char *name_at(const pt__map *map, size_t index)
{
    const char *name;
    void *entry;
    for (size_t at = 0; pt__map_next(map, &at, &name, &entry);) {
        if (index-- == 0)
            return name;
    }
    return NULL;
}

const char *pt_host_format_at(const pt_host *host, size_t index)
{
    return name_at(&host->decoders, index);
}

/* "a, b, c", for errors; what does not fit is left out. */
static const char *names(const pt__map *map, char *out, size_t size_bytes)
{
    const char *name;
    size_t used = 0;
    snprintf(out, size_bytes, "none");
    for (size_t i = 0; used < size_bytes && (name = name_at(map, i)) != NULL; i++)
        used += (size_t)snprintf(out + used, size_bytes - used, "%s%s", i == 0 ? "" : ", ", name);
    return out;
}

enum { NAMES_BYTES = 512 };

pt_status pt__host_check_format(pt_host *host, const char *format, pt_error *err)
{
    char known[NAMES_BYTES];
    if (pt__map_get(&host->decoders, format) != NULL)
        return PT_OK;
    return pt_error_set(err, PT_UNSUPPORTED, "queries of format %s are not known here; known formats: %s", format,
                        names(&host->decoders, known, sizeof(known)));
}

/* ---- translators ---- */

static const registered *find_translator(pt_host *host, const char *type_url)
{
    const char *slash = strrchr(type_url, '/');
    return pt__map_get(&host->translators, slash == NULL ? type_url : slash + 1);
}

static pt_status no_translator(pt_host *host, const pt_extension *extension, pt_error *err)
{
    char known[NAMES_BYTES];
    return pt__raise(err, PT_COND_CONNECT_INVALID_PLAN_NO_HANDLER, "extensionTypeUrl", extension->type_url,
                     "registeredTypes", names(&host->translators, known, sizeof(known)), NULL);
}

static pt_builder *new_builder(pt_host *host, pt__arena *arena, const pt__nested *nested, pt_error *err)
{
    pt_builder *builder = pt__builder_new(arena, pt__host_plan_limit_bytes(host), &host->translator_options, nested);
    if (builder == NULL)
        pt_error_set(err, PT_NO_MEMORY, "no memory to decode a query");
    return builder;
}

#define TRANSLATE(member, out_type)                                                                                    \
    static pt_status translate_##member(void *context, pt__arena *arena, const pt_extension *extension,                \
                                        const pt__nested *nested, const out_type **out, pt_error *err)                 \
    {                                                                                                                  \
        pt_host *host = context;                                                                                       \
        const registered *found = find_translator(host, extension->type_url);                                          \
        const pt_translator_vtable *translator = found == NULL ? NULL : found->vtable;                                 \
        if (translator == NULL || !KNOWS(translator, pt_translator_vtable, member) || translator->member == NULL)      \
            return no_translator(host, extension, err);                                                                \
        pt_builder *builder = new_builder(host, arena, nested, err);                                                   \
        if (builder == NULL)                                                                                           \
            return PT_NO_MEMORY;                                                                                       \
        pt_status status = translator->member(found->self, extension, builder, out, err);                              \
        return pt__builder_finish(builder, status, *out, err);                                                         \
    }

TRANSLATE(relation, pt_plan)
TRANSLATE(expression, pt_expr)
TRANSLATE(command, pt_plan)

void pt__host_init_decoders(pt_host *host)
{
    host->extensions = (pt__extensions){translate_relation, translate_expression, translate_command, host};
    host->translator_options.extensions = &host->extensions;
}

/* ---- decoding ---- */

static bool is_set(pt_session *session, pt__arena *arena, const char *key, const char *value)
{
    const char *found = pt__session_conf_option(session, arena, key);
    return found != NULL && strcasecmp(found, value) == 0;
}

pt__decode_options pt__session_decode_options(pt_session *session, pt__arena *arena)
{
    bool ansi = is_set(session, arena, "spark.sql.ansi.enabled", "true");
    pt__decode_options options = {.extensions = &session->host->extensions};
    pt__sql_options *sql = &options.sql;
    sql->double_quoted_identifiers = ansi && is_set(session, arena, "spark.sql.ansi.doubleQuotedIdentifiers", "true");
    sql->escaped_string_literals = is_set(session, arena, "spark.sql.parser.escapedStringLiterals", "true");
    sql->enforce_reserved_keywords = ansi && is_set(session, arena, "spark.sql.ansi.enforceReservedKeywords", "true");
    sql->timestamp_is_ntz = is_set(session, arena, "spark.sql.timestampType", "TIMESTAMP_NTZ");
    return options;
}

/* The guard is for decoders of our own, which use the builder's arena and own nothing outside it. */
static pt_status run_decoder(const registered *entry, const pt_encoded_query *query, pt_builder *builder,
                             const pt_plan **out, pt_error *err)
{
    const pt_decoder_vtable *decoder = entry->vtable;
    if (PT_ARENA_GUARD(builder->arena)) {
        pt__builder_fail_for_memory(builder);
        return PT_LIMIT;
    }
    pt_status status = decoder->decode(entry->self, query, builder, out, err);
    pt__arena_unguard(builder->arena);
    return status;
}

pt_status pt__session_decode(pt_session *session, pt__arena *arena, const pt_encoded_query *query, const pt_plan **out,
                             pt_error *err)
{
    pt_host *host = session->host;
    PT_TRY(pt__host_check_format(host, query->format, err));
    const registered *entry = pt__map_get(&host->decoders, query->format);
    pt__decode_options *options = pt__arena_make(arena, pt__decode_options);
    *options = pt__session_decode_options(session, arena);
    pt_builder *builder = pt__builder_new(arena, pt__host_plan_limit_bytes(host), options, NULL);
    if (builder == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory to decode a query");
    pt_status status = run_decoder(entry, query, builder, out, err);
    return pt__builder_finish(builder, status, *out, err);
}
