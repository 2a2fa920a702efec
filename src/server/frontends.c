#include "server/frontends.h"

#include <portico/ballista.h>
#include <portico/flight_sql.h>
#include <portico/spark_connect.h>

const pt_frontend_vtable *const pt__server_frontends[] = {
    &pt_frontend_spark_connect,
    &pt_frontend_flight_sql,
    &pt_frontend_ballista,
    NULL,
};
