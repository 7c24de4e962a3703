import type { HeaderFields } from '../oracle/documented-response.ts';
import { credentialHeaders } from '../oracle/request.ts';
import type { ApiDocument } from '../document/model.ts';
import { SecretMask } from '../run/secret-mask.ts';
import type { ProxyRecord } from './proxy-record.ts';

const underscore = '(?:_|%(?:25)*5f)';
const prefix = `da[kt]${underscore}[a-z]+${underscore}`;
const ownSecret = new RegExp(String.raw`(${prefix})(?:\w|%(?:25)*[3-7][0-9a-f])+`, 'gi');
const jsonWebToken = /eyJ[\w.-]{16,}/g;

/** Hides JSON Web Tokens and the secret part after a prefix of this service, such as `dak_uk_…`, anywhere in a text. */
function hideSecrets(text: string): string {
  return text.replace(ownSecret, '$1[hidden]').replace(jsonWebToken, '[hidden]');
}

/** Hides the credentials that were sent, and anything else that looks like a secret of this service. */
export function maskRecord(record: ProxyRecord, headers: HeaderFields, document: ApiDocument): ProxyRecord {
  const secrets = credentialHeaders(document).flatMap((header) =>
    (headers[header] ?? []).map((value) => [header, value.replace(/^\S+ +/, '')] as const),
  );
  const mask = new SecretMask(secrets);
  const hide = (text: string): string => hideSecrets(mask.mask(text));
  return {
    ...record,
    path: hide(record.path),
    request_id: record.request_id === null ? null : hide(record.request_id),
    violations: record.violations.map(({ rule, message }) => ({ rule, message: hide(message) })),
  };
}
