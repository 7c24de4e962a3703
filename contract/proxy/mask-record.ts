import { credentialHeaders, type HeaderFields } from '../conformance/request.ts';
import type { ApiDocument } from '../document/model.ts';
import { SecretMask } from '../run/secret-mask.ts';
import type { ProxyRecord } from './proxy-record.ts';

/** So short a credential is none that could be hidden: its letters are everywhere. */
const shortestSecret = 8;

/** What follows the prefix of a secret of this service, as in `dak_uk_…`. */
function hideSecrets(text: string): string {
  return text.replace(/\b(da[kt]_[a-z]+_)[0-9A-Za-z]+/g, '$1[hidden]');
}

/** The record with what was sent as a credential, and whatever else looks like a secret of this service, hidden. */
export function maskRecord(record: ProxyRecord, headers: HeaderFields, document: ApiDocument): ProxyRecord {
  const secrets = credentialHeaders(document).flatMap((header) =>
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
