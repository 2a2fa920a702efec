#include "base/library.h"

#include "base/test.h"

#include <string.h>

PT_TEST(library_gives_its_functions)
{
    double (*cosine)(double) = NULL;
    const pt__library_symbol symbols[] = {{"cos", &cosine}};
    void *handle = NULL;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__library_open("libm.so.6", symbols, 1, &handle, &err), PT_OK);
    PT_CHECK(cosine != NULL && cosine(0) == 1);
    pt__library_close(handle);
}

PT_TEST(library_names_what_is_missing)
{
    void (*function)(void) = NULL;
    const pt__library_symbol symbols[] = {{"no_such_function", &function}};
    void *handle = NULL;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(pt__library_open("libportico_absent.so.1", symbols, 1, &handle, &err), PT_UNAVAILABLE);
    PT_CHECK(strstr(err.message, "libportico_absent.so.1") != NULL);
    pt_error_clear(&err);
    PT_CHECK_EQ(pt__library_open("libm.so.6", symbols, 1, &handle, &err), PT_UNAVAILABLE);
    PT_CHECK(strstr(err.message, "no_such_function") != NULL);
    PT_CHECK(handle == NULL);
    pt_error_clear(&err);
}
