import { credentialHeaders, type HeaderFields } from '../conformance/request.ts';
import { hideSecrets } from '../../src/domain/secret.ts';
import { SecretMask } from '../run/secret-mask.ts';
import type { ProxyRecord } from './proxy-record.ts';

/** So short a credential is none that could be hidden: its letters are everywhere. */
const shortestSecret = 8;

/** The record with what was sent as a credential, and whatever else looks like a secret of this service, hidden. */
export function maskRecord(record: ProxyRecord, headers: HeaderFields): ProxyRecord {
  const secrets = credentialHeaders.flatMap((header) =>
    (headers[header] ?? []).map((value) => [header.replaceAll('-', '_'), value.replace(/^\S+ +/, '')] as const),
  );
  const mask = new SecretMask(secrets.filter(([, value]) => value.length >= shortestSecret));
  const hide = (text: string): string => hideSecrets(mask.mask(text));
  return {
    ...record,
    path: hide(record.path),
    request_id: record.request_id === null ? null : hide(record.request_id),
    violations: record.violations.map(({ rule, message }) => ({ rule, message: hide(message) })),
  };
}
