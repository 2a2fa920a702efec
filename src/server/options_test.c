#include "server/options.h"

#include "base/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const no_environment[] = {NULL};

static pt_status read_all(const char *const *argv, const char *const *environment, pt__arguments *out, pt_error *err)
{
    int argc = 0;
    while (argv[argc] != NULL)
        argc++;
    return pt__arguments_read(argc, argv, environment, out, err);
}

static void check_refused(const char *const *argv, const char *const *environment, const char *message)
{
    pt__arguments arguments;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(read_all(argv, environment, &arguments, &err), PT_INVALID_ARGUMENT);
    PT_CHECK_STR(err.message, message);
    pt_error_clear(&err);
    pt__arguments_deinit(&arguments);
}

PT_TEST(options_come_from_flags_in_every_spelling)
{
    pt__arguments arguments;
    const char *const argv[] = {
        "serve", "--listen", "127.0.0.1:0", "--http2-max-streams=7", "--http2.stall-timeout", "1s",
        "--",    "--word",   NULL};
    PT_CHECK_EQ(read_all(argv, no_environment, &arguments, NULL), PT_OK);
    PT_CHECK_STR(pt_config_string(arguments.config, "listen", ""), "127.0.0.1:0");
    PT_CHECK_STR(pt_config_string(arguments.config, "http2.max-streams", ""), "7");
    PT_CHECK_STR(pt_config_string(arguments.config, "http2.stall-timeout", ""), "1s");
    PT_CHECK_STR(pt_config_string(arguments.config, "drain-timeout", ""), "30s");
    PT_CHECK_EQ(arguments.word_count, 2);
    PT_CHECK_STR(arguments.words[0], "serve");
    PT_CHECK_STR(arguments.words[1], "--word");
    pt__arguments_deinit(&arguments);
}

/* A file with that text; the caller frees its name after removing it. */
static char *make_file(const char *text)
{
    char *path = strdup("/tmp/portico-options-XXXXXX");
    int descriptor = mkstemp(path);
    PT_CHECK(descriptor >= 0 && write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    close(descriptor);
    return path;
}

PT_TEST(options_are_overridden_by_flag_environment_and_file_in_this_order)
{
    char *path = make_file("# comment\n\n  drain-timeout = 1s\nlog-level=debug\nhttp2.max-streams = 5\n");
    const char *const argv[] = {"--config", path, "--drain-timeout", "3s", NULL};
    const char *const environment[] = {"HOME=/", "PORTICO_LOG_LEVEL=warn", "PORTICO_DRAIN_TIMEOUT=2s", NULL};
    pt__arguments arguments;
    PT_CHECK_EQ(read_all(argv, environment, &arguments, NULL), PT_OK);
    PT_CHECK_STR(pt_config_string(arguments.config, "drain-timeout", ""), "3s");
    PT_CHECK_STR(pt_config_string(arguments.config, "log-level", ""), "warn");
    PT_CHECK_STR(pt_config_string(arguments.config, "http2.max-streams", ""), "5");
    pt__arguments_deinit(&arguments);
    unlink(path);
    free(path);
}

PT_TEST(options_that_are_unknown_are_refused_with_the_nearest_name)
{
    const char *const flag[] = {"--databse", "x", NULL};
    check_refused(flag, no_environment,
                  "command line: there is no option \"databse\"; did you mean \"database\"?; portico help lists them");
    const char *const part[] = {"--max-streams=3", NULL};
    check_refused(part, no_environment,
                  "command line: there is no option \"max-streams\"; did you mean \"http2.max-streams\"?; portico help "
                  "lists them");
    const char *const none[] = {NULL};
    const char *const environment[] = {"PORTICO_SOMETHING_ELSE_ENTIRELY=1", NULL};
    check_refused(none, environment,
                  "environment: there is no option \"SOMETHING_ELSE_ENTIRELY\"; portico help lists them");
}

PT_TEST(options_are_checked_by_type)
{
    const char *const level[] = {"--log-level", "loud", NULL};
    check_refused(level, no_environment, "log-level = \"loud\" is not one of: error, warn, info or debug");
    const char *const time[] = {"--drain-timeout", "soon", NULL};
    check_refused(time, no_environment, "drain-timeout = \"soon\" is not a time such as 250ms, 30s, 10min or 1h");
    const char *const missing[] = {"--listen", NULL};
    check_refused(missing, no_environment, "--listen needs a value");
    const char *const dash[] = {"-l", NULL};
    check_refused(dash, no_environment, "options start with two dashes: \"-l\"");
}

PT_TEST(options_of_a_file_are_refused_by_line)
{
    char *path = make_file("listen = 127.0.0.1:1\nnonsense\n");
    const char *const argv[] = {"--config", path, NULL};
    pt__arguments arguments;
    pt_error err = PT_ERROR_INIT;
    PT_CHECK_EQ(read_all(argv, no_environment, &arguments, &err), PT_INVALID_ARGUMENT);
    PT_CHECK(strstr(err.message, ":2: \"nonsense\" is not of the form name = value") != NULL);
    pt_error_clear(&err);
    pt__arguments_deinit(&arguments);
    unlink(path);
    free(path);
}
