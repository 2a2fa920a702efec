#include "base/loose_json.h"

#include "base/test.h"

#include <string.h>

typedef struct json_case {
    const char *text;
    unsigned allowed;
    const char *expected; /* "!": malformed, "": empty */
} json_case;

static const json_case CASES[] = {
    {"{\"a\": [1, -2.50, 1e5 ,true,null,\"x\\u00e9\\ud83d\\ude00\\n\"], \"b\":{}}", 0,
     "{\"a\":[1,-2.5,100000.0,true,null,\"x\xC3\xA9\xF0\x9F\x98\x80\\n\"],\"b\":{}}"},
    {" [] trailing", 0, "[]"},
    {"  ", 0, ""},
    {"{\"a\":1", 0, "!"},
    {"[1,]", 0, "!"},
    {"[01]", 0, "!"},
    {"[01]", PT_LOOSE_LEADING_ZEROS, "[01]"},
    {"{'a':'it\\'s'}", 0, "!"},
    {"{'a':'it\\'s'}", PT_LOOSE_SINGLE_QUOTES, "{\"a\":\"it's\"}"},
    {"{a_1:2}", 0, "!"},
    {"{a_1:2}", PT_LOOSE_UNQUOTED_NAMES, "{\"a_1\":2}"},
    {"[1/*c*/,//d\n2]", PT_LOOSE_COMMENTS, "[1,2]"},
    {"[NaN,-Infinity]", 0, "!"},
    {"[NaN,-Infinity]", PT_LOOSE_NON_NUMERIC, "[\"NaN\",\"-Infinity\"]"},
    {"[\"\\q\"]", 0, "!"},
    {"[\"\\q\"]", PT_LOOSE_BACKSLASH_ANY, "[\"q\"]"},
    {"[\"\t\"]", 0, "!"},
    {"[\"\t\"]", PT_LOOSE_CONTROL_CHARACTERS, "[\"\\t\"]"},
    {"1x", 0, "!"},
    {"[1e400]", 0, "[\"Infinity\"]"},
};

PT_TEST(loose_json_reads_what_it_is_allowed_to)
{
    pt__loose_json json = PT_LOOSE_JSON_INIT;
    pt__buffer out = PT_BUFFER_INIT;
    for (size_t i = 0; i < sizeof(CASES) / sizeof(CASES[0]); i++) {
        pt__buffer_reset(&out);
        pt__loose_result result =
            pt__loose_json_read(&json, (pt_text_view){CASES[i].text, strlen(CASES[i].text)}, CASES[i].allowed);
        if (result == PT_LOOSE_OK)
            pt__loose_append_value(&out, &json, 0);
        else if (result == PT_LOOSE_MALFORMED)
            pt__buffer_append_string(&out, "!");
        PT_CHECK_STR(pt__buffer_string(&out), CASES[i].expected);
    }
    pt__buffer_deinit(&out);
    pt__loose_json_deinit(&json);
}

PT_TEST(loose_json_refuses_to_nest_too_deeply)
{
    char text[3000];
    memset(text, '[', sizeof(text));
    pt__loose_json json = PT_LOOSE_JSON_INIT;
    PT_CHECK_EQ(pt__loose_json_read(&json, (pt_text_view){text, sizeof(text)}, 0), PT_LOOSE_MALFORMED);
    pt__loose_json_deinit(&json);
}
