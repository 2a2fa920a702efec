/**
 * A client, a connection and the echo frontend, as most tests of the wire need them.
 */
#ifndef PT_WIRE_TEST_FIXTURE_H
#define PT_WIRE_TEST_FIXTURE_H

#include "wire/test_client.h"
#include "wire/test_echo.h"

typedef struct pt__test_fixture {
    pt__test_echo echo;
    pt_routes *routes;
    pt__test_client client;
} pt__test_fixture;

/** One at a time. `options` may be NULL. */
pt__test_fixture *pt__test_fixture_open(const pt__test_client_options *options);

/** The same with one configuration value. */
pt__test_fixture *pt__test_fixture_open_with(const char *key, const char *value);

/** Checks that every call that started was closed. */
void pt__test_fixture_close(pt__test_fixture *fixture);

#endif
