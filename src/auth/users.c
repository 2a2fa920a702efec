#include "auth/users.h"

#include "auth/file.h"
#include "base/map.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

struct pt__users {
    pt__map by_name; /* pt__password_hash, owned */
};

void pt__users_free(pt__users *users)
{
    const char *name;
    void *hash;
    if (users == NULL)
        return;
    for (size_t at = 0; pt__map_next(&users->by_name, &at, &name, &hash);)
        free(hash);
    pt__map_deinit(&users->by_name);
    free(users);
}

const pt__password_hash *pt__users_find(const pt__users *users, const char *name)
{
    return pt__map_get(&users->by_name, name);
}

static pt_status add_user(pt__users *users, const char *name, const pt__password_hash *hash, pt_error *err)
{
    if (pt__map_get(&users->by_name, name) != NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the user %s is there already", name);
    pt__password_hash *copy = malloc(sizeof(*copy));
    if (copy != NULL) {
        *copy = *hash;
        if (pt__map_set(&users->by_name, name, copy, NULL))
            return PT_OK;
    }
    free(copy);
    return pt_error_set(err, PT_NO_MEMORY, "no memory for a user");
}

static pt_status read_line(pt__users *users, char *line, pt_error *err)
{
    pt__password_hash hash;
    char *colon = strchr(line, ':');
    if (colon == NULL || colon == line)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "a line is NAME:HASH, as `portico hash-password NAME` writes it");
    *colon = '\0';
    PT_TRY(pt__password_hash_parse((pt_text_view){colon + 1, strlen(colon + 1)}, &hash, err));
    return add_user(users, line, &hash, err);
}

/* `text` is taken apart. */
static pt_status read_lines(pt__users *users, char *text, const char *path, pt_error *err)
{
    pt_error reason = PT_ERROR_INIT;
    int number = 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (read_line(users, line, &reason) == PT_OK)
            continue;
        pt_error_set(err, reason.status, "%s, line %d: %s", path, number, reason.message);
        pt_error_clear(&reason);
        return PT_INVALID_ARGUMENT;
    }
    return PT_OK;
}

pt_status pt__users_read(const char *path, pt__users **out, pt_error *err)
{
    pt__buffer text = PT_BUFFER_INIT;
    pt__users *users = calloc(1, sizeof(*users));
    pt_status status =
        users == NULL ? pt_error_set(err, PT_NO_MEMORY, "no memory for users") : pt__auth_read_file(path, &text, err);
    pt__buffer_append_byte(&text, '\0');
    if (status == PT_OK && text.failed)
        status = pt_error_set(err, PT_NO_MEMORY, "no memory for users");
    else if (status == PT_OK && strlen((char *)text.data) + 1 != text.size_bytes)
        status = pt_error_set(err, PT_INVALID_ARGUMENT, "%s is no text", path);
    if (status == PT_OK)
        status = read_lines(users, (char *)text.data, path, err);
    if (text.data != NULL)
        OPENSSL_cleanse(text.data, text.size_bytes);
    pt__buffer_deinit(&text);
    if (status == PT_OK)
        *out = users;
    else
        pt__users_free(users);
    return status;
}
