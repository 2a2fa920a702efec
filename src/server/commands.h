/**
 * The commands of the program. Each returns the exit status.
 */
#ifndef PT_SERVER_COMMANDS_H
#define PT_SERVER_COMMANDS_H

#include "server/options.h"

int pt__serve_command(const pt__arguments *arguments);
int pt__hash_command(const pt__arguments *arguments);
int pt__sql_command(const pt__arguments *arguments);
int pt__decode_command(const pt__arguments *arguments);
int pt__run_file_command(const pt__arguments *arguments);

/** Says on standard error what went wrong; the exit status of a failed command. */
int pt__report(const pt_error *err);

#endif
