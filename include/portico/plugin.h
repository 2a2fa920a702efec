/**
 * Plug-ins: shared libraries that `portico serve --plugins FILE,FILE` loads, for decoders, translators, backends and
 * wrappers of others. A program that links the library calls the same functions itself and needs none of this.
 *
 * A plug-in exports one function:
 *
 *     pt_status pt_plugin_open(pt_host *host, const pt_config *config, pt_error *err)
 *     {
 *         return pt_host_add_decoder(host, &acme_decoder, config, err);
 *     }
 *
 * It runs once, after the program's own backends were added and before the first session; `config` is the server's. An
 * error keeps the server from starting. The library stays loaded until the host is freed.
 */
#ifndef PORTICO_PLUGIN_H
#define PORTICO_PLUGIN_H

#include <portico/host.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PT_PLUGIN_OPEN_NAME "pt_plugin_open"

typedef pt_status pt_plugin_open_function(pt_host *host, const pt_config *config, pt_error *err);

/** Declares the function that the plug-in defines, as visible from outside. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
pt_plugin_open_function pt_plugin_open;

#ifdef __cplusplus
}
#endif

#endif
