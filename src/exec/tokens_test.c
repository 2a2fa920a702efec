#include "exec/tokens.h"

#include "base/test.h"
#include "exec/host.h"

#include <stdlib.h>
#include <string.h>

static uint64_t given_time(void *context)
{
    return *(const uint64_t *)context;
}

typedef struct fixture {
    pt_config *config;
    pt_host *host;
    uint64_t now_ms;
} fixture;

static void open_fixture(fixture *f)
{
    *f = (fixture){.now_ms = 1000};
    PT_REQUIRE(pt_config_new(&f->config, NULL) == PT_OK);
    PT_REQUIRE(pt_config_set(f->config, "auth.max-tokens", "2", NULL) == PT_OK);
    PT_REQUIRE(pt_config_set(f->config, "auth.token-lifetime", "10s", NULL) == PT_OK);
    pt_host_options options = {
        .size_bytes = sizeof(options), .config = f->config, .clock_ms = given_time, .clock_context = &f->now_ms};
    PT_REQUIRE(pt_host_new(&options, &f->host, NULL) == PT_OK);
}

static void close_fixture(fixture *f)
{
    pt_host_free(f->host);
    pt_config_free(f->config);
}

static bool is_of(fixture *f, const char *token, const char *principal)
{
    char *found = NULL;
    pt_status status = pt__host_find_token(f->host, (pt_text_view){token, strlen(token)}, &found, NULL);
    bool same = status == PT_OK && strcmp(found, principal) == 0;
    free(found);
    return same;
}

PT_TEST(token_names_its_principal_until_it_expires)
{
    fixture f;
    char ann[PT_TOKEN_BYTES];
    char bob[PT_TOKEN_BYTES];
    open_fixture(&f);
    PT_REQUIRE(pt__host_issue_token(f.host, "ann", ann, NULL) == PT_OK);
    PT_REQUIRE(pt__host_issue_token(f.host, "bob", bob, NULL) == PT_OK);
    PT_CHECK(strcmp(ann, bob) != 0);
    PT_CHECK(is_of(&f, ann, "ann"));
    PT_CHECK(is_of(&f, bob, "bob"));
    PT_CHECK(!is_of(&f, "0123456789abcdef0123456789abcdef", "ann"));
    f.now_ms += 9999;
    PT_CHECK(is_of(&f, ann, "ann"));
    f.now_ms += 1;
    PT_CHECK(!is_of(&f, ann, "ann"));
    close_fixture(&f);
}

PT_TEST(token_ends_when_it_is_revoked)
{
    fixture f;
    char first[PT_TOKEN_BYTES];
    char second[PT_TOKEN_BYTES];
    open_fixture(&f);
    PT_REQUIRE(pt__host_issue_token(f.host, "ann", first, NULL) == PT_OK);
    PT_REQUIRE(pt__host_issue_token(f.host, "ann", second, NULL) == PT_OK);
    pt__host_revoke_token(f.host, (pt_text_view){first, strlen(first)});
    pt__host_revoke_token(f.host, (pt_text_view){"unknown", 7});
    PT_CHECK(!is_of(&f, first, "ann"));
    PT_CHECK(is_of(&f, second, "ann"));
    close_fixture(&f);
}

PT_TEST(tokens_of_one_principal_push_out_its_oldest_and_nobody_elses)
{
    fixture f;
    char bob[PT_TOKEN_BYTES];
    char ann[3][PT_TOKEN_BYTES];
    open_fixture(&f);
    PT_REQUIRE(pt__host_issue_token(f.host, "bob", bob, NULL) == PT_OK);
    for (size_t i = 0; i < 3; i++)
        PT_REQUIRE(pt__host_issue_token(f.host, "ann", ann[i], NULL) == PT_OK);
    PT_CHECK(!is_of(&f, ann[0], "ann"));
    PT_CHECK(is_of(&f, ann[1], "ann"));
    PT_CHECK(is_of(&f, ann[2], "ann"));
    PT_CHECK(is_of(&f, bob, "bob"));
    close_fixture(&f);
}
