#include "backend/duckdb/functions/test_functions.h"

#include "base/test.h"

static const pt__fn_case HASHES[] = {
    {"spark_hash(1::INT), spark_hash('a'), spark_hash(1::BIGINT), spark_hash(1::DOUBLE), spark_hash(NULL), "
     "spark_hash(1::INT, 'a'), "
     "spark_hash([1, 2]::INT[])",
     "-559580957 | 1485273170 | -1712319331 | -460888942 | 42 | -936062819 | -222940379"},
    {"spark_hash(1.5), spark_hash(12345678901234567890.5), spark_hash(-12345678901234567890.5), "
     "spark_hash(1.5::FLOAT), "
     "spark_hash(-0.0::DOUBLE), spark_hash('nan'::DOUBLE), spark_hash('nan'::FLOAT)",
     "-18083236 | 832414797 | -777928638 | -221251528 | -1670924195 | -1281358385 | -349261430"},
    {"spark_hash(true), spark_hash(1::TINYINT), spark_hash(date '2020-01-01'), spark_hash(timestamptz '2020-01-01 "
     "00:00:00+00'), "
     "spark_hash({'a': 1, 'b': NULL::INT, 'c': 'abcdefg'}), spark_hash(INTERVAL '14 months 25 days 5 hours 6 minutes 7 "
     "seconds')",
     "-559580957 | -559580957 | -725858435 | -1486022740 | -791550023 | 827576014"},
    {"spark_hash('\\x80\\xFF\\x01'::BLOB), spark_hash('abcdefghé'), spark_hash(''), spark_hash([NULL, 'x'], [[1]])",
     "-1935714940 | -884841777 | 142593372 | -1371604412"},
    {"spark_xxhash64(1::INT), spark_xxhash64('a'), spark_xxhash64(1::BIGINT), spark_xxhash64(1::DOUBLE), "
     "spark_xxhash64(NULL), "
     "spark_xxhash64(1::INT, 'a'), spark_xxhash64([1, 2]::INT[])",
     "-6698625589789238999 | -8582455328737087284 | -7001672635703045582 | -2162451265447482029 | 42 | "
     "8205864924878002737 | "
     "-8133857028838179022"},
    {"spark_xxhash64(12345678901234567890.5), spark_xxhash64('The quick brown fox jumps over the lazy dog, twice over, "
     "really'), "
     "spark_xxhash64('abcdefg'), spark_xxhash64('\\x80\\xFF\\x01'::BLOB), spark_xxhash64('')",
     "8221516556699326764 | 6433077888938530473 | 3761890393722740389 | -7525484257372978316 | -7444071767201028348"},
    {"spark_hash(x, y) FROM (VALUES (1::INT, 'a'), (NULL, NULL), (1::INT, NULL)) t(x, y)",
     "-936062819 / 42 / -559580957"},
};

PT_TEST(hashes_are_those_of_spark)
{
    PT__FN_CHECK(HASHES);
}

static const pt__fn_case DIGESTS[] = {
    {"spark_crc32('Spark'), spark_crc32(''::BLOB), spark_sha1('Spark'), spark_md5('Spark'), spark_sha2('Spark', 5)",
     "1557323817 | 0 | 85f5955f4b27a9a4c2aab6ffe5d7189fc298b92c | 8cde774d6f7333752ed72cacddb05126 | NULL"},
    {"spark_sha2('Spark', 224), spark_sha2('Spark', 0)",
     "dbeab94971678d36af2195851c0f7485775a2a7c60073d62fc04549c | "
     "529bc3b07127ecb7e53a4dcf1991d9152c24537d919178022b2c42657f79a26b"},
    {"hex(spark_aes_encrypt_ansi('Spark', '0000111122223333', 'ECB', 'DEFAULT', '', '')), "
     "hex(spark_aes_encrypt_ansi('Spark', 'abcdefghijklmnop12345678ABCDEFGH', 'GCM', 'DEFAULT', "
     "unhex('000000000000000000000000'), "
     "'This is an AAD mixed into the input'))",
     "348FF37EBDE05B7880BA339068FBDA5E | 000000000000000000000000422622FAC4CB9BB283F54719DA79517580DEFCF5F8"},
    {"spark_aes_decrypt_ansi(unhex('83F16B2AA704794132802D248E6BFD4E380078182D1544813898AC97E709B28A94'), "
     "'0000111122223333', 'GCM', "
     "'DEFAULT', '', ''), spark_aes_decrypt_ansi(from_base64('2NYmDCjgXTbbxGA3/SnJEfFC/JQ7olk2VQWReIAAFKo='), "
     "'1234567890abcdef', "
     "'CBC', 'DEFAULT', '', ''), spark_aes_decrypt_try('\\x00'::BLOB, '0000111122223333', 'GCM', 'DEFAULT', '', '')",
     "Spark | Apache Spark | NULL"},
    {"spark_aes_encrypt_ansi('Spark', '000', 'ECB', 'DEFAULT', '', '')",
     "! "
     "[INVALID_PARAMETER_VALUE.AES_KEY_LENGTH]{\"parameter\":\"`key`\",\"functionName\":\"`aes_encrypt`/"
     "`aes_decrypt`\","
     "\"actualLength\":\"3\"}"},
};

PT_TEST(digests_and_ciphers_are_those_of_spark)
{
    PT__FN_CHECK(DIGESTS);
}

static const pt__fn_case ENCODINGS[] = {
    {"spark_base64('Spark SQL'), spark_base64('\\x00\\xFF'::BLOB), spark_base64(repeat('a', 57)), "
     "length(spark_base64(repeat('a', 58)))",
     "U3BhcmsgU1FM | AP8= | YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh | 82"},
    {"spark_unbase64_ansi('U3BhcmsgU1FM!!'), spark_unbase64_ansi('YQ'), spark_unbase64_ansi('YWI='), "
     "spark_unbase64_try('a'), "
     "spark_unbase64_try('YQ='), spark_unbase64_try('YQ==YQ==')",
     "Spark SQL | a | ab | NULL | NULL | NULL"},
    {"spark_to_binary_ansi('Y Q==', 'base64'), spark_to_binary_ansi('537061726B', 'hex'), spark_to_binary_ansi('5', "
     "'hex'), "
     "spark_to_binary_try('a!', 'base64'), spark_to_binary_ansi('abc', 'utf8')",
     "a | Spark | \\x05 | NULL | abc"},
    {"spark_to_binary_ansi('5G', 'hex')",
     "! [CONVERSION_INVALID_INPUT]{\"str\":\"'5G'\",\"fmt\":\"'HEX'\",\"targetType\":"
     "\"\\\"BINARY\\\"\",\"suggestion\":\"`try_to_binary`\"}"},
    {"hex(spark_encode('é', c)) FROM (VALUES ('utf-8'), ('ISO-8859-1'), ('utf-16'), ('utf-16le'), ('utf-16be'), "
     "('utf-32')) t(c)",
     "C3A9 / E9 / FEFF00E9 / E900 / 00E9 / 000000E9"},
    {"spark_encode('é', 'us-ascii')",
     "! [MALFORMED_CHARACTER_CODING]{\"function\":\"`encode`\",\"charset\":\"us-ascii\"}"},
    {"spark_decode(unhex('FFFEE900'), 'utf-16'), spark_decode(unhex('00E9'), 'utf-16'), spark_decode(unhex('E9'), "
     "'iso-8859-1'), "
     "spark_decode(unhex('D83DDE00'), 'utf-16be'), spark_decode(unhex('0001F600'), 'utf-32')",
     "é | é | é | 😀 | 😀"},
    {"spark_decode(unhex('E9'), 'utf-8')",
     "! [MALFORMED_CHARACTER_CODING]{\"function\":\"`decode`\",\"charset\":\"utf-8\"}"},
};

PT_TEST(encodings_are_those_of_spark)
{
    PT__FN_CHECK(ENCODINGS);
}
