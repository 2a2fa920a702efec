#include "base/json.h"

#include "base/test.h"

#include <string.h>

/* The value written again, or NULL when it was refused. */
static const char *rewrite(pt__arena *arena, const char *text)
{
    const pt__json *value;
    if (pt__json_parse(arena, text, strlen(text), &value, NULL) != PT_OK)
        return NULL;
    pt__buffer out = PT_BUFFER_INIT;
    pt__json_append(&out, value);
    const char *copy = pt__arena_copy_string(arena, pt__buffer_string(&out));
    pt__buffer_deinit(&out);
    return copy;
}

PT_TEST(json_round_trips_every_kind)
{
    pt__arena *arena = pt__arena_new(0);
    PT_CHECK_STR(rewrite(arena, " { \"a\" : [1, -2.5e+3, true, false, null, \"x\"], \"b\":{} } "),
                 "{\"a\":[1,-2.5e+3,true,false,null,\"x\"],\"b\":{}}");
    PT_CHECK_STR(rewrite(arena, "\"\\u00e9\\n\\\"\\\\\\ud83d\\ude42\\/\""), "\"\xC3\xA9\\n\\\"\\\\\xF0\x9F\x99\x82/\"");
    PT_CHECK_STR(rewrite(arena, "\"\\u0001\""), "\"\\u0001\"");
    pt__arena_free(arena);
}

PT_TEST(json_refuses_malformed_text)
{
    static const char *const MALFORMED[] = {
        "",        "{",           "[1,]",   "{\"a\"}", "01",       "1.",       "\"a",
        "\"\\x\"", "\"\\ud800\"", "nul",    "1 2",     "\"\x01\"", "\"\xff\"", "{\"a\":1,}",
        "[1 2]",   "-",           "\"\\\"", "{a:1}",   "\"\\",     "\"\\u12",  "1e",
    };
    pt__arena *arena = pt__arena_new(0);
    for (size_t i = 0; i < sizeof(MALFORMED) / sizeof(MALFORMED[0]); i++)
        PT_CHECK(rewrite(arena, MALFORMED[i]) == NULL);
    pt__arena_free(arena);
}

PT_TEST(json_nesting_is_limited)
{
    pt__arena *arena = pt__arena_new(0);
    char text[2 * PT_JSON_DEPTH_MAX + 3];
    memset(text, '[', PT_JSON_DEPTH_MAX);
    memset(text + PT_JSON_DEPTH_MAX, ']', PT_JSON_DEPTH_MAX);
    text[2 * PT_JSON_DEPTH_MAX] = '\0';
    PT_CHECK(rewrite(arena, text) != NULL);
    memset(text, '[', PT_JSON_DEPTH_MAX + 1);
    memset(text + PT_JSON_DEPTH_MAX + 1, ']', PT_JSON_DEPTH_MAX + 1);
    text[2 * PT_JSON_DEPTH_MAX + 2] = '\0';
    PT_CHECK(rewrite(arena, text) == NULL);
    pt__arena_free(arena);
}

PT_TEST(json_members_are_found_by_key)
{
    pt__arena *arena = pt__arena_new(0);
    const pt__json *value;
    const char *text = "{\"a\":\"x\",\"b\":true}";
    PT_REQUIRE(pt__json_parse(arena, text, strlen(text), &value, NULL) == PT_OK);
    PT_CHECK_STR(pt__json_get_string(value, "a", "?"), "x");
    PT_CHECK_STR(pt__json_get_string(value, "b", "?"), "?");
    PT_CHECK(pt__json_get_boolean(value, "b", false));
    PT_CHECK(pt__json_get(value, "c") == NULL);
    pt__arena_free(arena);
}
