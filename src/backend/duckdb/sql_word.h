/** Words of SQL texts that are looked at before, or without, being parsed. Threads: any. */
#ifndef PT_BACKEND_DUCKDB_SQL_WORD_H
#define PT_BACKEND_DUCKDB_SQL_WORD_H

/** Where the text's first word begins: past white space and comments; its end when there is none. Borrowed from `sql`. */
const char *pt__sql_first_word(const char *sql);

#endif
