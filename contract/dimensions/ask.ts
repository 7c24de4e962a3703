import type { PromiseName } from '../oracle/expected.ts';
import type { Changes } from '../plan/baseline.ts';
import type { CheckContext, CredentialName, RequestSpec, Source } from '../run/model.ts';

/** Something that a caller of an operation asks for. */
export interface Ask {
  readonly name: string;
  readonly source: Source;
  readonly needs: readonly CredentialName[];
  readonly changes: (context: Pick<CheckContext, 'credential'>) => Changes;
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
