/**
 * The handlers of the service's calls, one per file or family; methods.def says which call each one serves.
 */
#ifndef PT_FRONT_SPARK_CONNECT_CALLS_H
#define PT_FRONT_SPARK_CONNECT_CALLS_H

#include "front/spark_connect/unary.h"

/* Answered at once, on the loop thread. */
pt_status pt__connect_config(pt__connect_unary *unary, pt_bytes_view request, const ProtobufCMessage **response,
                             pt_error *err);
pt_status pt__connect_artifact_status(pt__connect_unary *unary, pt_bytes_view request,
                                      const ProtobufCMessage **response, pt_error *err);
pt_status pt__connect_interrupt(pt__connect_unary *unary, pt_bytes_view request, const ProtobufCMessage **response,
                                pt_error *err);
pt_status pt__connect_release_execute(pt__connect_unary *unary, pt_bytes_view request,
                                      const ProtobufCMessage **response, pt_error *err);
pt_status pt__connect_get_status(pt__connect_unary *unary, pt_bytes_view request, const ProtobufCMessage **response,
                                 pt_error *err);
pt_status pt__connect_release_session(pt__connect_unary *unary, pt_bytes_view request,
                                      const ProtobufCMessage **response, pt_error *err);
pt_status pt__connect_clone_session(pt__connect_unary *unary, pt_bytes_view request, const ProtobufCMessage **response,
                                    pt_error *err);
pt_status pt__connect_fetch_error_details(pt__connect_unary *unary, pt_bytes_view request,
                                          const ProtobufCMessage **response, pt_error *err);

/* AnalyzePlan: settled on a worker. */
void pt__connect_analyze_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__connect_analyze_closed(void *mount, pt_call *call, pt_call_end end);

/* AddArtifacts: a stream of requests. */
void pt__connect_artifacts_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__connect_artifacts_half_closed(void *mount, pt_call *call);
void pt__connect_artifacts_closed(void *mount, pt_call *call, pt_call_end end);

/* ExecutePlan and ReattachExecute: a stream of responses (stream.h). */
void pt__connect_execute_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__connect_reattach_message(void *mount, pt_call *call, pt_bytes_view request);
void pt__connect_execute_writable(void *mount, pt_call *call);
void pt__connect_execute_closed(void *mount, pt_call *call, pt_call_end end);

#endif
