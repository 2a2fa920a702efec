/**
 * What the files of the loop share.
 *
 * loop.c: timer, signals, mailbox. listener.c: addresses and accepting. socket.c: one TCP connection.
 */
#ifndef PT_LOOP_INTERNAL_H
#define PT_LOOP_INTERNAL_H

#include "loop/loop.h"

#include <uv.h>

enum {
    PT_READ_BYTES = 256 * 1024,
    PT_IOVECS = 256 /* of one writev */
};

typedef struct pt__socket pt__socket;
typedef struct pt__listener pt__listener;

struct pt__loop {
    uv_loop_t uv;
    uv_async_t wake;
    uv_timer_t timer;
    uv_signal_t terminate;
    uv_signal_t interrupt;
    uv_signal_t hang_up;
    pt__loop_options options;
    pt_mailbox *mailbox;
    pt__listener *listeners;
    pt__socket *sockets;
    size_t socket_count;
    pt__socket *first_ready; /* have bytes pending that came from the mailbox */
    uint64_t next_tick_ms;   /* when the timer fires */
    uint64_t routes_tick_ms; /* when the mounts do their housekeeping */
    uint64_t drain_end_ms;
    bool draining;
    bool opened;
    uint8_t read_buffer[PT_READ_BYTES];  /* what is read is consumed before the next read */
    uint8_t plain_buffer[PT_READ_BYTES]; /* what of it was decrypted */
};

uint64_t pt__loop_now_ms(const pt__loop *loop);

__attribute__((format(printf, 3, 4))) void pt__loop_log(const pt__loop *loop, pt_log_level level, const char *format,
                                                        ...);

/** Makes the timer fire at `when_ms` at the latest. */
void pt__loop_tick_by(pt__loop *loop, uint64_t when_ms);

/** Ends the loop when it drains and nothing is left. */
void pt__loop_check_drained(pt__loop *loop);

void pt__listener_close_all(pt__loop *loop);

/** Takes a connection off the listening handle. */
void pt__socket_accept(pt__loop *loop, uv_stream_t *listening);
void pt__socket_drain(pt__socket *socket);
void pt__socket_close(pt__socket *socket);
void pt__socket_tick(pt__socket *socket, uint64_t now_ms);
/** Writes what became pending on the sockets of the ready list. */
void pt__socket_flush_ready(pt__loop *loop);
pt__socket *pt__socket_next(const pt__socket *socket);

#endif
