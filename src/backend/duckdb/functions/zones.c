#include "backend/duckdb/functions/zones.h"

#include "backend/duckdb/functions/time_text.h"

static void keep_zone(void *zone)
{
    (void)zone; /* zones live as long as their cache */
}

static bool raise_unknown(pt__fn_call *call, pt_text_view name)
{
    pt__buffer copy = PT_BUFFER_INIT;
    pt__buffer_append(&copy, name.data, name.size_bytes);
    pt__fn_raise(call, PT_COND_INVALID_TIMEZONE, "timeZone", pt__buffer_string(&copy), NULL);
    pt__buffer_deinit(&copy);
    return false;
}

const pt__zone *pt__fn_zone(pt__fn_call *call, size_t column, idx_t row)
{
    pt_text_view name = pt__fn_text(call, column, row);
    void *zone = pt__fn_recall(call->state, PT__FN_ZONE_SLOT, name);
    if (zone != NULL)
        return zone;
    const pt__zone *found = pt__find_zone(call->zones, name);
    if (found == NULL) {
        raise_unknown(call, name);
        return NULL;
    }
    memcpy(&zone, &found, sizeof(zone)); /* kept, never written through */
    if (!pt__fn_remember(call->state, PT__FN_ZONE_SLOT, name, zone, keep_zone))
        pt__fn_fail_memory(call);
    return found;
}
