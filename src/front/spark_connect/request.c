#include "front/spark_connect/request.h"

const char *pt__connect_principal(pt_call *call)
{
    const pt_principal *principal = pt_call_principal(call);
    bool is_known = principal != NULL && principal->authenticated && principal->name[0] != '\0';
    return is_known ? principal->name : NULL;
}

pt__session_key pt__connect_key(const char *principal, const char *session_id, const Spark__Connect__UserContext *user,
                                const char *observed_id)
{
    const char *claimed = user == NULL ? "" : user->user_id;
    bool has_observed = observed_id != NULL && observed_id[0] != '\0';
    return (pt__session_key){principal == NULL ? claimed : principal, session_id, has_observed ? observed_id : NULL};
}
