#include "server/commands.h"

#include <stdio.h>

int pt__report(const pt_error *err)
{
    if (err->status == PT_OK)
        return 0;
    fprintf(stderr, "portico: %s\n", pt_error_full_message(err));
    return err->status == PT_INVALID_ARGUMENT ? 2 : 1;
}
