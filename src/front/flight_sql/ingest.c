#include "front/flight_sql/ingest.h"

#include "decode/protobuf.h"
#include "exec/job.h"

#include <arrow/flight_sql.pb-c.h>
#include <string.h>

typedef Arrow__Flight__Protocol__Sql__CommandStatementIngest command;
typedef Arrow__Flight__Protocol__Sql__CommandStatementIngest__TableDefinitionOptions table_options;

#define NOT_EXIST(name)                                                                                                \
    ARROW__FLIGHT__PROTOCOL__SQL__COMMAND_STATEMENT_INGEST__TABLE_DEFINITION_OPTIONS__TABLE_NOT_EXIST_OPTION__TABLE_NOT_EXIST_OPTION_##name
#define EXISTS(name)                                                                                                   \
    ARROW__FLIGHT__PROTOCOL__SQL__COMMAND_STATEMENT_INGEST__TABLE_DEFINITION_OPTIONS__TABLE_EXISTS_OPTION__TABLE_EXISTS_OPTION_##name

static pt_status read_mode(const table_options *options, pt_ingest *out, pt_error *err)
{
    if (options == NULL)
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the ingestion has no table_definition_options");
    switch ((int)options->if_not_exist) {
    case NOT_EXIST(CREATE): out->create = true; break;
    case NOT_EXIST(FAIL): break;
    default: return pt_error_set(err, PT_INVALID_ARGUMENT, "the ingestion does not say what to do without the table");
    }
    switch ((int)options->if_exists) {
    case EXISTS(FAIL): return PT_OK;
    case EXISTS(APPEND): out->append = true; return PT_OK;
    case EXISTS(REPLACE): out->replace = true; return PT_OK;
    default: return pt_error_set(err, PT_INVALID_ARGUMENT, "the ingestion does not say what to do with the table");
    }
}

static bool is_cancelled(void *job)
{
    return pt__job_check(job, NULL) != PT_OK;
}

pt_status pt__flight_ingest(pt__flight_session *session, pt_job *job, pt_bytes_view message,
                            struct ArrowArrayStream *rows, int64_t *row_count, pt_error *err)
{
    command *c;
    pt_ingest request = {.size_bytes = sizeof(request), .is_cancelled = is_cancelled, .cancel_context = job};
    PT_TRY(pt__protobuf_unpack(pt__job_arena(job), &arrow__flight__protocol__sql__command_statement_ingest__descriptor,
                               message, (ProtobufCMessage **)&c, err));
    PT_TRY(read_mode(c->table_definition_options, &request, err));
    if (c->table[0] == '\0')
        return pt_error_set(err, PT_INVALID_ARGUMENT, "the ingestion names no table");
    request.table = c->table;
    request.is_temporary = c->temporary;
    request.catalog = c->_catalog_case != 0 ? c->catalog : NULL;
    request.schema = c->_schema_case != 0 ? c->schema : NULL;
    if (c->_transaction_id_case != 0)
        PT_TRY(pt__flight_transaction(session, (pt_bytes_view){c->transaction_id.data, c->transaction_id.len},
                                      &request.transaction, err));
    else
        request.transaction = pt__flight_open_transaction(session); /* clients leave the id out within transactions */
    return pt__session_ingest(session->session, &request, rows, row_count, err);
}
