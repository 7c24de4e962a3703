/**
 * Scenarios that cannot be derived from the document: the data that causes a domain error, or a success that no example
 * of the document causes. One line each, by operationId and status.
 */
import type { CredentialName } from '../run/model.ts';

/** What differs from the valid request of an operation. */
export interface Scenario {
  readonly credential?: CredentialName;
  /** Path parameters whose value is a credentials entry. Others have a valid value. */
  readonly identifiers?: Readonly<Record<string, CredentialName>>;
  readonly body?: string;
  /** The named example of the document that the response's body must equal. */
  readonly example?: string;
}

const invalidUpdate = JSON.stringify({ enabled: 'true', force: true });

export const writtenScenarios: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  updateVerificationSetting: {
    400: { body: invalidUpdate, example: 'enabled-not-boolean' },
  },
  getCase: {
    404: { identifiers: { id: 'other_case_id' } },
  },
};
