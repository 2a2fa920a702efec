#include "front/spark_connect/error_store.h"

#include "base/uuid.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct kept_error {
    char id[PT_ERROR_ID_BYTES]; /* "" when the place is free */
    char session_id[PT_ERROR_ID_BYTES];
    pt_error error;
} kept_error;

struct pt__connect_errors {
    pthread_mutex_t lock;
    kept_error *ring;
    size_t limit;
    size_t next; /* where the next one goes; the oldest is there */
};

pt__connect_errors *pt__connect_errors_new(size_t limit)
{
    pt__connect_errors *errors = calloc(1, sizeof(*errors));
    if (errors == NULL)
        return NULL;
    errors->limit = limit == 0 ? 1 : limit;
    errors->ring = calloc(errors->limit, sizeof(*errors->ring));
    if (errors->ring == NULL || pthread_mutex_init(&errors->lock, NULL) != 0) {
        free(errors->ring);
        free(errors);
        return NULL;
    }
    return errors;
}

void pt__connect_errors_free(pt__connect_errors *errors)
{
    if (errors == NULL)
        return;
    for (size_t i = 0; i < errors->limit; i++)
        pt_error_clear(&errors->ring[i].error);
    pthread_mutex_destroy(&errors->lock);
    free(errors->ring);
    free(errors);
}

bool pt__connect_errors_put(pt__connect_errors *errors, const char *session_id, const pt_error *err,
                            char id[PT_ERROR_ID_BYTES])
{
    if (strlen(session_id) >= PT_ERROR_ID_BYTES)
        return false;
    pt__uuid_v4_text(id);
    pthread_mutex_lock(&errors->lock);
    kept_error *place = &errors->ring[errors->next];
    errors->next = (errors->next + 1) % errors->limit;
    pt_error_copy(&place->error, err);
    memcpy(place->id, id, PT_ERROR_ID_BYTES);
    memcpy(place->session_id, session_id, strlen(session_id) + 1);
    pthread_mutex_unlock(&errors->lock);
    return true;
}

bool pt__connect_errors_take(pt__connect_errors *errors, const char *session_id, const char *id, pt_error *out)
{
    bool found = false;
    pthread_mutex_lock(&errors->lock);
    for (size_t i = 0; i < errors->limit && *id != '\0' && !found; i++) {
        kept_error *place = &errors->ring[i];
        if (strcmp(place->id, id) == 0 && strcmp(place->session_id, session_id) == 0) {
            pt_error_move(out, &place->error);
            place->id[0] = '\0';
            found = true;
        }
    }
    pthread_mutex_unlock(&errors->lock);
    return found;
}
