/**
 * Plug-ins of the configuration: "plugins", paths separated by commas. See include/portico/plugin.h.
 */
#ifndef PT_SERVER_PLUGINS_H
#define PT_SERVER_PLUGINS_H

#include <portico/host.h>

enum { PT_PLUGINS_MAX = 64 };

typedef struct pt__plugins {
    void *libraries[PT_PLUGINS_MAX];
    size_t count;
} pt__plugins;

/** Loads and opens them in their order. End `*out`, also after failure, with pt__plugins_close. */
pt_status pt__plugins_open(pt__plugins *out, pt_host *host, const pt_config *config, pt_error *err);

/** The host must be gone. */
void pt__plugins_close(pt__plugins *plugins);

#endif
