#include "base/test.h"
#include "wrap/pattern.h"
#include "wrap/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pt_status read_policy(const char *text, pt__policy **out, pt_error *err)
{
    char path[] = "/tmp/portico-policy-XXXXXX";
    int descriptor = mkstemp(path);
    PT_CHECK(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fputs(text, file);
    fclose(file);
    pt_status status = pt__policy_read(path, out, err);
    unlink(path);
    return status;
}

static bool allows(const pt__policy *policy, const char *user, pt__action action, const char *table, const char *column)
{
    const pt__request request = {user, action, PT_POLICY_TABLE, table, column};
    return pt__policy_allows(policy, &request);
}

PT_TEST(patterns_match_text_with_stars_and_question_marks)
{
    PT_CHECK(pt__pattern_matches("a*c", "abbbc", false));
    PT_CHECK(pt__pattern_matches("*", "", false));
    PT_CHECK(pt__pattern_matches("a?c*", "ABCD", true));
    PT_CHECK(!pt__pattern_matches("a?c", "ac", false));
    PT_CHECK(!pt__pattern_matches("A", "a", false));
    PT_CHECK(pt__pattern_matches("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", false));
    PT_CHECK(!pt__pattern_matches("*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false));
}

PT_TEST(first_rule_that_matches_decides)
{
    pt__policy *policy = NULL;
    PT_CHECK_EQ(read_policy("deny select user=ann table=s.t column=b,\"c d\"\n"
                            "allow select,insert user=ann,bo? table=s.*\n"
                            "# a comment\n"
                            "\n"
                            "allow * user=root",
                            &policy, NULL),
                PT_OK);
    PT_REQUIRE(policy != NULL);
    PT_CHECK(allows(policy, "ann", PT_ACTION_SELECT, "S.T", "a"));
    PT_CHECK(!allows(policy, "ann", PT_ACTION_SELECT, "s.t", "B"));
    PT_CHECK(!allows(policy, "ann", PT_ACTION_SELECT, "s.t", "c d"));
    PT_CHECK(allows(policy, "ann", PT_ACTION_SELECT, "s.t", NULL));
    PT_CHECK(allows(policy, "bob", PT_ACTION_INSERT, "s.t", "b"));
    PT_CHECK(!allows(policy, "Bob", PT_ACTION_INSERT, "s.t", "b"));
    PT_CHECK(!allows(policy, "bob", PT_ACTION_DELETE, "s.t", NULL));
    PT_CHECK(allows(policy, "root", PT_ACTION_DROP, "x.y", NULL));
    PT_CHECK(pt__policy_shows(policy, "ann", "s.t"));
    PT_CHECK(!pt__policy_shows(policy, "ann", "x.t"));
    PT_CHECK(pt__policy_has_columns(policy, PT_POLICY_TABLE));
    PT_CHECK(!pt__policy_denies_functions(policy));
    pt__policy_free(policy);
}

PT_TEST(columns_that_are_allowed_alone_do_not_allow_the_table)
{
    pt__policy *policy = NULL;
    PT_CHECK_EQ(read_policy("allow select user=* table=s.t column=a\n", &policy, NULL), PT_OK);
    PT_REQUIRE(policy != NULL);
    PT_CHECK(allows(policy, "x", PT_ACTION_SELECT, "s.t", "a"));
    PT_CHECK(!allows(policy, "x", PT_ACTION_SELECT, "s.t", NULL));
    PT_CHECK(pt__policy_shows(policy, "x", "s.t"));
    pt__policy_free(policy);
}

PT_TEST(filters_and_masks_are_found_by_user_and_object)
{
    pt__policy *policy = NULL;
    pt__policy_text text;
    PT_CHECK_EQ(read_policy("filter user=root table=* where true\n"
                            "filter table=s.* where a = 'x y'\n"
                            "mask user=ann path=/d/* column=c as null\n",
                            &policy, NULL),
                PT_OK);
    PT_REQUIRE(policy != NULL);
    PT_CHECK(pt__policy_filter(policy, "root", PT_POLICY_TABLE, "s.t", &text));
    PT_CHECK_STR(text.sql, "true");
    PT_CHECK(pt__policy_filter(policy, "ann", PT_POLICY_TABLE, "s.t", &text));
    PT_CHECK_STR(text.sql, "a = 'x y'");
    PT_CHECK(!pt__policy_filter(policy, "ann", PT_POLICY_PATH, "s.t", &text));
    PT_CHECK(pt__policy_mask(policy, "ann", PT_POLICY_PATH, "/d/f", "C", &text));
    PT_CHECK(!pt__policy_mask(policy, "bob", PT_POLICY_PATH, "/d/f", "c", &text));
    pt__policy_free(policy);
}

PT_TEST(malformed_rules_are_refused)
{
    static const char *const texts[] = {
        "permit select user=a",        "allow look user=a",          "allow select user=",    "allow select user=\"a",
        "allow select table=a path=b", "filter table=t where a ===", "filter user=a where a", "mask table=t as 1",
        "allow select column=a",       "allow select user",          "filter table=t"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        pt__policy *policy = NULL;
        pt_error err = PT_ERROR_INIT;
        PT_CHECK(read_policy(texts[i], &policy, &err) != PT_OK);
        PT_CHECK(err.message[0] == '/');
        pt_error_clear(&err);
    }
}
