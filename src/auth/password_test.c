#include "auth/password.h"

#include "base/test.h"

#include <string.h>

static pt_text_view text_of(const char *text)
{
    return (pt_text_view){text, strlen(text)};
}

PT_TEST(password_matches_its_own_hash_alone)
{
    char text[PT_PASSWORD_HASH_BYTES];
    char other[PT_PASSWORD_HASH_BYTES];
    pt__password_hash hash;
    PT_REQUIRE(pt_password_hash(text_of("correct horse"), text, NULL) == PT_OK);
    PT_REQUIRE(pt_password_hash(text_of("correct horse"), other, NULL) == PT_OK);
    PT_CHECK(strcmp(text, other) != 0); /* the salt */
    PT_REQUIRE(pt__password_hash_parse(text_of(text), &hash, NULL) == PT_OK);
    PT_CHECK(pt__password_matches(&hash, text_of("correct horse")));
    PT_CHECK(!pt__password_matches(&hash, text_of("correct hors")));
    PT_CHECK(!pt__password_matches(&hash, text_of("")));
    pt__password_hash_dummy(&hash);
    PT_CHECK(!pt__password_matches(&hash, text_of("")));
}

PT_TEST(password_hash_reads_other_costs)
{
    pt__password_hash hash;
    PT_CHECK_EQ(
        pt__password_hash_parse(
            text_of("$scrypt$ln=10,r=8,p=16$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), &hash, NULL),
        PT_OK);
    PT_CHECK_EQ(hash.cost_log2, 10);
    PT_CHECK_EQ(hash.lanes, 16);
    PT_CHECK_EQ(hash.salt_bytes, 8);
    PT_CHECK(!pt__password_matches(&hash, text_of("password")));
}

PT_TEST(password_hash_of_another_form_is_refused)
{
    static const char *const wrong[] = {
        "",
        "secret",
        "$2b$12$abcdefghijklmnopqrstuv",
        "$scrypt$",
        "$scrypt$ln=14,r=8,p=1$",
        "$scrypt$ln=9,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=21,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=20,r=32,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=14,r=8,p=0$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=14,r=8,p=1,x=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=14,r=8$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=14,r=8,p=1$c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$AAAA",
        "$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA!",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        pt__password_hash hash;
        PT_CHECK_EQ(pt__password_hash_parse(text_of(wrong[i]), &hash, NULL), PT_INVALID_ARGUMENT);
    }
}
