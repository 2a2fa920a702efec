/**
 * Binary operators of DataFusion: rows of operators.def.
 */
#ifndef PT_DECODE_DATAFUSION_OPERATORS_H
#define PT_DECODE_DATAFUSION_OPERATORS_H

typedef enum pt__df_family {
    PT_DF_LOGIC,
    PT_DF_COMPARE,
    PT_DF_ARITHMETIC,
    PT_DF_BITS,
    PT_DF_SHIFT,
    PT_DF_LIKE,
    PT_DF_REGEX,
    PT_DF_CONCAT,
    PT_DF_REFUSED
} pt__df_family;

typedef struct pt__df_operator {
    const char *word;
    const char *sign;
    int precedence;
    pt__df_family family;
    const char *plan; /* "!" before it: negated; REGEX: "i" ignores case */
} pt__df_operator;

/** NULL when there is none. */
const pt__df_operator *pt__df_find_operator(const char *word);

#endif
