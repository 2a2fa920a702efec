#include "base/test.h"
#include "exec/state.h"
#include "exec/test_backend.h"

#include <stdio.h>
#include <string.h>

static pt_host *new_host(void)
{
    pt_host *host = NULL;
    PT_CHECK_EQ(pt_host_new(NULL, &host, NULL), PT_OK);
    PT_CHECK_EQ(pt_host_add_backend(host, &pt__test_backend, NULL, NULL), PT_OK);
    return host;
}

static const char id_a[] = "00112233-4455-6677-8899-aabbccddeef0";
static const char id_b[] = "00112233-4455-6677-8899-aabbccddeef1";

static const char *failing_condition(pt_host *host, pt__session_key key, bool create)
{
    static char condition[96];
    pt_session *session = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt__host_session(host, &key, create, &session, &err) == PT_OK)
        pt_session_unref(session);
    snprintf(condition, sizeof(condition), "%s", err.condition);
    pt_error_clear(&err);
    return condition;
}

PT_TEST(sessions_are_told_apart_by_user_and_id)
{
    pt_host *host = new_host();
    pt_session *sessions[3];
    pt__session_key keys[] = {{"ann", id_a, NULL}, {"ben", id_a, NULL}, {"ann", id_a, NULL}};
    for (int i = 0; i < 3; i++)
        PT_CHECK_EQ(pt__host_session(host, &keys[i], true, &sessions[i], NULL), PT_OK);
    PT_CHECK(sessions[0] != sessions[1]);
    PT_CHECK(sessions[0] == sessions[2]);
    PT_CHECK(strcmp(pt_session_id(sessions[0]), pt_session_id(sessions[1])) != 0);
    for (int i = 0; i < 3; i++)
        pt_session_unref(sessions[i]);
    pt_host_free(host);
}

PT_TEST(session_keys_are_checked_before_anything_runs)
{
    pt_host *host = new_host();
    PT_CHECK_STR(failing_condition(host, (pt__session_key){"", "no uuid", NULL}, true), "INVALID_HANDLE.FORMAT");
    PT_CHECK_STR(failing_condition(host, (pt__session_key){"", id_a, NULL}, false), "INVALID_HANDLE.SESSION_NOT_FOUND");
    PT_CHECK_STR(failing_condition(host, (pt__session_key){"", id_a, id_b}, true), "INVALID_HANDLE.SESSION_CHANGED");
    PT_CHECK_STR(failing_condition(host, (pt__session_key){"", id_a, NULL}, true), "");
    PT_CHECK_STR(failing_condition(host, (pt__session_key){"", id_a, id_b}, true), "INVALID_HANDLE.SESSION_CHANGED");
    pt__session_key key = {"", id_a, NULL};
    PT_CHECK_EQ(pt__host_release_session(host, &key, false, NULL), PT_OK);
    PT_CHECK_EQ(pt__host_release_session(host, &key, false, NULL), PT_OK);
    PT_CHECK_STR(failing_condition(host, (pt__session_key){"", id_a, NULL}, true), "INVALID_HANDLE.SESSION_CLOSED");
    pt_host_free(host);
}

static uint64_t read_clock(void *context)
{
    return atomic_load((_Atomic uint64_t *)context);
}

PT_TEST(idle_sessions_are_closed)
{
    _Atomic uint64_t clock = 5000;
    pt_host *host = new_host();
    pt__host_set_clock(host, read_clock, &clock);
    pt__session_key key = {"", id_a, NULL};
    pt_session *session = NULL;
    PT_CHECK_EQ(pt__host_session(host, &key, true, &session, NULL), PT_OK);
    atomic_fetch_add(&clock, 59 * 60 * 1000);
    pt__host_tick(host);
    PT_CHECK(!pt__session_is_closed(session));
    pt__session_touch(session);
    atomic_fetch_add(&clock, 59 * 60 * 1000);
    pt__host_tick(host);
    PT_CHECK(!pt__session_is_closed(session));
    atomic_fetch_add(&clock, 61 * 1000);
    pt__host_tick(host);
    PT_CHECK(pt__session_is_closed(session));
    pt_session_unref(session);
    PT_CHECK_STR(failing_condition(host, key, false), "INVALID_HANDLE.SESSION_NOT_FOUND");
    key.observed_id = id_b;
    PT_CHECK_STR(failing_condition(host, key, true), "INVALID_HANDLE.SESSION_CHANGED");
    pt_host_free(host);
}

/* ---- configuration ---- */

typedef struct fixture {
    pt_host *host;
    pt_session *session;
    pt__arena *arena;
} fixture;

static fixture begin(void)
{
    fixture f = {new_host(), NULL, pt__arena_new(0)};
    PT_CHECK_EQ(pt_host_create_session(f.host, NULL, &f.session, NULL), PT_OK);
    return f;
}

static void end(fixture *f)
{
    pt__arena_free(f->arena);
    pt_session_unref(f->session);
    pt_host_free(f->host);
}

static const char *get(fixture *f, const char *key)
{
    const char *value = NULL;
    return pt__session_conf_get(f->session, f->arena, key, &value, NULL) == PT_OK ? value : "failed";
}

static const char *set(fixture *f, const char *key, const char *value)
{
    pt_error err = PT_ERROR_INIT;
    pt__session_conf_set(f->session, key, value, &err);
    const char *condition = pt__arena_copy_string(f->arena, err.condition);
    pt_error_clear(&err);
    return condition;
}

PT_TEST(conf_rows_are_sorted)
{
    for (size_t i = 1; pt__conf_at(i) != NULL; i++)
        PT_CHECK(strcmp(pt__conf_at(i - 1)->key, pt__conf_at(i)->key) < 0);
}

PT_TEST(conf_answers_all_keys_that_clients_read)
{
    static const char *const keys[] = {
        "spark.connect.session.planCompression.threshold",
        "spark.connect.session.planCompression.defaultAlgorithm",
        "spark.sql.timestampType",
        "spark.sql.session.timeZone",
        "spark.sql.session.localRelationCacheThreshold",
        "spark.sql.session.localRelationSizeLimit",
        "spark.sql.session.localRelationChunkSizeRows",
        "spark.sql.session.localRelationChunkSizeBytes",
        "spark.sql.session.localRelationBatchOfChunksSizeBytes",
        "spark.sql.execution.pandas.convertToArrowArraySafely",
        "spark.sql.execution.pandas.inferPandasDictAsMap",
        "spark.sql.execution.arrow.useLargeVarTypes",
        "spark.sql.pyspark.inferNestedDictAsStruct.enabled",
        "spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled",
        "spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled",
        "spark.sql.execution.pyspark.binaryAsBytes",
        "spark.sql.execution.pandas.structHandlingMode",
        "spark.sql.execution.arrow.pyspark.selfDestruct.enabled",
        "spark.sql.execution.pythonUDF.arrow.enabled",
        "spark.sql.execution.pythonUDTF.arrow.enabled",
        "spark.sql.repl.eagerEval.enabled",
        "spark.sql.repl.eagerEval.maxNumRows",
        "spark.sql.repl.eagerEval.truncate",
        "spark.python.sql.dataFrameDebugging.enabled",
        "spark.sql.connect.serverStacktrace.enabled",
        "spark.sql.pyspark.jvmStacktrace.enabled",
        "spark.sql.ansi.enabled",
        "spark.sql.caseSensitive",
        "spark.sql.shuffle.partitions",
        "spark.sql.warehouse.dir",
        "spark.sql.defaultCatalog",
        "spark.sql.sources.default",
    };
    fixture f = begin();
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *value = get(&f, keys[i]);
        PT_CHECK(value != NULL && strcmp(value, "failed") != 0);
    }
    end(&f);
}

PT_TEST(conf_is_set_checked_and_unset)
{
    fixture f = begin();
    PT_CHECK_STR(get(&f, "spark.sql.ansi.enabled"), "true");
    PT_CHECK_STR(set(&f, "spark.sql.ansi.enabled", "false"), "");
    PT_CHECK_STR(get(&f, "spark.sql.ansi.enabled"), "false");
    PT_CHECK_STR(set(&f, "spark.sql.ansi.enabled", "maybe"), "INVALID_CONF_VALUE.TYPE_MISMATCH");
    PT_CHECK_EQ(pt__session_conf_unset(f.session, "spark.sql.ansi.enabled", NULL), PT_OK);
    PT_CHECK_STR(get(&f, "spark.sql.ansi.enabled"), "true");
    PT_CHECK_STR(set(&f, "spark.sql.shuffle.partitions", "a"), "INVALID_CONF_VALUE.TYPE_MISMATCH");
    PT_CHECK_STR(set(&f, "spark.sql.session.timeZone", "Nowhere/Town"), "INVALID_CONF_VALUE.TIME_ZONE");
    PT_CHECK_STR(set(&f, "spark.sql.session.timeZone", "Asia/Tokyo"), "");
    PT_CHECK_STR(set(&f, "spark.sql.mapKeyDedupPolicy", "x"), "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS");
    PT_CHECK_STR(set(&f, "spark.sql.mapKeyDedupPolicy", "last_win"), "");
    PT_CHECK_STR(set(&f, "spark.sql.files.maxPartitionBytes", "10m"), "");
    PT_CHECK_STR(set(&f, "spark.sql.files.maxPartitionBytes", "10 zz"), "INVALID_CONF_VALUE.TYPE_MISMATCH");
    PT_CHECK_STR(set(&f, "spark.sql.warehouse.dir", "x"), "CANNOT_MODIFY_STATIC_CONFIG");
    PT_CHECK_STR(set(&f, "spark.executor.memory", "1g"), "CANNOT_MODIFY_CONFIG");
    PT_CHECK_STR(set(&f, "my.own.key", "1"), "");
    PT_CHECK_STR(get(&f, "my.own.key"), "1");
    PT_CHECK_STR(get(&f, "my.other.key"), "failed");
    PT_CHECK(get(&f, "spark.sql.leafNodeDefaultParallelism") == NULL);
    PT_CHECK(pt__session_conf_is_modifiable(f.session, "spark.sql.ansi.enabled"));
    PT_CHECK(!pt__session_conf_is_modifiable(f.session, "spark.sql.warehouse.dir"));
    PT_CHECK(!pt__session_conf_is_modifiable(f.session, "my.own.key"));
    pt__session_conf_reset(f.session);
    PT_CHECK_STR(get(&f, "my.own.key"), "failed");
    end(&f);
}

PT_TEST(conf_lists_pairs_below_a_prefix)
{
    fixture f = begin();
    set(&f, "my.b", "2");
    set(&f, "my.a", "1");
    set(&f, "other", "3");
    const pt__conf_pair *pairs;
    size_t count;
    pt__session_conf_all(f.session, f.arena, "my.", &pairs, &count);
    PT_REQUIRE(count == 2);
    PT_CHECK_STR(pairs[0].key, "a");
    PT_CHECK_STR(pairs[1].value, "2");
    pt__session_conf_all(f.session, f.arena, NULL, &pairs, &count);
    PT_CHECK(count >= 6);
    end(&f);
}

PT_TEST(conf_warns_instead_of_failing_when_silent)
{
    fixture f = begin();
    const char *warning;
    PT_CHECK_EQ(pt__session_conf_set_silently(f.session, f.arena, "spark.executor.memory", "1g", &warning), PT_OK);
    PT_CHECK(warning != NULL);
    PT_CHECK_EQ(pt__session_conf_set_silently(f.session, f.arena, "spark.sql.ansi.enabled", "false", &warning), PT_OK);
    PT_CHECK(warning == NULL);
    end(&f);
}

PT_TEST(clone_copies_and_then_stands_alone)
{
    fixture f = begin();
    pt_session *clone = NULL;
    set(&f, "k", "v");
    PT_CHECK_EQ(pt__session_clone(f.session, id_b, &clone, NULL), PT_OK);
    PT_CHECK_STR(pt__session_conf_option(clone, f.arena, "k"), "v");
    PT_CHECK_EQ(pt__session_conf_set(clone, "k", "w", NULL), PT_OK);
    PT_CHECK_STR(get(&f, "k"), "v");
    pt_session *second = NULL;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__session_clone(f.session, id_b, &second, &err), PT_ALREADY_EXISTS);
    PT_CHECK_STR(err.condition, "INVALID_CLONE_SESSION_REQUEST.TARGET_SESSION_ID_ALREADY_EXISTS");
    pt_error_clear(&err);
    pt_session_unref(clone);
    end(&f);
}
