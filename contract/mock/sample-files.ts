import { sampleOf } from '../checks/schema/sample.ts';
import type { Schema } from '../document/model.ts';

/** Files that programs can open, as small as they can be: pictures of one pixel, and a page without content. */
const files: Readonly<Record<string, Buffer>> = {
  'image/png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  'image/gif': Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  'image/jpeg': Buffer.from(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////' +
      '////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
    'base64',
  ),
  'image/svg+xml': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
  'application/pdf': Buffer.from(
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 3 3]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ),
};

/** The content of a response that is not JSON, without an example: a file of its media type, or a text. */
export function sampleFileOf(mediaType: string, schema: Schema): Buffer | string {
  const [type = ''] = mediaType.toLowerCase().split(/[ \t]*;/);
  const file = files[type];
  if (file) return file;
  if (/[/+]xml$/.test(type)) return '<example/>';
  const sample = sampleOf(schema);
  return ['string', 'number', 'boolean'].includes(typeof sample) ? String(sample) : 'example';
}
