/* The program of all unit tests: test_main [filter] runs the tests whose name contains `filter`. */
#include "base/test.h"

#include <stdio.h>
#include <string.h>

static struct {
    pt__test *first;
    int failures; /* of the running test */
} run;

void pt__test_register(pt__test *test)
{
    test->next = run.first;
    run.first = test;
}

void pt__test_fail(const char *file, int line, const char *text)
{
    printf("%s:%d: failed: %s\n", file, line, text);
    run.failures++;
}

bool pt__test_check_equal(const char *file, int line, const char *text, int64_t got, int64_t want)
{
    if (got == want)
        return true;
    printf("%s:%d: failed: %s is %lld, expected %lld\n", file, line, text, (long long)got, (long long)want);
    run.failures++;
    return false;
}

bool pt__test_check_string(const char *file, int line, const char *text, const char *got, const char *want)
{
    if (got != NULL && want != NULL && strcmp(got, want) == 0)
        return true;
    printf("%s:%d: failed: %s is\n  %s\nexpected\n  %s\n", file, line, text, got ? got : "(null)",
           want ? want : "(null)");
    run.failures++;
    return false;
}

int main(int argc, char **argv)
{
    int passed = 0;
    int failed = 0;
    for (pt__test *test = run.first; test != NULL; test = test->next) {
        if (argc > 1 && strstr(test->name, argv[1]) == NULL)
            continue;
        run.failures = 0;
        test->run();
        if (run.failures != 0)
            printf("%s: FAILED (%s)\n", test->name, test->file);
        *(run.failures != 0 ? &failed : &passed) += 1;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
