/* Relations that analysis does not know yet: refused by name. */
#include "analyze/analyzer.h"

static pt_status refuse(const char *feature, const pt_plan *plan, pt_error *err)
{
    return pt__analyzer_fail(pt__raise(err, PT_COND_UNSUPPORTED_FEATURE, "feature", feature, NULL), plan->origin, err);
}

#define REFUSE(name, feature)                                                                                          \
    PT_ANALYZE_KIND(name)                                                                                              \
    {                                                                                                                  \
        (void)a;                                                                                                       \
        (void)out;                                                                                                     \
        return refuse(feature, &node->base, err);                                                                      \
    }

REFUSE(map_python, "Python functions")
REFUSE(merge, "MERGE INTO")
