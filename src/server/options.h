/**
 * Options: one table, from which flags, environment, configuration file and help derive.
 */
#ifndef PT_SERVER_OPTIONS_H
#define PT_SERVER_OPTIONS_H

#include <portico/config.h>

#include <stdio.h>

typedef struct pt__arguments {
    pt_config *config;    /* owned */
    bool help;            /* --help was among them */
    const char *words[4]; /* what is no option, in order; borrowed from argv */
    size_t word_count;
} pt__arguments;

/**
 * Reads defaults, the file of --config, PORTICO_* of `environment` (ended by NULL) and `argv`, each overriding
 * the ones before, and checks every value.
 *
 * Ownership: end `*out` with pt__arguments_deinit, also after failure.
 * Errors:    PT_INVALID_ARGUMENT naming the option, with the nearest known name; PT_IO.
 */
pt_status pt__arguments_read(int argc, const char *const *argv, const char *const *environment, pt__arguments *out,
                             pt_error *err);
/** Defaults and a file alone, as that of --config is read. `*out` is the caller's. Errors: as above. */
pt_status pt__options_read_file(const char *path, pt_config **out, pt_error *err);

void pt__arguments_deinit(pt__arguments *arguments);

/** The table, as help text. */
void pt__options_print(FILE *out);

#endif
