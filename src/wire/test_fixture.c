#include "wire/test_fixture.h"

#include "base/test.h"

#include <string.h>

pt__test_fixture *pt__test_fixture_open(const pt__test_client_options *options)
{
    static pt__test_fixture fixture;
    memset(&fixture, 0, sizeof(fixture));
    fixture.routes = pt__test_echo_routes(&fixture.echo);
    PT_CHECK(pt__test_client_init(&fixture.client, fixture.routes, options));
    return &fixture;
}

pt__test_fixture *pt__test_fixture_open_with(const char *key, const char *value)
{
    pt_config *config;
    PT_CHECK_EQ(pt_config_new(&config, NULL), PT_OK);
    PT_CHECK_EQ(pt_config_set(config, key, value, NULL), PT_OK);
    pt__test_fixture *fixture = pt__test_fixture_open(&(pt__test_client_options){.limits = config});
    pt_config_free(config);
    return fixture;
}

void pt__test_fixture_close(pt__test_fixture *fixture)
{
    pt__test_client_deinit(&fixture->client);
    pt_routes_free(fixture->routes);
    PT_CHECK_EQ(fixture->echo.started, fixture->echo.closed);
}
