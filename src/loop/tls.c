#include "loop/tls.h"

#include "base/buffer.h"
#include "base/unconst.h"
#include "wire/outbox.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_BYTES = 16384, NAME_BYTES = 256 };

struct pt__tls_context {
    SSL_CTX *ssl;
    BIO_METHOD *method;
    char *certificate_path;
    char *key_path;
    char *client_ca_path; /* NULL: clients need no certificate */
};

struct pt__tls {
    SSL *ssl;
    pt_bytes_view input; /* ciphertext not yet taken */
    pt__buffer written;  /* ciphertext of the operation that is running */
    pt__outbox outbox;   /* ciphertext to be sent */
    char peer_name[NAME_BYTES];
};

/* OpenSSL reads and writes through these two. */

static int bio_read(BIO *bio, char *out, int max)
{
    pt__tls *tls = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (tls->input.size_bytes == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t count = tls->input.size_bytes < (size_t)max ? tls->input.size_bytes : (size_t)max;
    memcpy(out, tls->input.data, count);
    tls->input.data += count;
    tls->input.size_bytes -= count;
    return (int)count;
}

static int bio_write(BIO *bio, const char *data, int size)
{
    pt__tls *tls = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    pt__buffer_append(&tls->written, data, (size_t)size);
    return tls->written.failed ? -1 : size;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static int bio_create(BIO *bio)
{
    BIO_set_init(bio, 1);
    return 1;
}

static BIO_METHOD *make_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "portico");
    if (method == NULL)
        return NULL;
    BIO_meth_set_read(method, bio_read);
    BIO_meth_set_write(method, bio_write);
    BIO_meth_set_ctrl(method, bio_control);
    BIO_meth_set_create(method, bio_create);
    return method;
}

static int select_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size, const unsigned char *offered,
                           unsigned offered_size, void *context)
{
    static const unsigned char h2[] = {2, 'h', '2'};
    (void)ssl;
    (void)context;
    int found = SSL_select_next_proto(pt__unconst(out), out_size, h2, sizeof(h2), offered, offered_size);
    return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* The reason OpenSSL gave last, as text. */
static const char *reason(void)
{
    unsigned long code = ERR_peek_last_error();
    const char *text = code == 0 ? NULL : ERR_reason_error_string(code);
    ERR_clear_error();
    return text == NULL ? "no reason is known" : text;
}

static pt_status set_rules(SSL_CTX *ssl, pt_error *err)
{
    SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_alpn_select_cb(ssl, select_protocol, NULL);
    /* RFC 9113 section 9.2.2 forbids what is left out here; TLS 1.3 has nothing that is. */
    if (SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_cipher_list(ssl, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1)
        return pt_error_set(err, PT_INTERNAL, "TLS cannot be set up: %s", reason());
    return PT_OK;
}

static pt_status load_certificate(SSL_CTX *ssl, const char *certificate_path, const char *key_path, pt_error *err)
{
    if (SSL_CTX_use_certificate_chain_file(ssl, certificate_path) != 1)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "cannot read certificates in PEM format from %s: %s",
                            certificate_path, reason());
    if (SSL_CTX_use_PrivateKey_file(ssl, key_path, SSL_FILETYPE_PEM) != 1)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "cannot use the private key in %s with the certificate: %s",
                            key_path, reason());
    return PT_OK;
}

static pt_status require_client(SSL_CTX *ssl, const char *client_ca_path, pt_error *err)
{
    static const unsigned char session_id_context[] = "portico";
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(client_ca_path);
    if (names == NULL || SSL_CTX_load_verify_file(ssl, client_ca_path) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return pt_error_set(err, PT_INVALID_ARGUMENT, "cannot read the client authority from %s: %s", client_ca_path,
                            reason());
    }
    SSL_CTX_set_client_CA_list(ssl, names);
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_session_id_context(ssl, session_id_context, sizeof(session_id_context) - 1);
    return PT_OK;
}

/* `*out` is the caller's, also after failure. */
static pt_status read_files(const pt__tls_context *context, SSL_CTX **out, pt_error *err)
{
    *out = SSL_CTX_new(TLS_server_method());
    if (*out == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for TLS");
    PT_TRY(set_rules(*out, err));
    PT_TRY(load_certificate(*out, context->certificate_path, context->key_path, err));
    return context->client_ca_path == NULL ? PT_OK : require_client(*out, context->client_ca_path, err);
}

static pt_status set_up(pt__tls_context *context, const char *certificate_path, const char *key_path,
                        const char *client_ca_path, pt_error *err)
{
    context->method = make_method();
    context->certificate_path = strdup(certificate_path);
    context->key_path = strdup(key_path);
    context->client_ca_path = client_ca_path == NULL ? NULL : strdup(client_ca_path);
    if (context->method == NULL || context->certificate_path == NULL || context->key_path == NULL ||
        (client_ca_path != NULL && context->client_ca_path == NULL))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for TLS");
    return read_files(context, &context->ssl, err);
}

pt_status pt__tls_context_new(const char *certificate_path, const char *key_path, const char *client_ca_path,
                              pt__tls_context **out, pt_error *err)
{
    pt__tls_context *context = calloc(1, sizeof(*context));
    if (context == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for TLS");
    pt_status status = set_up(context, certificate_path, key_path, client_ca_path, err);
    if (status == PT_OK)
        *out = context;
    else
        pt__tls_context_free(context);
    return status;
}

/* Connections that are open keep what they began with: each holds a reference. */
pt_status pt__tls_context_reload(pt__tls_context *context, pt_error *err)
{
    SSL_CTX *read;
    pt_status status = read_files(context, &read, err);
    SSL_CTX *unused = read;
    if (status == PT_OK) {
        unused = context->ssl;
        context->ssl = read;
    }
    SSL_CTX_free(unused);
    return status;
}

void pt__tls_context_free(pt__tls_context *context)
{
    if (context == NULL)
        return;
    SSL_CTX_free(context->ssl);
    BIO_meth_free(context->method);
    free(context->certificate_path);
    free(context->key_path);
    free(context->client_ca_path);
    free(context);
}

pt_status pt__tls_new(pt__tls_context *context, pt__tls **out, pt_error *err)
{
    pt__tls *tls = calloc(1, sizeof(*tls));
    BIO *bio = BIO_new(context->method);
    if (tls != NULL)
        tls->ssl = SSL_new(context->ssl);
    if (tls == NULL || bio == NULL || tls->ssl == NULL) {
        BIO_free(bio);
        pt__tls_free(tls);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for TLS");
    }
    BIO_set_data(bio, tls);
    SSL_set_bio(tls->ssl, bio, bio);
    SSL_set_accept_state(tls->ssl);
    *out = tls;
    return PT_OK;
}

void pt__tls_free(pt__tls *tls)
{
    if (tls == NULL)
        return;
    SSL_free(tls->ssl);
    pt__buffer_deinit(&tls->written);
    pt__outbox_deinit(&tls->outbox);
    free(tls);
}

void pt__tls_feed(pt__tls *tls, pt_bytes_view ciphertext)
{
    tls->input = ciphertext;
}

/* Moves what OpenSSL wrote to the outbox, where it keeps its place until it is sent. */
static bool collect_written(pt__tls *tls)
{
    if (tls->written.size_bytes == 0)
        return !tls->written.failed;
    pt_bytes *owner = pt__buffer_take(&tls->written);
    return owner != NULL && pt__outbox_add(&tls->outbox, owner, pt_bytes_get_view(owner));
}

static pt_status explain(pt__tls *tls, int result, pt_error *err)
{
    switch (SSL_get_error(tls->ssl, result)) {
    case SSL_ERROR_WANT_READ: return PT_NEED_MORE;
    case SSL_ERROR_ZERO_RETURN: return pt_error_set(err, PT_UNAVAILABLE, "the peer has ended TLS");
    default: return pt_error_set(err, PT_IO, "TLS: %s", reason());
    }
}

pt_status pt__tls_read(pt__tls *tls, uint8_t *out, size_t max_bytes, size_t *size_bytes, pt_error *err)
{
    ERR_clear_error();
    int result = SSL_read_ex(tls->ssl, out, max_bytes, size_bytes);
    pt_status status = result == 1 ? PT_OK : explain(tls, result, err);
    if (!collect_written(tls))
        return pt_error_set(err, PT_NO_MEMORY, "no memory for TLS");
    return status;
}

/* Gathers pieces into `record` from *index and *offset on; returns how many bytes it holds. */
static size_t gather(const struct iovec *pieces, size_t count, size_t *index, size_t *offset,
                     uint8_t record[RECORD_BYTES])
{
    size_t size = 0;
    while (*index < count && size < RECORD_BYTES) {
        const struct iovec *piece = &pieces[*index];
        size_t left = piece->iov_len - *offset;
        size_t taken = left < RECORD_BYTES - size ? left : RECORD_BYTES - size;
        memcpy(record + size, (const uint8_t *)piece->iov_base + *offset, taken);
        size += taken;
        *offset += taken;
        if (*offset == piece->iov_len) {
            ++*index;
            *offset = 0;
        }
    }
    return size;
}

size_t pt__tls_write(pt__tls *tls, const struct iovec *pieces, size_t count)
{
    uint8_t record[RECORD_BYTES];
    size_t index = 0;
    size_t offset = 0;
    size_t taken = 0;
    if (!SSL_is_init_finished(tls->ssl))
        return 0;
    ERR_clear_error();
    for (;;) {
        size_t size = gather(pieces, count, &index, &offset, record);
        size_t written = 0;
        if (size == 0 || SSL_write_ex(tls->ssl, record, size, &written) != 1)
            break;
        taken += size;
    }
    return collect_written(tls) ? taken : 0;
}

size_t pt__tls_pending(pt__tls *tls, struct iovec *out, size_t max)
{
    return pt__outbox_peek(&tls->outbox, out, max);
}

void pt__tls_sent(pt__tls *tls, size_t size_bytes)
{
    pt__outbox_drop(&tls->outbox, size_bytes);
}

/* A text that others may read as shorter than it is, or that breaks a line of the log, is nobody's name. */
static bool is_name(const char *text, int size)
{
    if (size <= 0 || size >= NAME_BYTES || (int)strlen(text) != size)
        return false;
    for (int i = 0; i < size; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return true;
}

/* The common name, as UTF-8. */
static int read_common_name(const X509_NAME *subject, char out[NAME_BYTES])
{
    unsigned char *text = NULL;
    int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    const X509_NAME_ENTRY *entry = at < 0 ? NULL : X509_NAME_get_entry(subject, at);
    int size = entry == NULL ? -1 : ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
    if (size >= 0 && size < NAME_BYTES) {
        memcpy(out, text, (size_t)size);
        out[size] = '\0';
    }
    OPENSSL_free(text);
    return size;
}

/* The whole of it: "OU=reports,O=Acme" (RFC 2253). */
static int read_subject(const X509_NAME *subject, char out[NAME_BYTES])
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    int size = -1;
    if (bio != NULL && X509_NAME_print_ex(bio, subject, 0, XN_FLAG_RFC2253) >= 0)
        size = (int)BIO_get_mem_data(bio, &text);
    if (size >= 0 && size < NAME_BYTES) {
        memcpy(out, text, (size_t)size);
        out[size] = '\0';
    }
    BIO_free(bio);
    return size;
}

const char *pt__tls_peer_name(pt__tls *tls)
{
    X509 *certificate = SSL_get0_peer_certificate(tls->ssl);
    if (certificate == NULL)
        return NULL;
    const X509_NAME *subject = X509_get_subject_name(certificate);
    int size = read_common_name(subject, tls->peer_name);
    if (size < 0)
        size = read_subject(subject, tls->peer_name);
    return is_name(tls->peer_name, size) ? tls->peer_name : NULL;
}
