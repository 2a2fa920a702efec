#include "server/log.h"

#include "base/buffer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const level_names[] = {
    [PT_LOG_ERROR] = "error", [PT_LOG_WARN] = "warn", [PT_LOG_INFO] = "info", [PT_LOG_DEBUG] = "debug"};

void pt__server_log_init(pt__server_log *log, const pt_config *config)
{
    const char *level = pt_config_string(config, "log-level", "info");
    log->level = PT_LOG_INFO;
    for (pt_log_level i = PT_LOG_ERROR; i <= PT_LOG_DEBUG; i++)
        if (strcmp(level, level_names[i]) == 0)
            log->level = i;
    log->json = strcmp(pt_config_string(config, "log-format", "text"), "json") == 0;
}

static void append_time(pt__buffer *out)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    pt__buffer_printf(out, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", parts.tm_year + 1900, parts.tm_mon + 1,
                      parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, now.tv_nsec / 1000000);
}

static void append_json(pt__buffer *out, const char *text)
{
    pt__buffer_append_byte(out, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            pt__buffer_printf(out, "\\%c", *p);
        else if (*p < ' ')
            pt__buffer_printf(out, "\\u%04x", *p);
        else
            pt__buffer_append_byte(out, *p);
    }
    pt__buffer_append_byte(out, '"');
}

void pt__server_log_write(void *context, pt_log_level level, const char *component, const char *message)
{
    const pt__server_log *log = context;
    if (level > log->level)
        return;
    pt__buffer line = PT_BUFFER_INIT;
    if (log->json) {
        pt__buffer_append_string(&line, "{\"time\":\"");
        append_time(&line);
        pt__buffer_printf(&line, "\",\"level\":\"%s\",\"component\":", level_names[level]);
        append_json(&line, component);
        pt__buffer_append_string(&line, ",\"message\":");
        append_json(&line, message);
        pt__buffer_append_byte(&line, '}');
    } else {
        append_time(&line);
        pt__buffer_printf(&line, " %s %s: %s", level_names[level], component, message);
    }
    pt__buffer_append_byte(&line, '\n');
    fwrite(line.data, 1, line.size_bytes, stderr); /* one call, so that records of threads do not mix */
    pt__buffer_deinit(&line);
}
