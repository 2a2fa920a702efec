/**
 * Decoders turn queries of one format into plans; translators turn the extension nodes that a format leaves open.
 *
 * Built in are the decoders spark.connect.plan.v1, spark.sql, and those that pt_host_format_at lists beside them. One of
 * the same name that is added later takes the place of the earlier.
 *
 * Threads: decode and translate run on workers, several at once; `self` guards itself. Adding is for before the first
 *          session.
 */
#ifndef PORTICO_DECODER_H
#define PORTICO_DECODER_H

#include <portico/config.h>
#include <portico/host.h>
#include <portico/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pt_decoder_vtable {
    size_t size_bytes;  /* members beyond it are unknown to the plug-in: append only */
    const char *format; /* "acme.query.v1" */
    /** NULL: there is no state, `self` is NULL. */
    pt_status (*open)(const pt_config *config, void **self, pt_error *err);
    void (*close)(void *self);
    /** From payload and options to a plan; neither I/O nor state of a session. */
    pt_status (*decode)(void *self, const pt_encoded_query *query, pt_builder *builder, const pt_plan **out,
                        pt_error *err);
} pt_decoder_vtable;

/** An extension node: the fields of google.protobuf.Any, and what the format holds beside it. Borrowed. */
typedef struct pt_extension {
    size_t size_bytes;
    const char *type_url; /* as sent; a translator is found by what follows the last '/' */
    pt_bytes_view value;
    const pt_plan *const *inputs; /* relations that the format gives beside it (Substrait); may be empty */
    size_t input_count;
} pt_extension;

typedef struct pt_translator_vtable {
    size_t size_bytes;
    const char *type_name; /* what follows the last '/' of the type URL: "acme.Sample" */
    pt_status (*open)(const pt_config *config, void **self, pt_error *err);
    void (*close)(void *self);
    /* What the type may stand for; NULL: it may not. */
    pt_status (*relation)(void *self, const pt_extension *extension, pt_builder *builder, const pt_plan **out,
                          pt_error *err);
    pt_status (*expression)(void *self, const pt_extension *extension, pt_builder *builder, const pt_expr **out,
                            pt_error *err);
    pt_status (*command)(void *self, const pt_extension *extension, pt_builder *builder, const pt_plan **out,
                         pt_error *err);
} pt_translator_vtable;

/** The tables live as long as the host, `config` (may be NULL) only during the call. Errors: those of `open`. */
pt_status pt_host_add_decoder(pt_host *host, const pt_decoder_vtable *decoder, const pt_config *config, pt_error *err);
pt_status pt_host_add_translator(pt_host *host, const pt_translator_vtable *translator, const pt_config *config,
                                 pt_error *err);

/** The formats that have decoders, by position; NULL past the end. Those a backend takes undecoded come on top. */
const char *pt_host_format_at(const pt_host *host, size_t index);

#ifdef __cplusplus
}
#endif

#endif
