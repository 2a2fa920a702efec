#include <portico/mailbox.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct letter {
    void (*run)(void *argument);
    void *argument;
} letter;

typedef struct letter_list {
    letter *items;
    size_t count;
    size_t capacity;
} letter_list;

struct pt_mailbox {
    pthread_mutex_t lock;
    letter_list incoming; /* under the lock */
    letter_list running;  /* the loop thread's; its memory is kept for the next round */
    void (*wake)(void *context);
    void *context;
};

pt_status pt_mailbox_new(void (*wake)(void *context), void *context, pt_mailbox **out, pt_error *err)
{
    pt_mailbox *mailbox = calloc(1, sizeof(*mailbox));
    if (mailbox == NULL)
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a mailbox");
    if (pthread_mutex_init(&mailbox->lock, NULL) != 0) {
        free(mailbox);
        return pt_error_set(err, PT_NO_MEMORY, "no memory for a mailbox's lock");
    }
    mailbox->wake = wake;
    mailbox->context = context;
    *out = mailbox;
    return PT_OK;
}

void pt_mailbox_free(pt_mailbox *mailbox)
{
    if (mailbox == NULL)
        return;
    while (pt_mailbox_run(mailbox) != 0)
        continue;
    pthread_mutex_destroy(&mailbox->lock);
    free(mailbox->incoming.items);
    free(mailbox->running.items);
    free(mailbox);
}

static void push(letter_list *list, letter item)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
        letter *grown = realloc(list->items, capacity * sizeof(*grown));
        if (grown == NULL) {
            fputs("portico: out of memory while posting to a mailbox\n", stderr);
            abort();
        }
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
}

void pt_mailbox_post(pt_mailbox *mailbox, void (*run)(void *argument), void *argument)
{
    pthread_mutex_lock(&mailbox->lock);
    bool was_empty = mailbox->incoming.count == 0;
    push(&mailbox->incoming, (letter){run, argument});
    /* Signalled under the lock, so that a loop that ends after it has run everything is not signalled later. */
    if (was_empty && mailbox->wake != NULL)
        mailbox->wake(mailbox->context);
    pthread_mutex_unlock(&mailbox->lock);
}

size_t pt_mailbox_run(pt_mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    letter_list taken = mailbox->incoming;
    mailbox->incoming = mailbox->running;
    mailbox->incoming.count = 0;
    mailbox->running = (letter_list){NULL, 0, 0};
    pthread_mutex_unlock(&mailbox->lock);

    for (size_t i = 0; i < taken.count; i++)
        taken.items[i].run(taken.items[i].argument);
    size_t count = taken.count;
    taken.count = 0;
    /* A call above may itself have run the mailbox and left its own list here. */
    free(mailbox->running.items);
    mailbox->running = taken;
    return count;
}
