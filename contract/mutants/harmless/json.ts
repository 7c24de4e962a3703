import type { Variant, ProxiedResponse } from '../mutant.ts';
import { changing, json } from './variants.ts';

const escaped = (text: string) =>
  Array.from({ length: text.length }, (_none, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );

/** Rewrites the strings of a JSON text, with or without member names. */
function texts(body: string, rewrite: (text: string) => string, names: boolean): string {
  return body.replace(/"((?:[^"\\]|\\.)*)"(\s*:)?/g, (whole, _inner: string, colon?: string) =>
    colon !== undefined && !names
      ? whole
      : `"${rewrite(JSON.parse(whole.replace(/\s*:$/, '')) as string)}"${colon ?? ''}`,
  );
}

function reordered(value: unknown, order: (names: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item, order));
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(order(Object.keys(members)).map((name) => [name, reordered(members[name], order)]));
}

const text = (edit: (body: string) => string) => (response: ProxiedResponse) => {
  if (response.body !== '') response.body = edit(response.body);
};

const quoted = (body: string) => JSON.stringify(body).slice(1, -1);

/** The same JSON in other spellings. */
export const jsonVariants: readonly Variant[] = [
  changing(
    'members-reversed',
    'members in reverse order',
    json((value) => reordered(value, (names) => names.toReversed())),
  ),
  changing(
    'members-sorted',
    'members sorted by name',
    json((value) => reordered(value, (names) => names.toSorted())),
  ),
  changing(
    'json-indented',
    'JSON indented by two spaces',
    text((body) => JSON.stringify(JSON.parse(body), undefined, 2)),
  ),
  changing(
    'json-with-tabs',
    'JSON with tabs and CRLF',
    text((body) => JSON.stringify(JSON.parse(body), undefined, '\t').replaceAll('\n', '\r\n')),
  ),
  changing(
    'json-with-space-around',
    'white space before and after the JSON',
    text((body) => ` \r\n\t${body}\n\n`),
  ),
  changing(
    'json-with-new-line',
    'a newline at the end of each body',
    text((body) => `${body}\n`),
  ),
  changing(
    'json-ascii',
    'each character beyond ASCII escaped',
    text((body) => body.replace(/[\u0080-\uffff]/g, escaped)),
  ),
  changing(
    'json-texts-escaped',
    'each character of each string escaped',
    text((body) => texts(body, escaped, false)),
  ),
  changing(
    'json-names-escaped',
    'each character of each string and member name escaped',
    text((body) => texts(body, escaped, true)),
  ),
  changing(
    'json-slashes-escaped',
    'slashes escaped',
    text((body) => texts(body, (each) => quoted(each).replaceAll('/', '\\/'), false)),
  ),
  changing(
    'numbers-with-fraction',
    'whole numbers with a fraction of zero',
    text((body) => body.replace(/("total_files":\s*\d+)(?=[,}])/g, '$1.0')),
  ),
  changing(
    'numbers-with-exponent',
    'whole numbers with an exponent',
    text((body) => body.replace(/("total_files":\s*\d+)(?=[,}])/g, '$1e0')),
  ),
  changing(
    'messages-of-their-own',
    'other messages in error_message',
    json((value) => ({ ...(value as object), ...('error_code' in (value as object) && { error_message: 'No.' }) })),
  ),
  changing(
    'messages-in-another-language',
    'error_message in another language',
    json((value) => ({
      ...(value as object),
      ...('error_code' in (value as object) && { error_message: 'Запрос отклонён: 拒否 – "nein".' }),
    })),
  ),
];
