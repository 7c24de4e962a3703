import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const bundle = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js');
const licences = [join(dirname(bundle), '../LICENSE'), `${bundle}.LICENSE.txt`];

/** Parts of Redoc that do not work in a page without requests and inline styles, with their replacements. */
const changes: [pattern: RegExp, replacement: string][] = [
  // The logo of its makers, loaded from their host. Without an image, their link shows only its text.
  [/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini\.svg/g, 'data:,'],
  // A style sheet for custom scroll bars; the option `nativeScrollbars` makes it unnecessary.
  [/\w\.push\(\[e\.id,"\.ps\{.*?sourceRoot:""\}\]\),/gs, ''],
  [/\n\/\/# sourceMappingURL=\S+\s*$/g, '\n'],
];

/**
 * Redoc's own bundle, prepared for inlining, with the licences of all of its parts.
 * @throws {Error} if the installed version is built differently, so that no unreviewed code is published
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
