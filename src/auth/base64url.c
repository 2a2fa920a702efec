#include "auth/base64url.h"

#include "wire/base64.h"

bool pt__base64url_decode(pt__buffer *out, pt_text_view text)
{
    pt__buffer plain = PT_BUFFER_INIT;
    bool valid = true;
    for (size_t i = 0; valid && i < text.size_bytes; i++) {
        char c = text.data[i];
        valid = c != '+' && c != '/' && c != '=';
        pt__buffer_append_byte(&plain, (uint8_t)(c == '-' ? '+' : c == '_' ? '/' : c));
    }
    valid = valid && !plain.failed && pt__base64_decode(out, (pt_text_view){(char *)plain.data, plain.size_bytes});
    pt__buffer_deinit(&plain);
    return valid;
}
