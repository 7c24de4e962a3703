import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const bundle = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
const licences = [join(dirname(bundle), '../LICENSE'), `${bundle}.LICENSE.txt`];

/** What a page that asks for nothing and allows no inline style cannot have, each with what stands in its place. */
const changes: [pattern: RegExp, replacement: string][] = [
  // The logo of its makers on their own host. Without an image, the link to them shows its text alone.
  [/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini\.svg/g, 'data:,'],
  // A style sheet for scroll bars of its own; the option `nativeScrollbars` leaves them out.
  [/\w\.push\(\[e\.id,"\.ps\{.*?sourceRoot:""\}\]\),/gs, ''],
  [/\n\/\/# sourceMappingURL=\S+\s*$/g, '\n'],
];

/**
 * Redoc's own bundle as a page inlines it, with the licences of all that is in it.
 * @throws {Error} if the installed version is built in another way; nothing unknown goes into the page
 */
export function redocScript(): string {
  const [source = '', licence = '', licencesOfParts = ''] = [bundle, ...licences].map((file) =>
    readFileSync(file, 'utf8'),
  );
  return `/*!\nRedoc\n\n${licence}*/\n\n${licencesOfParts}\n${changes.reduce(change, source)}`;
}

function change(source: string, [pattern, replacement]: (typeof changes)[number]): string {
  if (source.match(pattern)?.length !== 1)
    throw new Error(
      `This version of Redoc does not hold ${pattern.source} once: see what scripts/docs/redoc.ts changes.`,
    );
  return source.replace(pattern, replacement);
}
