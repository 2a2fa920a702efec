/*
 * The rule files of the wrappers authorize and route. Input: a byte that says which of the two, then the file. What is
 * read must answer, with names that stand in the file and with others.
 */
#include "wrap/policy.h"
#include "wrap/route_rules.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NAME_BYTES = 64 };

/* A text of the file as a name, so that rules hit. */
static void take_name(const uint8_t *data, size_t size, char out[NAME_BYTES])
{
    size_t used = size < NAME_BYTES - 1 ? size : NAME_BYTES - 1;
    memcpy(out, data + size - used, used);
    out[used] = '\0';
}

static void ask_policy(const pt__policy *policy, const char *name)
{
    pt__policy_text text;
    for (int action = 0; action < PT_ACTION_COUNT; action++) {
        for (int object = 0; object < PT_POLICY_OBJECT_COUNT; object++) {
            const pt__request request = {"ann", (pt__action)action, (pt__object)object, name, "salary"};
            pt__policy_allows(policy, &request);
        }
    }
    pt__policy_shows(policy, name, "hr.people");
    pt__policy_filter(policy, "ann", PT_POLICY_TABLE, name, &text);
    pt__policy_mask(policy, "ann", PT_POLICY_TABLE, "hr.people", name, &text);
    pt__policy_has_columns(policy, PT_POLICY_TABLE);
    pt__policy_denies_functions(policy);
}

static void read_policy(const char *path, const char *name)
{
    pt__policy *policy = NULL;
    if (pt__policy_read(path, &policy, NULL) != PT_OK)
        return;
    ask_policy(policy, name);
    pt__policy_free(policy);
}

static void read_route(const char *path, const char *name)
{
    pt__route_rules rules;
    const pt_query_option setting = {"portico.backend", name};
    const pt_query query = {.size_bytes = sizeof(query), .settings = &setting, .setting_count = 1};
    const pt__route_facts facts = {
        .user = "ann", .query = &query, .tables = &name, .table_count = 1, .paths = &name, .path_count = 1, .bytes = 1};
    if (pt__route_rules_read(path, &rules, NULL) != PT_OK)
        return;
    pt__route_rules_find(&rules, &facts);
    pt__route_rules_deinit(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    char name[NAME_BYTES];
    int file = size == 0 ? -1 : memfd_create("rules", MFD_CLOEXEC);
    if (file < 0)
        return 0;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    take_name(data + 1, size - 1, name);
    if (write(file, data + 1, size - 1) == (ssize_t)size - 1) {
        if (data[0] % 2 == 0)
            read_policy(path, name);
        else
            read_route(path, name);
    }
    close(file);
    return 0;
}
