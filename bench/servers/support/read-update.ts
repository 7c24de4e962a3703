import type { IncomingMessage } from 'node:http';

/** A violation of the document in a field. */
interface Fault {
  readonly field: string;
  readonly message: string;
  readonly rule: string;
}

/** Reads the body of an update, and passes on its value and its faults. */
export function readUpdate(request: IncomingMessage, tell: (enabled: boolean, faults: readonly Fault[]) => void): void {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (text += chunk));
  request.on('end', () => {
    const body = JSON.parse(text) as Record<string, unknown>;
    tell(body['enabled'] === true, faultsOf(body));
  });
}

/** The faults of a body in the validator's words, implemented by hand. */
function faultsOf(body: Record<string, unknown>): Fault[] {
  const faults = Object.keys(body)
    .filter((field) => field !== 'enabled')
    .map((field) => ({ field, message: 'must NOT have additional properties', rule: 'additionalProperties' }));
  if (!('enabled' in body))
    faults.unshift({ field: 'enabled', message: "must have required property 'enabled'", rule: 'required' });
  else if (typeof body['enabled'] !== 'boolean')
    faults.push({ field: 'enabled', message: 'must be boolean', rule: 'type' });
  return faults;
}
