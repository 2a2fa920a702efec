/**
 * The Ballista frontend: what a client of Apache DataFusion Ballista asks its scheduler for, and the fetching of results.
 *
 * Mount it with pt_frontend_mount(host, &pt_frontend_ballista, config, routes, err). It shares the path of Flight's DoGet
 * with the Flight SQL frontend, where that is mounted too: its tickets are told apart. Configuration keys:
 * "ballista.job-lifetime" (how long an ended job is known after it was last asked for), "ballista.keep-fetched" (results
 * that were fetched and may be fetched again) and "ballista.max-jobs"; `portico serve --help` tells their defaults.
 *
 * Spec: ballista.protobuf.SchedulerGrpc of Ballista 53 and 54 (proto/ballista/ballista.proto); EncodedQuery is ours.
 */
#ifndef PORTICO_BALLISTA_H
#define PORTICO_BALLISTA_H

#include <portico/frontend.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const pt_frontend_vtable pt_frontend_ballista;

#ifdef __cplusplus
}
#endif

#endif
