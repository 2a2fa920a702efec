"""Spark Connect without PySpark's session layer: the calls as they stand, and what their errors say."""
import json
import uuid

import grpc
import pyspark.sql.connect.proto as pb
import pyspark.sql.connect.proto.base_pb2_grpc as service

new = lambda: str(uuid.uuid4())


class Raw:
    """One channel; requests of one user."""

    def __init__(self, address, user="probe", options=()):
        self.channel = grpc.insecure_channel(address, options=list(options))
        self.stub = service.SparkConnectServiceStub(self.channel)
        self.user = pb.UserContext(user_id=user)

    def close(self):
        self.channel.close()

    def plan_request(self, session, plan, op=None, tags=(), reattachable=True, seen_server=None, chunks=None):
        request = pb.ExecutePlanRequest(session_id=session, user_context=self.user, tags=list(tags), plan=plan)
        if op:
            request.operation_id = op
        if seen_server:
            request.client_observed_server_side_session_id = seen_server
        if reattachable:
            request.request_options.add().reattach_options.reattachable = True
        if chunks is not None:
            options = request.request_options.add().result_chunking_options
            options.allow_arrow_batch_chunking = True
            if chunks:
                options.preferred_arrow_chunk_size = chunks
        return request

    def ask(self, session, sql, op=None, **options):
        """A query as a relation; what comes back is a stream."""
        plan = pb.Plan(root=pb.Relation(sql=pb.SQL(query=sql)))
        return self.stub.ExecutePlan(self.plan_request(session, plan, op, **options))

    def command(self, session, sql, **options):
        """spark.sql(): statements run now."""
        plan = pb.Plan(command=pb.Command(sql_command=pb.SqlCommand(
            input=pb.Relation(sql=pb.SQL(query=sql)))))
        return self.stub.ExecutePlan(self.plan_request(session, plan, **options))

    def again(self, session, op, after=None, seen_server=None):
        request = pb.ReattachExecuteRequest(session_id=session, user_context=self.user, operation_id=op)
        if after:
            request.last_response_id = after
        if seen_server:
            request.client_observed_server_side_session_id = seen_server
        return self.stub.ReattachExecute(request)

    def release(self, session, op, until=None):
        request = pb.ReleaseExecuteRequest(session_id=session, user_context=self.user, operation_id=op)
        if until:
            request.release_until.response_id = until
        else:
            request.release_all.SetInParent()
        return self.stub.ReleaseExecute(request)

    def release_session(self, session):
        return self.stub.ReleaseSession(pb.ReleaseSessionRequest(session_id=session, user_context=self.user))

    def interrupt(self, session, **what):
        return list(self.stub.Interrupt(
            pb.InterruptRequest(session_id=session, user_context=self.user, **what)).interrupted_ids)

    def config(self, session, **operation):
        return self.stub.Config(pb.ConfigRequest(session_id=session, user_context=self.user,
                                                 operation=pb.ConfigRequest.Operation(**operation)))

    def get(self, session, *keys):
        return {p.key: p.value for p in self.config(session, get=pb.ConfigRequest.Get(keys=keys)).pairs}

    def artifact_exists(self, session, name):
        answer = self.stub.ArtifactStatus(pb.ArtifactStatusesRequest(
            session_id=session, user_context=self.user, names=[name]))
        return answer.statuses[name].exists

    def error_details(self, session, error_id):
        return self.stub.FetchErrorDetails(pb.FetchErrorDetailsRequest(
            session_id=session, user_context=self.user, error_id=error_id))

    def status(self, session, *ops):
        request = pb.GetStatusRequest(session_id=session, user_context=self.user)
        request.operation_status.operation_ids.extend(ops)
        return {s.operation_id: s.state for s in self.stub.GetStatus(request).operation_statuses}


def batches(responses):
    return [r.arrow_batch for r in responses if r.HasField("arrow_batch")]


def rows(responses):
    """Rows of whole batches and of batches in chunks."""
    return sum(b.row_count for b in batches(responses) if not b.HasField("chunk_index") or b.chunk_index == 0)


def table(responses):
    """The result as an Arrow table, from whole or chunked batches."""
    import pyarrow as pa

    tables, pieces = [], b""
    for batch in batches(responses):
        pieces += batch.data
        if not batch.HasField("num_chunks_in_batch") or batch.chunk_index == batch.num_chunks_in_batch - 1:
            with pa.ipc.open_stream(pieces) as reader:
                tables.append(reader.read_all())
            pieces = b""
    return pa.concat_tables(tables)


class Failure:
    """What an RpcError of Spark Connect says."""

    def __init__(self, error):
        from google.rpc import error_details_pb2

        self.code = error.code()
        self.message = error.details()
        self.reason = self.domain = None
        self.metadata = {}
        status = self._status(error)
        for detail in status.details if status else ():
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                self.reason, self.domain, self.metadata = info.reason, info.domain, dict(info.metadata)

    @staticmethod
    def _status(error):
        from grpc_status import rpc_status

        try:
            return rpc_status.from_call(error)
        except ValueError:  # the client failed by itself, of an answer that it cannot read, before the server did
            return None

    @property
    def condition(self):
        return self.metadata.get("errorClass")

    @property
    def sqlstate(self):
        return self.metadata.get("sqlState")

    @property
    def error_id(self):
        return self.metadata.get("errorId")

    @property
    def classes(self):
        return json.loads(self.metadata["classes"])

    def __repr__(self):
        return f"{self.code} {self.condition} {self.sqlstate} {self.message!r}"


def failure(action):
    """Runs what must fail, reading streams to their end, and tells how."""
    try:
        result = action()
        responses = list(result) if hasattr(result, "__iter__") else result
    except grpc.RpcError as error:
        return Failure(error)
    raise AssertionError(f"it should have failed but gave {responses}")
