import type { Answer, Credentials, Exchange } from './model.js';

const longestText = 500;
const identifiers = ['base_url', 'case_base_url', 'region', 'case_id', 'other_case_id', 'empty_case_id'];

/** The request as a line of curl that can be pasted once the credentials, masked as `$OWNER_KEY` and so on, are set. */
export function curlOf({ request, url }: Exchange, credentials: Credentials): string {
  const { method, headers = [], body } = request;
  const parts = [
    'curl --include --path-as-is',
    `--request ${method.toUpperCase()}`,
    ...headers.map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(shortened(body.toString()))}`]),
    quoted(url),
  ];
  return maskSecrets(parts.join(' '), credentials);
}

/** The answer in a line or two, with secrets masked. */
export function describeAnswer({ status, text }: Answer, credentials: Credentials): string {
  return maskSecrets(`${status} ${shortened(text)}`, credentials);
}

/** A text in which every secret of the credentials stands by its name. */
export function maskSecrets(text: string, credentials: Credentials): string {
  return Object.entries(credentials)
    .filter(([name, value]) => !identifiers.includes(name) && typeof value === 'string' && value !== '')
    .reduce((masked, [name, value]) => masked.replaceAll(value as string, `$${name.toUpperCase()}`), text);
}

function quoted(text: string): string {
  return `"${text.replace(/["\\`]/g, '\\$&')}"`;
}

function shortened(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}… (${text.length} characters)`;
}
