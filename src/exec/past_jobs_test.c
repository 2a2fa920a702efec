#include "exec/past_jobs.h"

#include "base/test.h"

#include <stdio.h>
#include <string.h>

typedef struct seen {
    size_t count;
    bool has_last;
    bool has_first;
} seen;

static void note(void *context, const pt_job_report *report)
{
    seen *s = context;
    s->count++;
    s->has_first = s->has_first || strcmp(report->id, "job 0") == 0;
    s->has_last = s->has_last || strcmp(report->id, "job 149") == 0;
    PT_CHECK(report->state == PT_OPERATION_CANCELLED);
    PT_CHECK_EQ(strlen(report->user), 62); /* of 64 bytes, the last character of two would not fit */
}

PT_TEST(the_last_jobs_are_told_once_they_are_gone)
{
    static pt__past_jobs jobs;
    char user[200] = "";
    for (int i = 0; i < 90; i++)
        strncat(user, "é", sizeof(user) - strlen(user) - 1);
    pt__past_jobs_init(&jobs);
    for (int i = 0; i < 150; i++) {
        char id[32];
        snprintf(id, sizeof(id), "job %d", i);
        pt_job_report report = {.size_bytes = sizeof(report), .id = id, .user = user, .state = PT_OPERATION_RUNNING};
        pt__past_jobs_add(&jobs, &report);
    }
    seen s = {0, false, false};
    pt__past_jobs_each(&jobs, note, &s);
    PT_CHECK_EQ(s.count, PT_PAST_JOBS_MAX);
    PT_CHECK(s.has_last && !s.has_first);
    pt__past_jobs_deinit(&jobs);
}
