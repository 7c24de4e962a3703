"""A server of another team, with Python's standard library: it keeps the interface document, and nothing beside it."""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Those of interface-server.ts, as JSON.
who = json.loads(sys.argv[1])
permissions = {who["owner_key"]: "rw", who["member_key"]: "r", who["viewer_key"]: ""}
setting = {"enabled": False}


def case_of(identifier, files):
    nulls = dict.fromkeys(["label", "locked_at", "file_analysis_completed_at"])
    times = dict.fromkeys(["created_at", "updated_at"], "2026-01-05T08:00:00.250Z")
    state = {"is_locked": False, "file_analysis_status": "waiting_for_file_analysis"}
    counted = {"files": files, "total_files": len(files), "metadata": {"team": 7}}
    return {"case_id": identifier, **nulls, **times, **state, **counted}


file = {"file_id": "55555555-5555-4555-8555-555555555555", "mime_type": "application/pdf"}
cases = {
    who["access_token"]: {who["case_id"]: [file], who["empty_case_id"]: []},
    who["other_access_token"]: {who["other_case_id"]: []},
}


class Refused(Exception):
    """A status, and an error code."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def verify(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.split("?")[0]
        if path == "/organisations/features/verification" and self.command in ("GET", "PUT"):
            return self.verification_setting(body)
        found = re.fullmatch("/cases/([^/]+)", path)
        if not found or self.command != "GET":
            raise Refused(404, "no.such.thing")
        token = re.fullmatch("Bearer (.+)", self.headers.get("authorization") or "")
        readable = cases.get(token[1]) if token else None
        if readable is None:
            raise Refused(401, "token.unknown")
        if found[1] not in readable:
            raise Refused(404, "request.cases.case.not-found")
        return case_of(found[1], readable[found[1]])

    def verification_setting(self, body):
        key = self.headers.get("x-api-key")
        if key == who["feature_off_key"]:
            raise Refused(403, "request.organisations.feature-flag.not-enabled")
        if key not in permissions:
            raise Refused(401, "request.authentication.invalid-token")
        if ("r" if self.command == "GET" else "w") not in permissions[key]:
            raise Refused(403, "request.forbidden")
        if self.command == "PUT":
            try:
                update = json.loads(body)
            except (ValueError, RecursionError):
                update = None
            is_update = isinstance(update, dict) and list(update) == ["enabled"]
            if not is_update or not isinstance(update["enabled"], bool):
                raise Refused(400, "not.an.update")
            setting["enabled"] = update["enabled"]
        return setting

    def respond(self):
        try:
            status, content = 200, self.verify()
        except Refused as refusal:
            status, code = refusal.args
            content = {"error_code": code, "error_message": "no", "error_details": {}}
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_TRACE = do_PURGE = respond

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
