#include <portico/config.h>

#include "base/test.h"

static pt_config *config_with(const char *value)
{
    pt_config *config = NULL;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, "name", "replaced", NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, "name", value, NULL), PT_OK);
    return config;
}

static uint64_t size_of(const char *text)
{
    pt_config *config = config_with(text);
    uint64_t out = 0;
    if (pt_config_size(config, "name", 0, &out, NULL) != PT_OK)
        out = UINT64_MAX;
    pt_config_free(config);
    return out;
}

static uint64_t duration_of(const char *text)
{
    pt_config *config = config_with(text);
    uint64_t out = 0;
    if (pt_config_duration(config, "name", 0, &out, NULL) != PT_OK)
        out = UINT64_MAX;
    pt_config_free(config);
    return out;
}

PT_TEST(config_sizes_have_units)
{
    PT_CHECK_EQ(size_of("4096"), 4096);
    PT_CHECK_EQ(size_of("64KiB"), 65536);
    PT_CHECK_EQ(size_of("2 MiB"), 2097152);
    PT_CHECK_EQ(size_of("3GiB"), 3221225472);
    PT_CHECK_EQ(size_of("-1"), UINT64_MAX);
    PT_CHECK_EQ(size_of("1MB"), UINT64_MAX);
    PT_CHECK_EQ(size_of("MiB"), UINT64_MAX);
    PT_CHECK_EQ(size_of("99999999999GiB"), UINT64_MAX);
}

PT_TEST(config_durations_have_units)
{
    PT_CHECK_EQ(duration_of("250"), 250);
    PT_CHECK_EQ(duration_of("250ms"), 250);
    PT_CHECK_EQ(duration_of("30s"), 30000);
    PT_CHECK_EQ(duration_of("10min"), 600000);
    PT_CHECK_EQ(duration_of("1h"), 3600000);
    PT_CHECK_EQ(duration_of("1d"), UINT64_MAX);
}

PT_TEST(config_values_are_checked_where_they_are_read)
{
    pt_config *config = config_with("twelve");
    pt_error err = PT_ERROR_INIT;
    int64_t number = 7;
    bool flag = true;
    PT_CHECK_STR(pt_config_string(config, "name", ""), "twelve");
    PT_CHECK_STR(pt_config_string(config, "other", "fallback"), "fallback");
    PT_CHECK_STR(pt_config_string(NULL, "name", "fallback"), "fallback");
    PT_CHECK_EQ(pt_config_integer(config, "name", 0, &number, &err), PT_INVALID_ARGUMENT);
    PT_CHECK_STR(err.message, "name = \"twelve\" is not a whole number");
    PT_CHECK_EQ(number, 7);
    PT_CHECK_EQ(pt_config_boolean(config, "name", false, &flag, &err), PT_INVALID_ARGUMENT);
    PT_CHECK(flag);
    PT_CHECK_EQ(pt_config_integer(config, "other", -3, &number, &err), PT_OK);
    PT_CHECK_EQ(number, -3);
    pt_error_clear(&err);
    pt_config_free(config);
}
