#include "base/test.h"
#include "wrap/cache_store.h"

#include <nanoarrow/nanoarrow.h>

static pt__shared_batch *numbers(int64_t count)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    ArrowSchemaInit(&schema);
    ArrowSchemaSetTypeStruct(&schema, 1);
    ArrowSchemaSetType(schema.children[0], NANOARROW_TYPE_INT64);
    ArrowArrayInitFromSchema(&array, &schema, NULL);
    ArrowArrayStartAppending(&array);
    for (int64_t i = 0; i < count; i++) {
        ArrowArrayAppendInt(array.children[0], i);
        ArrowArrayFinishElement(&array);
    }
    ArrowArrayFinishBuildingDefault(&array, NULL);
    schema.release(&schema);
    return pt__shared_batch_new(&array);
}

static void put(pt__cache_store *store, const char *key, uint64_t bytes)
{
    pt__cache_entry *entry = pt__cache_entry_new();
    pt__shared_batch *batch = numbers(3);
    PT_CHECK(pt__cache_entry_add(entry, batch, bytes));
    pt__shared_batch_unref(batch);
    pt__cache_store_put(store, key, entry);
}

static bool has(pt__cache_store *store, const char *key)
{
    pt__cache_entry *entry = pt__cache_store_find(store, key);
    pt__cache_entry_unref(entry);
    return entry != NULL;
}

PT_TEST(exported_batches_outlive_each_other_and_their_children)
{
    pt__shared_batch *batch = numbers(5);
    struct ArrowArray first;
    struct ArrowArray second;
    PT_CHECK(pt__shared_batch_export(batch, &first));
    PT_CHECK(pt__shared_batch_export(batch, &second));
    pt__shared_batch_unref(batch);
    first.release(&first);
    struct ArrowArray child = *second.children[0];
    second.children[0]->release = NULL; /* moved out */
    second.release(&second);
    PT_CHECK_EQ(((const int64_t *)child.buffers[1])[4], 4);
    child.release(&child);
}

PT_TEST(least_recently_used_results_go_first)
{
    const pt__cache_limits limits = {10000, 4000, 60000};
    pt__cache_store *store = pt__cache_store_new(&limits);
    put(store, "a", 3000);
    put(store, "b", 3000);
    PT_CHECK(has(store, "a"));
    put(store, "c", 3000);
    put(store, "d", 3000); /* drops b */
    PT_CHECK(has(store, "a"));
    PT_CHECK(!has(store, "b"));
    put(store, "large", 4000);
    PT_CHECK(!has(store, "large"));
    put(store, "a", 10); /* replaces */
    pt__cache_counts counts = pt__cache_store_counts(store);
    PT_CHECK(counts.bytes <= 10000);
    PT_CHECK(counts.entries >= 2);
    pt__cache_store_free(store);
}

PT_TEST(old_results_are_not_given)
{
    const pt__cache_limits limits = {10000, 4000, 0};
    pt__cache_store *store = pt__cache_store_new(&limits);
    put(store, "a", 10);
    PT_CHECK(!has(store, "a"));
    PT_CHECK_EQ(pt__cache_store_counts(store).entries, 0);
    pt__cache_store_free(store);
}
