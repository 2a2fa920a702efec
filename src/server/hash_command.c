/* portico hash-password: a line for the file of auth.users. */
#include "server/commands.h"

#include <portico/authenticator.h>

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LINE_BYTES = 1100 };

/* A terminal does not show what is typed. */
static bool read_password(char line[LINE_BYTES])
{
    struct termios shown;
    bool is_terminal = tcgetattr(STDIN_FILENO, &shown) == 0;
    if (is_terminal) {
        struct termios hidden = shown;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        fputs("Password: ", stderr);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    bool read = fgets(line, LINE_BYTES, stdin) != NULL;
    if (is_terminal) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
        fputc('\n', stderr);
    }
    line[read ? strcspn(line, "\r\n") : 0] = '\0';
    return read && line[0] != '\0';
}

int pt__hash_command(const pt__arguments *arguments)
{
    char line[LINE_BYTES];
    char hash[PT_PASSWORD_HASH_BYTES];
    pt_error err = PT_ERROR_INIT;
    const char *name = arguments->word_count > 1 ? arguments->words[1] : NULL;
    if (name != NULL && (strchr(name, ':') != NULL || name[0] == '#' || name[0] == '\0'))
        pt_error_set(&err, PT_INVALID_ARGUMENT, "the name of a user is not empty, has no colon and no leading #");
    else if (!read_password(line))
        pt_error_set(&err, PT_INVALID_ARGUMENT, "there is no password on standard input");
    else if (pt_password_hash((pt_text_view){line, strlen(line)}, hash, &err) == PT_OK)
        printf("%s%s%s\n", name == NULL ? "" : name, name == NULL ? "" : ":", hash);
    OPENSSL_cleanse(line, sizeof(line));
    return pt__report(&err);
}
