import { isForm } from '../conformance/form.ts';
import { isJson } from '../conformance/media-type.ts';
import type { Operation } from '../document/model.ts';
import type { SchemaBody } from './json-body.ts';
import { sampleOf } from './schema/sample.ts';

/** The text that an operation documents as its body, of a media type that is neither JSON nor a form. */
export function otherBodyOf({
  requestBody,
}: Operation): Pick<SchemaBody, 'text' | 'content' | 'isGuessed'> | undefined {
  for (const [mediaType, { examples, schema }] of Object.entries(requestBody?.content ?? {})) {
    if (isJson(mediaType) || isForm(mediaType)) continue;
    const [example] = Object.values(examples);
    const value = example ? example.value : sampleOf(schema);
    if (!['string', 'number', 'boolean'].includes(typeof value)) continue;
    const contentType = mediaType.replace('*/*', 'application/octet-stream');
    return { text: String(value), content: [['Content-Type', contentType]], isGuessed: !example };
  }
  return undefined;
}
