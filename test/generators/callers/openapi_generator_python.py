"""Calls the server with the generated Python client. Reads the target from stdin and prints what it saw, both as JSON."""

import json
import sys

sys.path.insert(0, sys.argv[1])

from document_analysis import ApiClient, ApiException, CasesApi, Configuration, OrganisationsApi  # noqa: E402

target = json.load(sys.stdin)


def configuration(token=None, **settings):
    """This version's Configuration reads its access token on every call, and forgets to begin it."""
    made = Configuration(**settings)
    made.access_token = token
    return made


def organisations(key):
    return OrganisationsApi(ApiClient(configuration(host=target["base_url"], api_key={"apiKey": key})))


def refusal(call):
    try:
        call()
    except ApiException as refused:
        return [refused.status, json.loads(refused.body)["error_code"]]
    raise AssertionError("a refusal was expected")


def time(moment):
    """As the document writes it. The client gives a datetime, or None where the document says null."""
    return moment and moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


# The operation's own servers win over the host of a configuration, so this client is given them as the document names
# them, and its requests go to the server under test.
CASE_SERVERS = ("https://cases.uk.document-analysis.example", "https://cases.ca.document-analysis.example")


class RedirectedClient(ApiClient):
    def request(self, method, url, **options):
        server = next(server for server in CASE_SERVERS if url.startswith(server))
        return super().request(method, url.replace(server, target["case_base_url"]), **options)


cases = CasesApi(RedirectedClient(configuration(token=target["access_token"])))
owner = organisations(target["owner_key"])
enabled = [
    owner.update_verification_setting({"enabled": False}).enabled,
    owner.update_verification_setting({"enabled": True}).enabled,
    owner.get_verification_setting().enabled,
]
found = cases.get_case(target["case_id"])
json.dump(
    {
        "enabled": enabled,
        "case": {
            "case_id": found.case_id,
            "label": found.label,
            "locked_at": time(found.locked_at),
            "file_analysis_status": found.file_analysis_status,
            "total_files": found.total_files,
        },
        "files": [
            {
                "file_id": file.file_id,
                "analysis_status": file.analysis_status,
                "analysis_completed_at": time(file.analysis_completed_at),
            }
            for file in found.files
        ],
        "unknownCase": refusal(lambda: cases.get_case(target["unknown_case_id"])),
        "unknownKey": refusal(lambda: organisations(target["unknown_key"]).get_verification_setting()),
    },
    sys.stdout,
)
