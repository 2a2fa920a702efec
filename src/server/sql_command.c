#include "server/commands.h"

int pt__sql_command(const pt__arguments *arguments)
{
    pt_error err = PT_ERROR_INIT;
    if (arguments->word_count != 2) {
        pt_error_set(&err, PT_INVALID_ARGUMENT, "portico sql takes one statement: portico sql \"select 1\"");
        return pt__report(&err);
    }
    pt_error_set(&err, PT_UNSUPPORTED, "portico sql: this build carries no engine that runs statements in process");
    return pt__report(&err);
}
