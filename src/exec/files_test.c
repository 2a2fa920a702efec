#include "base/test.h"
#include "exec/files.h"
#include "plan/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
    pt__arena *arena;
    char root[64];
    pt__file_filter filter;
    pt__file_finder finder;
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof(*f));
    f->arena = pt__arena_new(0);
    snprintf(f->root, sizeof(f->root), "/tmp/portico-test-XXXXXX");
    PT_CHECK(mkdtemp(f->root) != NULL);
    f->filter = (pt__file_filter){NULL, INT64_MIN, INT64_MAX};
    f->finder = (pt__file_finder){.arena = f->arena, .filter = &f->filter, .max_files = 1000};
}

static void end(fixture *f)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", f->root);
    PT_CHECK_EQ(system(command), 0); /* NOLINT(cert-env33-c): a name that mkdtemp made */
    pt__arena_free(f->arena);
}

/* Makes the file and the folders above it. */
static void add(fixture *f, const char *path)
{
    char whole[512];
    snprintf(whole, sizeof(whole), "%s/%s", f->root, path);
    for (char *slash = strchr(whole + strlen(f->root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    PT_REQUIRE(file != NULL);
    fputs("x\n", file);
    fclose(file);
}

/* Names below the root, separated by blanks; or the condition. */
static const char *find(fixture *f, const char *path)
{
    pt_error err = PT_ERROR_INIT;
    f->finder.files.count = 0;
    const char *text = "";
    if (pt__find_files(&f->finder, pt__arena_printf(f->arena, "%s%s", f->root, path), &err) != PT_OK)
        text = pt__arena_printf(f->arena, "! %s", err.condition[0] == '\0' ? "other" : err.condition);
    else
        for (size_t i = 0; i < f->finder.files.count; i++)
            text = pt__arena_printf(f->arena, "%s%s%s", text, i == 0 ? "" : " ",
                                    f->finder.files.items[i].path + strlen(f->root) + 1);
    pt_error_clear(&err);
    return text;
}

PT_TEST(files_are_found_in_folders_and_by_patterns)
{
    fixture f;
    begin(&f);
    add(&f, "b.csv");
    add(&f, "a.csv");
    add(&f, "_SUCCESS");
    add(&f, ".hidden");
    add(&f, "sub/c.json");
    add(&f, "sub/_temporary/d.csv");
    PT_CHECK_STR(find(&f, ""), "a.csv b.csv sub/c.json");
    PT_CHECK_STR(find(&f, "/*.csv"), "a.csv b.csv");
    PT_CHECK_STR(find(&f, "/{a,b}.csv"), "a.csv b.csv");
    PT_CHECK_STR(find(&f, "/[b-z].csv"), "b.csv");
    PT_CHECK_STR(find(&f, "/?.csv"), "a.csv b.csv");
    PT_CHECK_STR(find(&f, "/*"), "a.csv b.csv sub/c.json");
    PT_CHECK_STR(find(&f, "/a.csv"), "a.csv");
    PT_CHECK_STR(find(&f, "/nope"), "! PATH_NOT_FOUND");
    PT_CHECK_STR(find(&f, "/nope*"), "! PATH_NOT_FOUND");
    f.filter.name_pattern = "*.json";
    PT_CHECK_STR(find(&f, ""), "sub/c.json");
    f.filter.name_pattern = NULL;
    f.filter.modified_before_us = 1000;
    PT_CHECK_STR(find(&f, ""), "");
    f.filter.modified_before_us = INT64_MAX;
    f.finder.max_files = 2;
    PT_CHECK_STR(find(&f, ""), "! other");
    end(&f);
}

/* "name:type name:type; v, v; v, v" */
static const char *partitions(fixture *f, const char *base)
{
    pt_error err = PT_ERROR_INIT;
    pt__zones *zones = pt__zones_new(NULL);
    const pt_type *schema;
    const pt_value *const *values;
    pt__partition_options options = {.infer_types = true, .zone = pt__zones_find(zones, "UTC")};
    if (base != NULL)
        options.base_path = pt__arena_printf(f->arena, "%s%s", f->root, base);
    pt__buffer text = PT_BUFFER_INIT;
    if (pt__find_partitions(f->arena, f->finder.files.items, f->finder.files.count, &options, &schema, &values, &err) !=
        PT_OK)
        pt__buffer_printf(&text, "! %s", err.condition);
    else if (schema != NULL) {
        pt__type_append_simple(&text, schema);
        for (size_t i = 0; i < f->finder.files.count; i++) {
            pt__buffer_append_string(&text, ";");
            for (size_t j = 0; values[i] != NULL && j < schema->field_count; j++) {
                pt__buffer_append_string(&text, " ");
                pt__value_append_text(&text, schema->fields[j].type, &values[i][j]);
            }
        }
    }
    const char *copy = pt__arena_copy_string(f->arena, pt__buffer_string(&text));
    pt__buffer_deinit(&text);
    pt__zones_free(zones);
    pt_error_clear(&err);
    return copy;
}

static const char *infer(const char *first, const char *second)
{
    static char result[256];
    char path[256];
    fixture f;
    begin(&f);
    snprintf(path, sizeof(path), "p=%s/f", first);
    add(&f, path);
    if (second != NULL) {
        snprintf(path, sizeof(path), "p=%s/f", second);
        add(&f, path);
    }
    find(&f, "");
    snprintf(result, sizeof(result), "%s", partitions(&f, NULL));
    end(&f);
    return result;
}

PT_TEST(partition_types_are_inferred_as_spark_does)
{
    PT_CHECK_STR(infer("1", "2"), "struct<p:int>; 1; 2");
    PT_CHECK_STR(infer("1.5", "2"), "struct<p:double>; 1.5; 2.0");
    PT_CHECK_STR(infer("99999999999", "1"), "struct<p:bigint>; 1; 99999999999");
    PT_CHECK_STR(infer("99999999999", "1.5"), "struct<p:string>; '1.5'; '99999999999'");
    PT_CHECK_STR(infer("99999999999999999999", NULL), "struct<p:decimal(20,0)>; 99999999999999999999");
    PT_CHECK_STR(infer("2024-01-02", NULL), "struct<p:date>; 19724");
    PT_CHECK_STR(infer("2024-01-01 00%3A00%3A01", NULL), "struct<p:timestamp>; 1704067201000000");
    PT_CHECK_STR(infer("2024-13-01", NULL), "struct<p:string>; '2024-13-01'");
    PT_CHECK_STR(infer("a", "1"), "struct<p:string>; '1'; 'a'");
    PT_CHECK_STR(infer("a%20b", NULL), "struct<p:string>; 'a b'");
    PT_CHECK_STR(infer("true", NULL), "struct<p:string>; 'true'");
    PT_CHECK_STR(infer("__HIVE_DEFAULT_PARTITION__", "3"), "struct<p:int>; 3; null");
    PT_CHECK_STR(infer("007", NULL), "struct<p:int>; 7");
    PT_CHECK_STR(infer("0x10", NULL), "struct<p:string>; '0x10'");
}

PT_TEST(partitions_are_found_between_base_and_file)
{
    fixture f;
    begin(&f);
    add(&f, "y=1/m=a/f");
    add(&f, "y=2/m=b/f");
    add(&f, "beside");
    find(&f, "");
    PT_CHECK_STR(partitions(&f, NULL), "struct<y:int,m:string>;; 1 'a'; 2 'b'");
    find(&f, "/y=1");
    PT_CHECK_STR(partitions(&f, NULL), "struct<m:string>; 'a'");
    PT_CHECK_STR(partitions(&f, ""), "struct<y:int,m:string>; 1 'a'");
    find(&f, "/y=*");
    PT_CHECK_STR(partitions(&f, NULL), "! CONFLICTING_DIRECTORY_STRUCTURES");
    find(&f, "/y=1/m=a/f");
    PT_CHECK_STR(partitions(&f, NULL), "");
    end(&f);
}

PT_TEST(partitions_that_disagree_are_refused)
{
    fixture f;
    begin(&f);
    add(&f, "y=1/f");
    add(&f, "z=1/f");
    find(&f, "");
    PT_CHECK_STR(partitions(&f, NULL), "! CONFLICTING_PARTITION_COLUMN_NAMES");
    end(&f);
}
