#include "wire/trailers.h"

#include "wire/base64.h"

#include <string.h>

/* Details have precedence over what of the message goes beyond this. */
enum { MESSAGE_FLOOR_BYTES = 1024 };

static const char ellipsis[] = "...";

/* Printable ASCII but '%' stands for itself. */
static bool is_plain(uint8_t byte)
{
    return byte >= ' ' && byte <= '~' && byte != '%';
}

static size_t encoded_byte_size(uint8_t byte)
{
    return is_plain(byte) ? 1 : 3;
}

static size_t message_size(const char *message)
{
    size_t size = 0;
    for (const uint8_t *p = (const uint8_t *)message; *p != 0; p++)
        size += encoded_byte_size(*p);
    return size;
}

size_t pt_call_status_encoded_bytes(const pt_call_status *status)
{
    size_t size = status->message == NULL ? 0 : message_size(status->message);
    return size + pt__base64_encoded_size(status->details.size_bytes);
}

static void encode_byte(pt__buffer *out, uint8_t byte)
{
    static const char digits[] = "0123456789ABCDEF";
    if (is_plain(byte)) {
        pt__buffer_append_byte(out, byte);
        return;
    }
    uint8_t escaped[3] = {'%', (uint8_t)digits[byte >> 4], (uint8_t)digits[byte & 15]};
    pt__buffer_append(out, escaped, sizeof(escaped));
}

/* How many bytes of `message` fit, cut before a character of UTF-8. */
static size_t fitting_prefix(const uint8_t *message, size_t room)
{
    size_t fits = 0;
    size_t used = 0;
    for (size_t i = 0;; i++) {
        bool starts_character = (message[i] & 0xC0) != 0x80;
        if (starts_character && used <= room)
            fits = i;
        if (message[i] == 0 || used > room)
            return fits;
        used += encoded_byte_size(message[i]);
    }
}

static void encode_message(pt__buffer *out, const char *message, size_t room)
{
    const uint8_t *bytes = (const uint8_t *)message;
    bool whole = message_size(message) <= room;
    if (!whole && room < sizeof(ellipsis))
        return;
    size_t count = whole ? strlen(message) : fitting_prefix(bytes, room - strlen(ellipsis));
    for (size_t i = 0; i < count; i++)
        encode_byte(out, bytes[i]);
    if (!whole)
        pt__buffer_append_string(out, ellipsis);
}

void pt__trailers_deinit(pt__trailers *trailers)
{
    pt__buffer_deinit(&trailers->message);
    pt__buffer_deinit(&trailers->details);
}

bool pt__trailers_encode(pt__trailers *trailers, const pt_call_status *status)
{
    const char *message = status->message == NULL ? "" : status->message;
    size_t wanted = message_size(message);
    size_t floor = wanted < MESSAGE_FLOOR_BYTES ? wanted : MESSAGE_FLOOR_BYTES;
    size_t details_size = pt__base64_encoded_size(status->details.size_bytes);
    size_t room = PT_CALL_STATUS_BUDGET_BYTES;

    trailers->code = status->code;
    if (details_size + floor <= room) {
        pt__base64_encode(&trailers->details, status->details);
        room -= details_size;
    }
    encode_message(&trailers->message, message, room);
    if (!trailers->message.failed && !trailers->details.failed)
        return true;
    pt__trailers_deinit(trailers);
    return false;
}
