/** What a request is made of: something to ask for, and ways of asking. */
import type { Operation } from '../document/model.ts';
import type { PromiseName } from '../oracle/expected.ts';
import type { Changes } from '../plan/baseline.ts';
import type { Scene } from '../plan/parameters.ts';
import type { CredentialName, RequestSpec, Source } from '../run/model.ts';

/** One value of a dimension: a way of asking for the same thing. */
export interface Choice {
  /** As in `the header Accept-Language: de`; it follows `only with` in a report. */
  readonly name: string;
  /** Who promises that the response stays the same. */
  readonly source: Source;
  /** Whether it changes nothing of any API, whatever its document leaves open; of some ways, only the status. */
  readonly anyApi?: boolean | 'status';
  readonly apply: (request: RequestSpec) => RequestSpec;
  /** Whether it can be combined with the request; by default with any. */
  readonly fits?: (request: RequestSpec, operation: Operation | undefined) => boolean;
  /** How many other requests are in flight at the same time. */
  readonly company?: number;
  /** Whether it is sent with another credential of the same rights, if the target has one. */
  readonly usesSpare?: boolean;
  readonly times?: number;
  /** Whether it hides what shows without it alone, so that half of the requests do without. */
  readonly hides?: boolean;
}

/** The ways in which one part of a request can be sent. The first of them is the usual one. */
export interface Dimension {
  readonly name: string;
  readonly choices: readonly Choice[];
  /** Whether each choice takes several requests. */
  readonly isCostly?: boolean;
}

/** Something that a caller of an operation asks for. */
export interface Ask {
  readonly name: string;
  readonly source: Source;
  readonly needs: readonly CredentialName[];
  readonly changes: (context: Scene) => Changes;
  /** Changes the finished request. */
  readonly edit?: (request: RequestSpec) => RequestSpec;
  /** Whether every caller asks for it, and in every way. */
  readonly isTypical: boolean;
  readonly documented?: Documented;
}

/** What the document says of a response where the oracle cannot know it, such as whether an identifier exists. */
export interface Documented {
  readonly promise: PromiseName;
  readonly statuses: readonly number[];
  /** Further statuses that are right. */
  readonly also?: (status: number) => boolean;
}

/** Something to ask for; what is not given is as for a request that the oracle knows all about. */
export const ask = (name: string, changes: Ask['changes'], more: Partial<Omit<Ask, 'name' | 'changes'>> = {}): Ask => ({
  name,
  changes,
  source: 'interface',
  needs: [],
  isTypical: false,
  ...more,
});
