#include "plan/origin.h"

void pt__origin_add_context(const pt_origin *origin, pt_error *err)
{
    if (origin == NULL || err == NULL)
        return;
    pt_error_context context = {
        .is_sql = origin->sql != NULL,
        .start = origin->start,
        .stop = origin->stop,
        .fragment = origin->fragment,
        .call_site = origin->call_site,
        .sql = origin->sql,
    };
    pt_error_add_context(err, &context);
}
