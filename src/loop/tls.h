/**
 * TLS between a socket and a connection, by OpenSSL, without I/O: ciphertext comes in and goes out as bytes.
 *
 * TLS 1.2 and 1.3. A client that offers protocols by ALPN must offer "h2"; one that offers none is taken for HTTP/2,
 * as old gRPC clients do not use ALPN.
 *
 * Threads: the loop thread.
 * Spec:    RFC 9113 section 9.2, RFC 7301.
 */
#ifndef PT_LOOP_TLS_H
#define PT_LOOP_TLS_H

#include <portico/bytes.h>
#include <portico/error.h>

#include <sys/uio.h>

/** Certificates and rules, shared by all sockets of a listener. */
typedef struct pt__tls_context pt__tls_context;

/** Files in PEM format. Errors: PT_INVALID_ARGUMENT naming the file. */
pt_status pt__tls_context_new(const char *certificate_path, const char *key_path, const char *client_ca_path,
                              pt__tls_context **out, pt_error *err);
void pt__tls_context_free(pt__tls_context *context);
/** Reads the files again, for connections made from now on; nothing has changed on failure. Threads: as pt__tls_new. */
pt_status pt__tls_context_reload(pt__tls_context *context, pt_error *err);

/** One connection. */
typedef struct pt__tls pt__tls;

pt_status pt__tls_new(pt__tls_context *context, pt__tls **out, pt_error *err);
void pt__tls_free(pt__tls *tls);

/** Ciphertext that came; borrowed until pt__tls_read has said PT_NEED_MORE. */
void pt__tls_feed(pt__tls *tls, pt_bytes_view ciphertext);

/**
 * Takes plaintext out. PT_OK: `*size_bytes` of `out` were filled. PT_NEED_MORE: all was taken.
 * Errors: PT_UNAVAILABLE when the peer has ended TLS, PT_IO when the handshake or a record is bad.
 */
pt_status pt__tls_read(pt__tls *tls, uint8_t *out, size_t max_bytes, size_t *size_bytes, pt_error *err);

/** Encrypts the pieces, or none of them while the handshake lasts; returns how many bytes it took. */
size_t pt__tls_write(pt__tls *tls, const struct iovec *pieces, size_t count);

/** Ciphertext to be sent; views are valid until pt__tls_sent. */
size_t pt__tls_pending(pt__tls *tls, struct iovec *out, size_t max);
void pt__tls_sent(pt__tls *tls, size_t size_bytes);

/**
 * The common name of the client's certificate, or its whole subject (RFC 2253) when it has none; NULL when it showed no
 * certificate, or has no name that can stand in a log. Lives as long as `tls`.
 */
const char *pt__tls_peer_name(pt__tls *tls);

#endif
