import { isJson } from '../conformance/media-type.ts';
import { pairsOfParameter } from '../conformance/parameter-style.ts';
import type { Operation } from '../document/model.ts';
import type { Headers } from './credential-scheme.ts';
import { sampleOf } from './schema/sample.ts';

/** A body of another media type than JSON. */
export interface OtherBody {
  readonly text: string;
  /** The header that describes it. */
  readonly content: Headers;
  /** Whether the document has no example, so that the value is made from the schema. */
  readonly isGuessed: boolean;
}

/** A body of another media type than JSON that the operation documents: a text, or the fields of a form; not multipart. */
export function otherBodyOf({ requestBody }: Operation): OtherBody | undefined {
  for (const [mediaType, { examples, schema }] of Object.entries(requestBody?.content ?? {})) {
    if (isJson(mediaType) || mediaType.startsWith('multipart/')) continue;
    const [example] = Object.values(examples);
    const text = textOf(mediaType, example ? example.value : sampleOf(schema));
    if (text === undefined) continue;
    const content: Headers = [['Content-Type', mediaType.replace('*/*', 'application/octet-stream')]];
    return { text, content, isGuessed: !example };
  }
  return undefined;
}

function textOf(mediaType: string, value: unknown): string | undefined {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  if (typeof value !== 'object' || value === null || !mediaType.startsWith('application/x-www-form-urlencoded'))
    return undefined;
  const pairs = Object.entries(value).flatMap(
    ([name, field]) => pairsOfParameter({ name, style: 'form', explode: true }, field) ?? [],
  );
  return new URLSearchParams(pairs.map(([name, text]): [string, string] => [name, text])).toString();
}
