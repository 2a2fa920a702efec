/* TLS in memory: OpenSSL's client against ours. */
#include "loop/tls.h"

#include "base/test.h"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_BYTES = 100000, STEP_BYTES = 1000 };

typedef struct fixture {
    char certificate_path[40];
    char key_path[40];
    pt__tls_context *context;
    pt__tls *server;
    SSL_CTX *client_context;
    SSL *client;
    BIO *to_client;
    BIO *from_client;
} fixture;

/* A self-signed certificate and its key, in files. */
static void write_keys(fixture *f)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_sign(certificate, key, EVP_sha256());
    snprintf(f->certificate_path, sizeof(f->certificate_path), "/tmp/portico-cert-XXXXXX");
    snprintf(f->key_path, sizeof(f->key_path), "/tmp/portico-key-XXXXXX");
    FILE *file = fdopen(mkstemp(f->certificate_path), "w");
    PEM_write_X509(file, certificate);
    fclose(file);
    file = fdopen(mkstemp(f->key_path), "w");
    PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL);
    fclose(file);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

static void open_fixture(fixture *f, const char *protocols)
{
    memset(f, 0, sizeof(*f));
    write_keys(f);
    PT_CHECK_EQ(pt__tls_context_new(f->certificate_path, f->key_path, NULL, &f->context, NULL), PT_OK);
    PT_CHECK_EQ(pt__tls_new(f->context, &f->server, NULL), PT_OK);
    f->client_context = SSL_CTX_new(TLS_client_method());
    f->client = SSL_new(f->client_context);
    if (protocols != NULL)
        SSL_set_alpn_protos(f->client, (const uint8_t *)protocols, (unsigned)strlen(protocols));
    f->to_client = BIO_new(BIO_s_mem());
    f->from_client = BIO_new(BIO_s_mem());
    SSL_set_bio(f->client, f->to_client, f->from_client);
    SSL_set_connect_state(f->client);
}

static void close_fixture(fixture *f)
{
    pt__tls_free(f->server);
    pt__tls_context_free(f->context);
    SSL_free(f->client);
    SSL_CTX_free(f->client_context);
    unlink(f->certificate_path);
    unlink(f->key_path);
}

static void server_to_client(fixture *f)
{
    struct iovec piece;
    while (pt__tls_pending(f->server, &piece, 1) == 1) {
        BIO_write(f->to_client, piece.iov_base, (int)piece.iov_len);
        pt__tls_sent(f->server, piece.iov_len);
    }
}

/* What the client wrote, in small steps; plaintext that comes out of it is appended to `out`. */
static pt_status client_to_server(fixture *f, uint8_t *out, size_t *out_bytes)
{
    uint8_t step[STEP_BYTES];
    int size;
    pt_status status = PT_NEED_MORE;
    while (status == PT_NEED_MORE && (size = BIO_read(f->from_client, step, sizeof(step))) > 0) {
        pt__tls_feed(f->server, (pt_bytes_view){step, (size_t)size});
        size_t count;
        while ((status = pt__tls_read(f->server, out + *out_bytes, STEP_BYTES, &count, NULL)) == PT_OK)
            *out_bytes += count;
    }
    return status;
}

static pt_status shake_hands(fixture *f)
{
    uint8_t unused[STEP_BYTES];
    size_t unused_bytes = 0;
    pt_status status = PT_NEED_MORE;
    for (int turn = 0; turn < 4 && status == PT_NEED_MORE; turn++) {
        SSL_do_handshake(f->client);
        status = client_to_server(f, unused, &unused_bytes);
        server_to_client(f);
    }
    return status;
}

PT_TEST(tls_carries_bytes_both_ways)
{
    static uint8_t sent[PIECE_BYTES];
    static uint8_t got[PIECE_BYTES + STEP_BYTES];
    fixture f;
    open_fixture(&f, "\2h2\x08http/1.1");
    for (size_t i = 0; i < sizeof(sent); i++)
        sent[i] = (uint8_t)(i * 31);
    struct iovec pieces[] = {{sent, 9}, {sent + 9, 0}, {sent + 9, PIECE_BYTES - 9}};
    PT_CHECK_EQ(pt__tls_write(f.server, pieces, 3), 0);
    PT_CHECK_EQ(shake_hands(&f), PT_NEED_MORE);
    PT_CHECK(SSL_is_init_finished(f.client));
    PT_CHECK(pt__tls_peer_name(f.server) == NULL);

    PT_CHECK_EQ(pt__tls_write(f.server, pieces, 3), PIECE_BYTES);
    server_to_client(&f);
    size_t got_bytes = 0;
    int count;
    while ((count = SSL_read(f.client, got + got_bytes, STEP_BYTES)) > 0)
        got_bytes += (size_t)count;
    PT_CHECK_EQ(got_bytes, PIECE_BYTES);
    PT_CHECK(memcmp(got, sent, PIECE_BYTES) == 0);

    got_bytes = 0;
    PT_CHECK_EQ(SSL_write(f.client, sent, PIECE_BYTES), PIECE_BYTES);
    PT_CHECK_EQ(client_to_server(&f, got, &got_bytes), PT_NEED_MORE);
    PT_CHECK_EQ(got_bytes, PIECE_BYTES);
    PT_CHECK(memcmp(got, sent, PIECE_BYTES) == 0);

    SSL_shutdown(f.client);
    PT_CHECK_EQ(client_to_server(&f, got, &got_bytes), PT_UNAVAILABLE);
    close_fixture(&f);
}

PT_TEST(tls_selects_h2_or_nothing)
{
    fixture f;
    open_fixture(&f, "\x08http/1.1");
    PT_CHECK_EQ(shake_hands(&f), PT_IO);
    close_fixture(&f);
    open_fixture(&f, NULL);
    PT_CHECK_EQ(shake_hands(&f), PT_NEED_MORE);
    PT_CHECK(SSL_is_init_finished(f.client));
    close_fixture(&f);
}

PT_TEST(tls_says_what_is_wrong_with_plain_text)
{
    fixture f;
    pt_error err = PT_ERROR_INIT;
    uint8_t out[STEP_BYTES];
    size_t size;
    open_fixture(&f, NULL);
    pt__tls_feed(f.server, (pt_bytes_view){(const uint8_t *)"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24});
    PT_CHECK_EQ(pt__tls_read(f.server, out, sizeof(out), &size, &err), PT_IO);
    PT_CHECK(strncmp(err.message, "TLS: ", 5) == 0);
    pt_error_clear(&err);
    close_fixture(&f);
}

PT_TEST(tls_names_files_it_cannot_use)
{
    pt__tls_context *context;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__tls_context_new("/absent.pem", "/absent.key", NULL, &context, &err), PT_INVALID_ARGUMENT);
    PT_CHECK(strstr(err.message, "/absent.pem") != NULL);
    pt_error_clear(&err);
}
