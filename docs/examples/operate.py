"""An operator of the server that runs on the data directory of DATA_DIR, by its command line. See docs/operator.md."""

import json
import os
import subprocess
import sys

COMMAND = os.environ.get("DOCUMENT_ANALYSIS", "npx document-analysis").split()


def run(*args):
    return json.loads(subprocess.run([*COMMAND, *args, "--json"], check=True, capture_output=True).stdout)


def setup():
    return {"methods": list(METHODS), "credentials": run("demo")}


def list_audit_entries(limit=1000):
    entries = run("audit", "list", "--limit", str(limit))
    return [entry for entry in entries if entry["action"].endswith("setting.updated")]


METHODS = {
    "setup": setup,
    "listAuditEntries": list_audit_entries,
    "readCase": lambda case_id: run("case", "show", case_id),
}

for line in sys.stdin:
    request = json.loads(line)
    response = {"jsonrpc": "2.0", "id": request["id"]}
    try:
        response["result"] = METHODS[request["method"]](**request["params"])
    except Exception as error:
        response["error"] = {"code": -32000, "message": str(error)}
    print(json.dumps(response), flush=True)
