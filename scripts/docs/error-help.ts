import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The help on an error code, in addition to the document. */
export interface ErrorHelp {
  readonly why: readonly string[];
  readonly todo: readonly string[];
  /** Whether the same request may be sent again. */
  readonly retry: string;
}

/** The help on each error code of this API. */
export const errorHelp = parse(readFileSync(new URL('error-help.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, ErrorHelp | undefined>
>;
