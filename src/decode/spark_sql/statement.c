/* Statements: queries and commands by their first words. */
#include "decode/spark_sql/internal.h"

pt_status pt__sql_statement(pt__sql_parser *p, const pt_plan **out)
{
    return pt__sql_query(p, out);
}
