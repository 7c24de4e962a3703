/** A plain client: it calls each operation as its user would, and looks at the status and at the value it has asked for. */
import type { Credentials } from '../../contract/run/model.ts';

/** A response, and the operation that it is of. */
export interface Received {
  readonly operationId: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const setting = '/organisations/features/verification';

/**
 * Follows the happy paths, and returns what is wrong first.
 * @param url what to call in place of the target, such as a proxy before it
 * @param judge what looks at each response, beside the client
 */
export async function followHappyPaths(
  url: string,
  { owner_key: key = '', access_token: token = '', case_id: caseId, empty_case_id: emptyCaseId }: Credentials,
  judge: (received: Received) => string | undefined = () => undefined,
): Promise<string | undefined> {
  const call = async (operationId: string, method: string, path: string, expected: object, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(path === setting ? { 'x-api-key': key } : { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) return `${operationId}: ${response.status} ${text.slice(0, 300)}`;
    const received = JSON.parse(text) as Record<string, unknown>;
    const headers = Object.fromEntries(response.headers);
    const complaint = judge({ operationId, status: response.status, headers, body: received });
    if (complaint !== undefined) return `${operationId}: ${complaint}`;
    const wrong = Object.entries(expected).find(([name, value]) => received[name] !== value);
    return wrong && `${operationId}: ${wrong[0]} is not ${String(wrong[1])}`;
  };
  const update = (enabled: boolean) => call('updateVerificationSetting', 'PUT', setting, { enabled }, { enabled });
  const read = (enabled: boolean) => call('getVerificationSetting', 'GET', setting, { enabled });
  const readCase = (id = '', expected = {}) => call('getCase', 'GET', `/cases/${id}`, { case_id: id, ...expected });
  const steps = [
    () => update(true),
    () => read(true),
    () => update(false),
    () => read(false),
    () => readCase(caseId),
    () => readCase(emptyCaseId, { total_files: 0 }),
  ];
  try {
    for (const step of steps) {
      const complaint = await step();
      if (complaint !== undefined) return complaint;
    }
    return undefined;
  } catch (error) {
    return `the client fails: ${String(error)}`;
  }
}
