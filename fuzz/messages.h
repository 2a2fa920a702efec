/* Inputs of fuzz targets that are several messages: each has its size before it, two bytes, the lower one first. */
#ifndef PT_FUZZ_MESSAGES_H
#define PT_FUZZ_MESSAGES_H

#include <portico/bytes.h>

#include <stdbool.h>

/* The next message of the input; false at its end. */
static inline bool next_message(pt_bytes_view *input, pt_bytes_view *out)
{
    if (input->size_bytes < 2)
        return false;
    size_t size = (size_t)input->data[0] | (size_t)input->data[1] << 8;
    input->data += 2;
    input->size_bytes -= 2;
    *out = (pt_bytes_view){input->data, size < input->size_bytes ? size : input->size_bytes};
    input->data += out->size_bytes;
    input->size_bytes -= out->size_bytes;
    return true;
}

#endif
