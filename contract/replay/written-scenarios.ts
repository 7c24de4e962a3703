/**
 * Scenarios that cannot be derived from the document: the data that causes a domain error, or a success that no example
 * of the document causes. One line each, by operationId and status.
 */
import type { Scenario } from './scenario.ts';

const invalidUpdate = JSON.stringify({ enabled: 'true', force: true });

export const writtenScenarios: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  updateVerificationSetting: {
    400: { body: invalidUpdate, example: 'enabled-not-boolean' },
  },
  getCase: {
    404: { identifiers: { id: 'other_case_id' } },
  },
};
