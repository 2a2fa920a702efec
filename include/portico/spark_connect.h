/**
 * The Spark Connect frontend: the service that PySpark and the other Spark Connect clients speak.
 *
 * Mount it with pt_frontend_mount(host, &pt_frontend_spark_connect, config, routes, err). Configuration keys:
 * "spark.error-store" (errors whose details clients have not fetched, default 1000), "spark.progress-interval"
 * (between progress messages of a running query, default 2s), "spark.artifact-limit" (bytes of one upload, default
 * 512MiB).
 *
 * Spec: spark.connect.SparkConnectService as published with Apache Spark 4.2.
 */
#ifndef PORTICO_SPARK_CONNECT_H
#define PORTICO_SPARK_CONNECT_H

#include <portico/frontend.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const pt_frontend_vtable pt_frontend_spark_connect;

#ifdef __cplusplus
}
#endif

#endif
