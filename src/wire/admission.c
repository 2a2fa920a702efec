#include "wire/admission.h"

#include "wire/connection.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct pt_admission {
    pt__stream *stream; /* the loop thread's; NULL: the call is over */
    pt_mailbox *mailbox;
    atomic_bool is_wanted;
    char *name; /* the answer: whom to let in; NULL: refused with err */
    pt_error err;
};

pt_status pt__admission_new(pt__stream *stream, pt_mailbox *mailbox, pt_admission **out, pt_error *err)
{
    pt_admission *admission = calloc(1, sizeof(*admission));
    if (admission == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a sign-in");
    admission->stream = stream;
    admission->mailbox = mailbox;
    atomic_init(&admission->is_wanted, true);
    *out = admission;
    return PT_OK;
}

void pt__admission_forget(pt_admission *admission)
{
    admission->stream = NULL;
    atomic_store(&admission->is_wanted, false);
}

bool pt_admission_is_wanted(const pt_admission *admission)
{
    return atomic_load(&admission->is_wanted);
}

/* On the loop thread. */
static void answer(void *state)
{
    pt_admission *admission = state;
    char *name = admission->name;
    if (admission->stream != NULL) {
        pt__stream_admit(admission->stream, name, &admission->err);
        name = NULL;
    }
    free(name);
    pt_error_clear(&admission->err);
    free(admission);
}

void pt_admission_allow(pt_admission *admission, const char *name)
{
    admission->name = strdup(name);
    if (admission->name == NULL)
        pt_error_set(&admission->err, PT_NO_MEMORY, "no memory for a sign-in");
    pt_mailbox_post(admission->mailbox, answer, admission);
}

void pt_admission_refuse(pt_admission *admission, const pt_error *err)
{
    pt_error_copy(&admission->err, err);
    pt_mailbox_post(admission->mailbox, answer, admission);
}
