/* The program: finds the command and runs it. */
#include "server/commands.h"
#include "server/nearest.h"

#include <portico/version.h>

#include <string.h>
#include <unistd.h>

static const char introduction[] =
    "Portico serves Spark Connect clients from an embedded DuckDB.\n"
    "\n"
    "Usage:\n"
    "  portico serve [options]     serve clients until SIGTERM\n"
    "  portico sql \"STATEMENT\"     run one statement in Spark's dialect and print its result\n"
    "  portico decode FILE         print the plan of an encoded query, in the format of --format\n"
    "  portico run FILE            run an encoded query over --tables and print its rows\n"
    "  portico hash-password NAME  read a password and print a line for the file of --auth-users\n"
    "  portico version             print the version\n"
    "  portico help                print this\n"
    "\n"
    "Examples:\n"
    "  portico serve                                       serve on 127.0.0.1:15002, tables in memory\n"
    "  portico serve --database shop.duckdb                keep tables in a file\n"
    "  portico serve --listen 0.0.0.0:15002 --token /etc/portico/token\n"
    "  PORTICO_LISTEN=127.0.0.1:0 portico serve            take a free port and print it\n"
    "  portico sql \"select sum(id) from range(10)\"\n"
    "  portico run --format substrait.plan.v1 --tables shop=shop.parquet query.bin\n"
    "\n"
    "and in Python:\n"
    "  spark = SparkSession.builder.remote(\"sc://127.0.0.1:15002\").getOrCreate()\n"
    "\n"
    "Every option can be given as a flag (--drain-timeout 10s), in the environment (PORTICO_DRAIN_TIMEOUT=10s) or\n"
    "as a line of the file of --config (drain-timeout = 10s); the flag wins, then the environment. Sizes are\n"
    "written 64KiB, 512MiB, 2GiB, times 250ms, 30s, 10min, 1h.\n";

static int help_command(const pt__arguments *arguments)
{
    (void)arguments;
    fputs(introduction, stdout);
    pt__options_print(stdout);
    return 0;
}

static int version_command(const pt__arguments *arguments)
{
    (void)arguments;
    puts("portico " PT_VERSION);
    return 0;
}

static const struct command {
    const char *name;
    int (*run)(const pt__arguments *arguments);
    size_t words_max; /* with the command itself */
} commands[] = {
    {"serve", pt__serve_command, 1},        {"sql", pt__sql_command, 2},     {"decode", pt__decode_command, 2},
    {"run", pt__run_file_command, 2},       {"version", version_command, 1}, {"help", help_command, 2},
    {"hash-password", pt__hash_command, 2},
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static const char *command_name_at(size_t index)
{
    return index < COMMAND_COUNT ? commands[index].name : NULL;
}

static int unknown_command(const char *name)
{
    const char *nearest = pt__nearest(name, command_name_at);
    fprintf(stderr, "portico: there is no command \"%s\"", name);
    if (nearest != NULL)
        fprintf(stderr, "; did you mean \"%s\"?", nearest);
    fputs("; portico help lists them\n", stderr);
    return 2;
}

static int run_known(const struct command *command, const pt__arguments *arguments)
{
    if (arguments->word_count <= command->words_max)
        return command->run(arguments);
    fprintf(stderr, "portico: %s does not take \"%s\"; portico help tells what it takes\n", command->name,
            arguments->words[command->words_max]);
    return 2;
}

static int run_command(const pt__arguments *arguments)
{
    if (arguments->help || arguments->word_count == 0)
        return help_command(arguments);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(arguments->words[0], commands[i].name) == 0)
            return run_known(&commands[i], arguments);
    return unknown_command(arguments->words[0]);
}

int main(int argc, char **argv)
{
    pt__arguments arguments;
    pt_error err = PT_ERROR_INIT;
    const char *const *flags = (const char *const *)argv + 1;
    pt_status status = pt__arguments_read(argc - 1, flags, (const char *const *)environ, &arguments, &err);
    int exit_status = status == PT_OK ? run_command(&arguments) : pt__report(&err);
    pt_error_clear(&err);
    pt__arguments_deinit(&arguments);
    return exit_status;
}
