#include "server/options.h"

#include "server/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 128, LINE_BYTES = 8192 };

static const char environment_prefix[] = "PORTICO_";

typedef enum option_type { TEXT, ADDRESSES, COUNT, SIZE, TIME, BOOLEAN, LOG_LEVEL, LOG_FORMAT } option_type;
typedef enum section {
    SERVER,
    SECURITY,
    ENGINE,
    WRAPPERS,
    SPARK,
    FLIGHT,
    BALLISTA,
    HTTP2,
    FILES,
    SECTION_COUNT
} section;

static const char *const section_titles[SECTION_COUNT] = {
    [SERVER] = "Server",
    [SECURITY] = "Security",
    [ENGINE] = "Engine",
    [WRAPPERS] = "Wrappers (docs/wrappers.md)",
    [SPARK] = "Spark",
    [FLIGHT] = "Flight SQL (docs/flight-sql.md)",
    [BALLISTA] = "Ballista (docs/ballista.md)",
    [HTTP2] = "HTTP/2 (what a client may make the server hold or do)",
    [FILES] = "portico decode and portico run",
};

typedef struct option {
    const char *name;
    const char *value; /* the default */
    const char *help;
    option_type type;
    section section;
} option;

static const option options[] = {
#define PT_OPTION(name, type, value, section, help) {name, value, help, type, section},
#include "server/options.def"
#undef PT_OPTION
};

enum { OPTION_COUNT = sizeof(options) / sizeof(options[0]) };

/* Names are compared as the environment must write them: capitals, and one kind of separator. */
static char canonical(char c)
{
    return c == '.' || c == '-' ? '_' : (char)toupper((unsigned char)c);
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && canonical(*a) == canonical(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

/* Cuts what is too long to be a name of ours. */
static void copy_name(char name[NAME_BYTES], const char *start, size_t size_bytes)
{
    size_t count = size_bytes < NAME_BYTES - 1 ? size_bytes : NAME_BYTES - 1;
    memcpy(name, start, count);
    name[count] = '\0';
}

static const option *find_option(const char *name)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (same_name(options[i].name, name))
            return &options[i];
    return NULL;
}

static const char *name_at(size_t index)
{
    return index < OPTION_COUNT ? options[index].name : NULL;
}

static pt_status unknown(const char *name, const char *place, pt_error *err)
{
    char lower[NAME_BYTES] = "";
    for (size_t i = 0; i + 1 < sizeof(lower) && name[i] != '\0'; i++)
        lower[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
    const char *nearest = pt__nearest(lower, name_at);
    return pt_error_set(err, PT_INVALID_ARGUMENT, "%s: there is no option \"%s\"%s%s%s; portico help lists them", place,
                        name, nearest == NULL ? "" : "; did you mean \"", nearest == NULL ? "" : nearest,
                        nearest == NULL ? "" : "\"?");
}

static pt_status check_word(const pt_config *config, const option *which, const char *const *words, pt_error *err)
{
    const char *value = pt_config_string(config, which->name, "");
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(value, words[i]) == 0)
            return PT_OK;
    return pt_error_set(err, PT_INVALID_ARGUMENT, "%s = \"%s\" is not one of: %s", which->name, value, which->help);
}

static pt_status check_value(const pt_config *config, const option *which, pt_error *err)
{
    static const char *const levels[] = {"error", "warn", "info", "debug", NULL};
    static const char *const formats[] = {"text", "json", NULL};
    uint64_t quantity;
    int64_t count;
    bool flag;
    switch (which->type) {
    case TEXT:
    case ADDRESSES: return PT_OK;
    case COUNT: return pt_config_integer(config, which->name, 0, &count, err);
    case SIZE: return pt_config_size(config, which->name, 0, &quantity, err);
    case TIME: return pt_config_duration(config, which->name, 0, &quantity, err);
    case BOOLEAN: return pt_config_boolean(config, which->name, false, &flag, err);
    case LOG_LEVEL: return check_word(config, which, levels, err);
    case LOG_FORMAT: return check_word(config, which, formats, err);
    }
    return PT_INTERNAL;
}

static pt_status set_option(pt_config *config, const option *which, const char *value, pt_error *err)
{
    PT_TRY(pt_config_set(config, which->name, value, err));
    return check_value(config, which, err);
}

static pt_status read_defaults(pt_config *config, pt_error *err)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (options[i].value != NULL)
            PT_TRY(set_option(config, &options[i], options[i].value, err));
    return PT_OK;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t size = strlen(text);
    while (size > 0 && isspace((unsigned char)text[size - 1]))
        size--;
    text[size] = '\0';
    return text;
}

static pt_status read_line(pt_config *config, char *line, const char *place, pt_error *err)
{
    char *name = trim(line);
    if (*name == '\0' || *name == '#')
        return PT_OK;
    char *equals = strchr(name, '=');
    if (equals == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "%s: \"%s\" is not of the form name = value", place, name);
    *equals = '\0';
    name = trim(name);
    const option *which = find_option(name);
    return which == NULL ? unknown(name, place, err) : set_option(config, which, trim(equals + 1), err);
}

static pt_status read_file(pt_config *config, const char *path, pt_error *err)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return pt_error_set(err, PT_IO, "cannot read %s: %s", path, strerror(errno));
    char line[LINE_BYTES];
    pt_status status = PT_OK;
    for (int number = 1; status == PT_OK && fgets(line, sizeof(line), file) != NULL; number++) {
        char place[LINE_BYTES];
        snprintf(place, sizeof(place), "%s:%d", path, number);
        status = read_line(config, line, place, err);
    }
    fclose(file);
    return status;
}

static pt_status read_environment(pt_config *config, const char *const *environment, pt_error *err)
{
    size_t prefix_size = strlen(environment_prefix);
    for (; *environment != NULL; environment++) {
        const char *equals = strchr(*environment, '=');
        if (equals == NULL || strncmp(*environment, environment_prefix, prefix_size) != 0)
            continue;
        char name[NAME_BYTES];
        const char *start = *environment + prefix_size;
        copy_name(name, start, (size_t)(equals - start));
        const option *which = find_option(name);
        if (which == NULL)
            return unknown(name, "environment", err);
        PT_TRY(set_option(config, which, equals + 1, err));
    }
    return PT_OK;
}

/* One flag at argv[*index], with the value in it or after it. */
static pt_status read_flag(pt_config *config, int argc, const char *const *argv, int *index, pt_error *err)
{
    const char *flag = argv[*index] + 2;
    const char *equals = strchr(flag, '=');
    char name[NAME_BYTES];
    size_t name_size = equals != NULL ? (size_t)(equals - flag) : strlen(flag);
    copy_name(name, flag, name_size);
    const option *which = find_option(name);
    if (which == NULL)
        return unknown(name, "command line", err);
    if (equals != NULL)
        return set_option(config, which, equals + 1, err);
    if (which->type == BOOLEAN)
        return set_option(config, which, "true", err);
    if (*index + 1 >= argc)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "--%s needs a value", which->name);
    return set_option(config, which, argv[++*index], err);
}

static pt_status read_word(pt__arguments *arguments, const char *word, pt_error *err)
{
    if (arguments->word_count == sizeof(arguments->words) / sizeof(arguments->words[0]))
        return pt_error_set(err, PT_INVALID_ARGUMENT, "\"%s\" is one word too many", word);
    arguments->words[arguments->word_count++] = word;
    return PT_OK;
}

static pt_status read_flags(pt__arguments *arguments, int argc, const char *const *argv, pt_error *err)
{
    bool only_words = false;
    for (int i = 0; i < argc; i++) {
        if (only_words || argv[i][0] != '-' || strcmp(argv[i], "-") == 0)
            PT_TRY(read_word(arguments, argv[i], err));
        else if (strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            arguments->help = true;
        else if (strncmp(argv[i], "--", 2) == 0)
            PT_TRY(read_flag(arguments->config, argc, argv, &i, err));
        else
            return pt_error_set(err, PT_INVALID_ARGUMENT, "options start with two dashes: \"%s\"", argv[i]);
    }
    return PT_OK;
}

pt_status pt__arguments_read(int argc, const char *const *argv, const char *const *environment, pt__arguments *out,
                             pt_error *err)
{
    *out = (pt__arguments){0};
    PT_TRY(pt_config_new(&out->config, err));
    PT_TRY(read_defaults(out->config, err));
    PT_TRY(read_environment(out->config, environment, err));
    PT_TRY(read_flags(out, argc, argv, err));
    const char *path = pt_config_string(out->config, "config", NULL);
    if (path == NULL)
        return PT_OK;
    /* The file's name comes from the others, which yet have the last word. */
    PT_TRY(read_file(out->config, path, err));
    PT_TRY(read_environment(out->config, environment, err));
    out->word_count = 0;
    return read_flags(out, argc, argv, err);
}

pt_status pt__options_read_file(const char *path, pt_config **out, pt_error *err)
{
    pt_config *config = NULL;
    PT_TRY(pt_config_new(&config, err));
    pt_status status = read_defaults(config, err);
    if (status == PT_OK)
        status = read_file(config, path, err);
    if (status == PT_OK)
        *out = config;
    else
        pt_config_free(config);
    return status;
}

void pt__arguments_deinit(pt__arguments *arguments)
{
    pt_config_free(arguments->config);
    *arguments = (pt__arguments){0};
}

static const char *placeholder(option_type type)
{
    static const char *const names[] = {
        [TEXT] = "TEXT", [ADDRESSES] = "HOST:PORT", [COUNT] = "COUNT",       [SIZE] = "SIZE", [TIME] = "TIME",
        [BOOLEAN] = "",  [LOG_LEVEL] = "LEVEL",     [LOG_FORMAT] = "FORMAT",
    };
    return names[type];
}

/* Defaults of the limits are plain bytes and milliseconds in their table; people read units. */
static void print_default(FILE *out, const option *which)
{
    char *end;
    unsigned long long value = strtoull(which->value, &end, 10);
    bool plain = *end == '\0' && end != which->value;
    if (plain && which->type == SIZE && value >= 1048576)
        fprintf(out, " [%lluMiB]", value / 1048576);
    else if (plain && which->type == SIZE && value >= 1024)
        fprintf(out, " [%lluKiB]", value / 1024);
    else if (plain && which->type == TIME && value >= 60000)
        fprintf(out, " [%llumin]", value / 60000);
    else if (plain && which->type == TIME && value >= 1000)
        fprintf(out, " [%llus]", value / 1000);
    else
        fprintf(out, " [%s]", which->value);
}

static void print_option(FILE *out, const option *which)
{
    fprintf(out, "  --%s %s\n        %s", which->name, placeholder(which->type), which->help);
    if (which->value != NULL)
        print_default(out, which);
    fputc('\n', out);
}

void pt__options_print(FILE *out)
{
    for (section part = 0; part < SECTION_COUNT; part++) {
        bool titled = false;
        for (size_t i = 0; i < OPTION_COUNT; i++) {
            if (options[i].section != part)
                continue;
            if (!titled)
                fprintf(out, "\n%s:\n", section_titles[part]);
            titled = true;
            print_option(out, &options[i]);
        }
    }
}
