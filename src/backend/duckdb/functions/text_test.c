#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case CASES[] = {
    {"spark_upper('ßŉﬁ'), spark_upper('ǆ'), hex(spark_upper('ΐ')), spark_upper('ᾳ'), spark_upper('ﬃ'), "
     "spark_upper('i'), "
     "hex(spark_upper('ᾀ'))",
     "SSʼNFI | Ǆ | CE99CC88CC81 | ΑΙ | FFI | I | E1BC88CE99"},
    {"spark_lower('İΑΣ ΣΑΣ'), spark_lower('ÀÉ'), spark_lower('Σ'), spark_lower('ΑΣ.'), spark_lower('ΑΣα'), "
     "spark_lower('ẞ')",
     "i̇ας σας | àé | σ | ας. | ασα | ß"},
    {"spark_initcap('sPark sql-foo bar_x 1abc éa'), spark_initcap('ΑΣ ßx ǆa')",
     "Spark Sql-foo Bar_x 1abc Éa | Ας Ssx ǅa"},
    {"spark_soundex('Miller'), spark_soundex('Rupert'), spark_soundex('Tymczak'), spark_soundex('Pfister'), "
     "spark_soundex('Ashcraft'), "
     "spark_soundex('123'), spark_soundex('é')",
     "M460 | R163 | T522 | P236 | A261 | 123 | é"},
    {"spark_mask('AbCD123-@$#', 'X', 'x', 'n', NULL), spark_mask('AbCD123-@$#', NULL, 'q', 'd', 'o'), spark_mask(NULL, "
     "'X', 'x', 'n', NULL)",
     "XxXXnnn-@$# | AqCDdddoooo | NULL"},
};

PT_TEST(cases_of_text_follow_spark)
{
    PT__FN_CHECK(CASES);
}

static const pt__fn_case PARTS[] = {
    {"spark_substring('Spark', 0, 2), spark_substring('Spark', -3, 2), spark_substring('Spark', -10, 7), "
     "spark_substring('Spark', 2, -1), "
     "spark_substring('Spark SQL', 5), spark_substring('aéb', 2, 1), spark_left('abc', -1), spark_right('abc', 2), "
     "spark_right('abc', 10)",
     "Sp | ar | Sp |  | k SQL | é |  | bc | abc"},
    {"hex(spark_substring('\\x01\\x02\\x03\\x04'::BLOB, 2, 2)), hex(spark_left('\\x01\\x02'::BLOB, 1)), "
     "hex(spark_reverse('\\xCA\\xFE'::BLOB)), "
     "hex(spark_lpad('\\xAA\\xBB'::BLOB, 5, '\\x11\\x22'::BLOB)), hex(spark_overlay('\\x01\\x02'::BLOB, '\\xFF'::BLOB, "
     "1, -1))",
     "0203 | 01 | FECA | 112211AABB | FF02"},
    {"spark_lpad('hi', 5, '?"
     "?'), spark_lpad('hi', 1, '?"
     "?'), spark_lpad('hi', 5, ''), spark_rpad('hi', 7, 'ab'), "
     "spark_lpad('é', 3, 'ü'), "
     "spark_lpad('hi', -1, 'x')",
     "???hi | h | hi | hiababa | üüé | "},
    {"spark_overlay('Spark SQL', '_', 6, -1), spark_overlay('Spark SQL', 'ANSI ', 7, 0), spark_overlay('Spark SQL', "
     "'_', 0, -1), "
     "spark_overlay('Spark SQL', '_', -3, -1), spark_overlay('abc', 'X', 2, 10)",
     "Spark_SQL | Spark ANSI SQL | _Spark SQL | _QL | aX"},
    {"spark_locate('bar', 'foobarbar', 5), spark_locate('', 'abc', 2), spark_locate('a', 'abc', 0), spark_locate('b', "
     "'éb', 1), spark_reverse('aé')",
     "7 | 1 | 0 | 2 | éa"},
    {"spark_find_in_set('ab', 'abc,b,ab,c,def'), spark_find_in_set('a,b', 'a,b'), spark_find_in_set('', 'a,,b'), "
     "spark_find_in_set('', '')",
     "3 | 0 | 2 | 1"},
    {"spark_substring_index('www.apache.org', '.', 2), spark_substring_index('www.apache.org', '.', -2), "
     "spark_substring_index('aaa', 'aa', 1), "
     "spark_substring_index('aaaa', 'aa', -1), spark_substring_index('www.apache.org', 'x', 1), "
     "spark_substring_index('a', '', 1)",
     "www.apache | apache.org |  |  | www.apache.org | "},
    {"spark_split_part('11.12.13', '.', 3), spark_split_part('11.12.13', '.', -1), spark_split_part('a..b', '..', 2), "
     "spark_split_part('11.12.13', '', 1), spark_split_part('a.b.c', '.', -4)",
     "13 | 13 | b | 11.12.13 | "},
    {"spark_split_part('11.12.13', '.', 0)", "! [INVALID_INDEX_OF_ZERO]{}"},
    {"spark_translate('AaBbCc', 'abc', '123'), spark_translate('AaBbCc', 'abc', '12'), spark_translate('aab', 'aa', "
     "'xy'), spark_translate('éa', 'é', 'e')",
     "A1B2C3 | A1B2C | xxb | ea"},
    {"spark_trim('xyabcyx', 'xy'), spark_ltrim('xxabc', 'x'), spark_rtrim('abcé', 'é'), spark_trim('a', '')",
     "abc | abc | abc | a"},
};

PT_TEST(parts_of_text_follow_spark)
{
    PT__FN_CHECK(PARTS);
}

static const pt__fn_case MISCELLANY[] = {
    {"spark_chr(65), spark_chr(321), spark_chr(-1), spark_chr(233), spark_luhn_check('79927398713'), "
     "spark_luhn_check(''), spark_luhn_check('a')",
     "A | A |  | é | true | false | false"},
    {"spark_levenshtein('kitten', 'sitting'), spark_levenshtein('kitten', 'sitting', 2), spark_levenshtein('', 'abc'), "
     "spark_levenshtein('éa', 'ea'), "
     "spark_levenshtein('abc', 'abc', 0)",
     "3 | -1 | 3 | 1 | 0"},
    {"spark_concat_ws(',', ['a', NULL, 'b'], 'c', NULL), spark_concat_ws(',', []), spark_concat_ws(NULL, 'a'), "
     "spark_concat_ws('s')",
     "a,b,c |  | NULL | "},
    {"spark_is_valid_utf8('\\x80'::BLOB), spark_make_valid_utf8('\\xE2\\x8CA'::BLOB), "
     "spark_make_valid_utf8('\\xFF\\x80'::BLOB), "
     "spark_validate_utf8_try('\\x80'::BLOB)",
     "false | \xEF\xBF\xBD"
     "A | \xEF\xBF\xBD\xEF\xBF\xBD | NULL"},
    {"spark_validate_utf8_ansi('\\x80'::BLOB)", "! [INVALID_UTF8_STRING]{\"str\":\"\\\\x80\"}"},
    {"spark_like('abc', 'a_c', '\\'), spark_like('a%c', 'a\\%c', '\\'), spark_like('aéc', 'a_c', '\\'), "
     "spark_like('abc', 'a%c%', '\\'), "
     "spark_like('x', '', '\\'), spark_like('a_c', 'a/_c', '/'), spark_like('abcbc', '%bc', ''), spark_ilike('ÀB', "
     "'àb', '\\'), spark_ilike('ß', 'SS', '\\')",
     "true | true | true | true | false | true | true | true | false"},
    {"spark_like('a', 'a\\', '\\')", "! [INVALID_FORMAT.ESC_AT_THE_END]{\"format\":\"'a\\\\\\\\'\"}"},
    {"spark_like('a', '\\a', '\\')",
     "! [INVALID_FORMAT.ESC_IN_THE_MIDDLE]{\"format\":\"'\\\\\\\\a'\",\"char\":\"'a'\"}"},
    {"spark_url_encode('https://a b/é?x=1&y=*-_.~'), spark_url_decode_ansi('a+b%20c%C3%A9'), "
     "spark_url_decode_try('%zz')",
     "https%3A%2F%2Fa+b%2F%C3%A9%3Fx%3D1%26y%3D*-_.%7E | a b cé | NULL"},
    {"spark_url_decode_ansi('%4')", "! [CANNOT_DECODE_URL]{\"url\":\"%4\"}"},
    {"spark_str_to_map('a:1,b:2,c:3', ',', ':')::VARCHAR, spark_str_to_map('a', ',', ':')::VARCHAR, "
     "spark_str_to_map('a:1:2', ',', ':')::VARCHAR",
     "{a=1, b=2, c=3} | {a=NULL} | {a='1:2'}"},
    {"spark_str_to_map('a:1,a:2', ',', ':')",
     "! [DUPLICATED_MAP_KEY]{\"key\":\"a\",\"mapKeyDedupPolicy\":\"\\\"spark.sql.mapKeyDedupPolicy\\\"\"}"},
    {"spark_sentences('Hi there! Good morning.')::VARCHAR, spark_sentences('a-b c_d e@f.com 1,000')::VARCHAR, "
     "spark_sentences('')::VARCHAR",
     "[[Hi, there], [Good, morning]] | [[a-b, c_d, e, f.com, '1,000']] | []"},
};

PT_TEST(other_functions_of_text_follow_spark)
{
    PT__FN_CHECK(MISCELLANY);
}

#define URL "'http://user:pw@spark.apache.org:8080/path/a.html?query=1&b=2#ref'"

static const pt__fn_case URLS[] = {
    {"spark_parse_url_ansi(" URL ", p) FROM (VALUES ('HOST'), ('PATH'), ('QUERY'), ('REF'), ('PROTOCOL'), ('FILE'), "
     "('AUTHORITY'), ('USERINFO'), ('host')) t(p)",
     "spark.apache.org / /path/a.html / query=1&b=2 / ref / http / /path/a.html?query=1&b=2 / "
     "user:pw@spark.apache.org:8080 / user:pw / NULL"},
    {"spark_parse_url_ansi('http://spark.apache.org', 'PATH'), spark_parse_url_ansi('http://a/b?x=%20y', 'QUERY', "
     "'x'), "
     "spark_parse_url_ansi('mailto:a@b.c', 'PATH'), spark_parse_url_ansi('http://a_b/c', 'HOST'), "
     "spark_parse_url_ansi('notaurl', 'PATH'), "
     "spark_parse_url_ansi('http://a/b?x=1&xx=2', 'QUERY', 'xx'), spark_parse_url_ansi('http://[::1]:80/', 'HOST')",
     " | %20y | NULL | NULL | notaurl | 2 | [::1]"},
    {"spark_parse_url_try('inva lid://spark.apache.org/path?query=1', 'QUERY')", "NULL"},
    {"spark_parse_url_ansi('http://ab/c d', 'HOST')", "! [INVALID_URL]{\"url\":\"http://ab/c d\"}"},
};

PT_TEST(parse_url_follows_spark)
{
    PT__FN_CHECK(URLS);
}

static const pt__fn_case MADE[] = {
    {"spark_concat('a', 'é', ''), spark_concat('a', NULL), hex(spark_concat('\\x01'::BLOB, '\\x02'::BLOB))",
     "aé | NULL | 0102"},
    {"spark_replace('abcabc', 'bc', 'x'), spark_replace('aaa', 'aa', 'b'), spark_replace('abc', '', 'x'), "
     "spark_replace('', 'a', 'x'), spark_replace('aXa', 'a', '')",
     "axax | ba | abc |  | X"},
    {"spark_may_hold(2, 'concat'), spark_may_hold(NULL, 'concat'), spark_may_flatten([[1], [2]]), "
     "spark_may_flatten([[1], NULL])",
     "true | NULL | true | NULL"},
    {"spark_may_hold(67108865, 'concat')",
     "! [COLLECTION_SIZE_LIMIT_EXCEEDED.FUNCTION]{\"numberOfElements\":\"67108865\","
     "\"maxRoundedArrayLength\":\"67108864\",\"functionName\":\"`concat`\"}"},
};

PT_TEST(what_functions_make_has_a_limit)
{
    PT__FN_CHECK(MADE);
}
