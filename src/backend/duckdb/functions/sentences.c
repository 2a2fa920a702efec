/* sentences(text): an array of sentences, each an array of its words. */
#include "backend/duckdb/functions/kernels.h"

#include "backend/duckdb/functions/list_out.h"
#include "base/utf8.h"

#include <utf8proc.h>

typedef struct sentence_writer {
    pt__list_out sentences;
    idx_t word_count; /* of all rows so far */
    idx_t first_word; /* of the current sentence */
} sentence_writer;

static bool is_word_character(uint32_t c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC: return true;
    default: return false;
    }
}

/** Marks that hold a word together when it goes on behind them: don't, a-b, 3.14, f.com. */
static bool joins(uint32_t c)
{
    return c == '\'' || c == '-' || c == '.' || c == ',' || c == 0x2019;
}

/** The end of the word that begins at `start`. */
static size_t word_end(pt_text_view text, size_t start)
{
    size_t end = start;
    uint32_t c;
    for (size_t at = start; pt__utf8_next(text.data, text.size_bytes, &at, &c);) {
        if (is_word_character(c)) {
            end = at;
            continue;
        }
        uint32_t following;
        size_t ahead = at;
        if (!joins(c) || !pt__utf8_next(text.data, text.size_bytes, &ahead, &following) ||
            !is_word_character(following))
            break;
    }
    return end;
}

static bool put_word(pt__fn_call *call, sentence_writer *w, pt_text_view word)
{
    duckdb_vector words = w->sentences.child;
    duckdb_list_vector_set_size(words, w->word_count);
    if (duckdb_list_vector_reserve(words, w->word_count + 1) != DuckDBSuccess)
        return pt__fn_fail_memory(call);
    duckdb_unsafe_vector_assign_string_element_len(duckdb_list_vector_get_child(words), w->word_count, word.data,
                                                   word.size_bytes);
    w->word_count++;
    duckdb_list_vector_set_size(words, w->word_count);
    return true;
}

static bool end_sentence(sentence_writer *w)
{
    idx_t position;
    if (w->word_count == w->first_word)
        return true;
    if (!pt__list_out_grow(&w->sentences, 1, &position))
        return false;
    PT__LIST_OUT(&w->sentences, duckdb_list_entry)
    [position] = (duckdb_list_entry){w->first_word, w->word_count - w->first_word};
    w->first_word = w->word_count;
    return true;
}

/** A mark that ends sentences does so before a space; a full stop only when no small letter follows. */
static bool ends_sentence(pt_text_view text, uint32_t mark, size_t at)
{
    uint32_t c;
    bool space = false;
    if (mark != '.' && mark != '!' && mark != '?')
        return false;
    while (pt__utf8_next(text.data, text.size_bytes, &at, &c)) {
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
            space = true;
        else
            return space && !(mark == '.' && utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_LL);
    }
    return true;
}

static bool fill(pt__fn_call *call, sentence_writer *w, idx_t row)
{
    pt_text_view text = pt__fn_text(call, 0, row);
    uint32_t c;
    pt__list_out_begin(&w->sentences);
    for (size_t at = 0; at < text.size_bytes;) {
        size_t start = at;
        pt__utf8_next(text.data, text.size_bytes, &at, &c);
        if (is_word_character(c)) {
            at = word_end(text, start);
            if (!put_word(call, w, (pt_text_view){text.data + start, at - start}))
                return false;
        } else if (ends_sentence(text, c, at) && !end_sentence(w)) {
            return false;
        }
    }
    return end_sentence(w) && pt__list_out_end(&w->sentences, row);
}

void pt__fn_sentences(pt__fn_call *call)
{
    sentence_writer w = {.word_count = 0};
    if (!pt__list_out_open(&w.sentences, call))
        return;
    PT__FN_EACH(call, r, fill(call, &w, r));
    pt__list_out_close(&w.sentences);
}
