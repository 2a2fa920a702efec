"""A collector of OpenTelemetry spans: takes OTLP as JSON over HTTP."""
import http.server
import json
import threading
import time


class Collector:
    def __init__(self, status=200, delay=0.0):
        self.requests = []
        self.lock = threading.Lock()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(delay)
                with collector.lock:
                    collector.requests.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *reason):
        self.server.shutdown()
        self.server.server_close()

    def spans(self):
        """All spans so far, attributes as members of their own."""
        out = []
        with self.lock:
            for _, _, body in self.requests:
                for resource in body["resourceSpans"]:
                    for scope in resource["scopeSpans"]:
                        for span in scope["spans"]:
                            values = {a["key"]: next(iter(a["value"].values())) for a in span["attributes"]}
                            out.append({**{k: v for k, v in span.items() if k != "attributes"}, **values})
        return out

    def settle(self):
        """Waits until nothing has come for a while."""
        count = -1
        while count != len(self.requests):
            count = len(self.requests)
            time.sleep(0.15)
