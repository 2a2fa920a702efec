#include "base/test.h"
#include "wire/spare.h"

#include <string.h>

static pt_bytes *bytes_of(pt__spare *spare, pt__buffer *buffer, size_t size_bytes)
{
    pt__buffer_reserve(buffer, size_bytes);
    memset(buffer->data, 'x', size_bytes);
    buffer->size_bytes = size_bytes;
    return pt__spare_take(spare, buffer);
}

PT_TEST(spare_lends_the_memory_of_bytes_that_came_back)
{
    pt__spare *spare = pt__spare_new();
    pt__buffer buffer = PT_BUFFER_INIT;
    pt__spare_lend(spare, &buffer);
    PT_CHECK(buffer.data == NULL);
    pt_bytes *bytes = bytes_of(spare, &buffer, 1000);
    const uint8_t *memory = pt_bytes_get_view(bytes).data;
    PT_CHECK_EQ(pt_bytes_get_view(bytes).size_bytes, 1000);
    PT_CHECK(buffer.data == NULL);
    pt__spare_lend(spare, &buffer);
    PT_CHECK(buffer.data == NULL); /* it is still out */
    pt_bytes_unref(bytes);
    pt__spare_lend(spare, &buffer);
    PT_CHECK(buffer.data == memory);
    PT_CHECK_EQ(buffer.size_bytes, 0);
    PT_CHECK(buffer.capacity_bytes >= 1000);
    pt__buffer_deinit(&buffer);
    pt__spare_close(spare);
}

PT_TEST(spare_is_outlived_by_its_bytes)
{
    pt__spare *spare = pt__spare_new();
    pt__buffer buffer = PT_BUFFER_INIT;
    pt_bytes *first = bytes_of(spare, &buffer, 1000);
    pt_bytes *second = bytes_of(spare, &buffer, 1000);
    pt_bytes_unref(first);
    pt__spare_close(spare);
    PT_CHECK_EQ(pt_bytes_get_view(second).data[999], 'x');
    pt_bytes_unref(second);
}

PT_TEST(spare_keeps_few_and_none_that_are_too_large)
{
    pt__spare *spare = pt__spare_new();
    pt__buffer buffer = PT_BUFFER_INIT;
    pt_bytes *out[PT_SPARE_BUFFERS + 1];
    for (size_t i = 0; i <= PT_SPARE_BUFFERS; i++)
        out[i] = bytes_of(spare, &buffer, 1000);
    pt_bytes_unref(bytes_of(spare, &buffer, PT_SPARE_BYTES_MAX + 1));
    for (size_t i = 0; i <= PT_SPARE_BUFFERS; i++)
        pt_bytes_unref(out[i]);
    for (size_t i = 0; i <= PT_SPARE_BUFFERS; i++) {
        pt__spare_lend(spare, &buffer);
        PT_CHECK((buffer.data != NULL) == (i < PT_SPARE_BUFFERS));
        PT_CHECK(buffer.capacity_bytes < PT_SPARE_BYTES_MAX);
        pt__buffer_deinit(&buffer);
    }
    pt__spare_close(spare);
}

PT_TEST(spare_keeps_no_more_than_so_many_bytes_and_can_be_trimmed)
{
    pt__spare *spare = pt__spare_new();
    pt_bytes *out[PT_SPARE_BUFFERS];
    pt__buffer buffer = PT_BUFFER_INIT;
    size_t most = PT_SPARE_TOTAL_BYTES / PT_SPARE_BYTES_MAX, lent = 0;
    PT_CHECK(most < PT_SPARE_BUFFERS);
    for (size_t i = 0; i < PT_SPARE_BUFFERS; i++)
        out[i] = bytes_of(spare, &buffer, PT_SPARE_BYTES_MAX);
    for (size_t i = 0; i < PT_SPARE_BUFFERS; i++)
        pt_bytes_unref(out[i]);
    for (bool has = true; has; lent += has ? 1 : 0) {
        pt__spare_lend(spare, &buffer);
        has = buffer.data != NULL;
        pt__buffer_deinit(&buffer);
    }
    PT_CHECK_EQ(lent, most);
    pt_bytes_unref(bytes_of(spare, &buffer, 1000));
    pt__spare_trim(spare);
    pt__spare_lend(spare, &buffer);
    PT_CHECK(buffer.data == NULL);
    pt__spare_close(spare);
}

PT_TEST(spare_is_not_needed)
{
    pt__buffer buffer = PT_BUFFER_INIT;
    pt__spare_lend(NULL, &buffer);
    pt_bytes *bytes = bytes_of(NULL, &buffer, 10);
    PT_CHECK_EQ(pt_bytes_get_view(bytes).size_bytes, 10);
    pt_bytes_unref(bytes);
    pt__spare_close(NULL);
}
