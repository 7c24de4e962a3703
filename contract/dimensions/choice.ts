import type { Operation } from '../document/model.ts';
import type { RequestSpec, Source } from '../run/model.ts';

/** One value of a dimension: a way of asking for the same thing. */
export interface Choice {
  /** As in `the header Accept-Language: de`; it follows `only with` in a report. */
  readonly name: string;
  /** Who promises that the response stays the same. */
  readonly source: Source;
  /** Whether it changes nothing of any API, whatever its document leaves open. */
  readonly anyApi?: boolean;
  readonly apply: (request: RequestSpec) => RequestSpec;
  /** Whether it can be combined with the request; by default with any. */
  readonly fits?: (request: RequestSpec, operation: Operation | undefined) => boolean;
  /** How many other requests are in flight at the same time. */
  readonly company?: number;
  /** Whether it is sent with another credential of the same rights, if the target has one. */
  readonly usesSpare?: boolean;
  /** How often the request is sent. */
  readonly times?: number;
}

/** The ways in which one part of a request can be sent. The first of them is the usual one. */
export interface Dimension {
  readonly name: string;
  readonly choices: readonly Choice[];
  /** Whether each choice takes several requests. */
  readonly isCostly?: boolean;
}
