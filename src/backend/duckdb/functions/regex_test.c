#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case SYNTAX[] = {
    {"spark_rlike('abc' || chr(10), 'c$'), spark_rlike('a' || chr(13) || chr(10) || 'b', '(?m)a$'), spark_rlike('É', "
     "'(?i)é'), "
     "spark_rlike('É', '(?iu)é'), spark_rlike('é', '\\w'), spark_rlike('٣', '\\d'), spark_rlike('a b', '\\h')",
     "true | true | false | true | false | false | true"},
    {"spark_rlike('ab', '(?=a)ab'), spark_rlike('aa', '(a)\\1'), spark_rlike('x', '\\p{Alpha}'), spark_rlike('é', "
     "'\\p{L}'), "
     "spark_rlike('é', '\\p{IsAlphabetic}'), spark_rlike('a', '[a-c&&[^b]]'), spark_rlike('b', '[a-c&&[^b]]')",
     "true | true | true | true | true | true | false"},
    {"spark_rlike('x.y', '\\Qx.y\\E'), spark_rlike('a', '\\x61'), spark_rlike('a', '\\u0061'), spark_rlike('A', "
     "'\\p{Lu}'), "
     "spark_rlike('a' || chr(133) || 'b', 'a.b'), spark_rlike('ab', 'a++b'), spark_rlike('abc', '(?<x>b)c')",
     "true | true | true | true | false | true | true"},
    {"spark_rlike('a', '\\p{javaLowerCase}'), spark_rlike('É', '\\p{Upper}'), spark_rlike('a', '[[:alpha:]]'), "
     "spark_rlike('β', '\\p{IsGreek}'), spark_rlike('β', '\\p{InGreek}'), spark_rlike('-', '[a\\-z]'), "
     "spark_rlike('b', '[^a[c-d]]'), "
     "spark_rlike('c', '[^a[c-d]]')",
     "true | false | true | true | true | true | true | false"},
    {"spark_rlike('ABC', '(?i)b[c-d]'), spark_rlike('xAbC', '(?i)ABC'), spark_rlike(']', '[]]'), spark_rlike('a^', "
     "'[\\^]'), "
     "spark_rlike('ab' || chr(10) || 'c', '(?s)b.c'), spark_rlike('ab' || chr(10) || 'c', 'b.c'), spark_rlike('a  b', "
     "'(?x) a \\s + b # two')",
     "true | true | true | true | true | false | true"},
    {"spark_rlike('😀', '^.$'), spark_rlike('aé', 'a[é-ê]'), spark_rlike('a{', 'a\\{'), spark_rlike('aaa', '^a{2,3}$'), "
     "spark_rlike(NULL, 'a')",
     "true | true | true | true | NULL"},
    {"spark_rlike('a', '(')",
     "! [INVALID_PARAMETER_VALUE.PATTERN]{\"parameter\":\"`regexp`\",\"functionName\":\"`rlike`\",\"value\":\"'('\"}"},
    {"spark_rlike('a', '%\\Users.*')", "! "
                                       "[INVALID_PARAMETER_VALUE.PATTERN]{\"parameter\":\"`regexp`\",\"functionName\":"
                                       "\"`rlike`\",\"value\":\"'%\\\\\\\\Users.*'\"}"},
    {"spark_rlike('a', 'a**')",
     "! "
     "[INVALID_PARAMETER_VALUE.PATTERN]{\"parameter\":\"`regexp`\",\"functionName\":\"`rlike`\",\"value\":\"'a**'\"}"},
    {"count(*) FROM range(10000) t(i) WHERE spark_rlike(i::VARCHAR, '^(\\d)\\d*\\1$')", "999"},
};

PT_TEST(regular_expressions_are_those_of_java)
{
    PT__FN_CHECK(SYNTAX);
}

static const pt__fn_case FUNCTIONS[] = {
    {"spark_regexp_replace('100-200', '(\\d+)', '<$1>'), spark_regexp_replace('abcabc', 'b', 'X', 3), "
     "spark_regexp_replace('abc', '', '-'), "
     "spark_regexp_replace('aaa', 'a', '\\$'), spark_regexp_replace('abc', '(?<n>b)', '${n}${n}'), "
     "spark_regexp_replace('a', '(a)|(b)', '[$2]')",
     "<100>-<200> | abcaXc | -a-b-c- | $$$ | abbc | []"},
    {"spark_regexp_replace('abc', 'b', 'x', 10), spark_regexp_replace('abcabc', '^a', 'x', 4), "
     "spark_regexp_replace('é', '', '-')",
     "abc | abcxbc | -é-"},
    {"spark_regexp_replace('abc', 'b', '$1')",
     "! [INVALID_REGEXP_REPLACE]{\"source\":\"abc\",\"pattern\":\"b\",\"replacement\":\"$1\",\"position\":\"1\"}"},
    {"spark_regexp_extract('100-200', '(\\d+)-(\\d+)', 1), spark_regexp_extract('100-200', '(\\d+)-(\\d+)', 0), "
     "spark_regexp_extract('foo', '(\\d+)', 3), spark_regexp_extract('ab', '(a)|(b)', 2)",
     "100 | 100-200 |  | "},
    {"spark_regexp_extract('100-200', '(\\d+)-(\\d+)', 3)",
     "! "
     "[INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX]{\"parameter\":\"`idx`\",\"functionName\":\"`regexp_extract`\","
     "\"groupCount\":"
     "\"2\",\"groupIndex\":\"3\"}"},
    {"spark_regexp_extract_all('100-200, 300-400', '(\\d+)-(\\d+)', 1)::VARCHAR, spark_regexp_extract_all('ab', "
     "'(a)|(b)', 1)::VARCHAR, "
     "spark_regexp_extract_all('abc', '(\\d+)', 1)::VARCHAR",
     "[100, 300] | [a, ''] | []"},
    {"spark_regexp_count('aaaa', 'aa'), spark_regexp_count('abc', ''), spark_regexp_instr('éab', 'b'), "
     "spark_regexp_instr('abc', 'x')",
     "2 | 4 | 3 | 0"},
    {"spark_split('oneAtwoBthreeC', '[ABC]', -1)::VARCHAR, spark_split('oneAtwoBthreeC', '[ABC]', 2)::VARCHAR, "
     "spark_split('', 'a', 0)::VARCHAR",
     "[one, two, three, ''] | [one, twoBthreeC] | ['']"},
    {"spark_split('aéc', '', -1)::VARCHAR, spark_split('abc', '', 2)::VARCHAR, spark_split('abc', 'b*', -1)::VARCHAR, "
     "spark_split('a,b,,', ',', 3)::VARCHAR, spark_split('Xab', 'X', -1)::VARCHAR",
     "[a, é, c] | [a, bc] | [a, '', c, ''] | [a, b, ','] | ['', ab]"},
};

PT_TEST(regular_expression_functions_follow_spark)
{
    PT__FN_CHECK(FUNCTIONS);
}
