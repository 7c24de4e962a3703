/**
 * What nobody can derive of a documented response: the data that makes a domain error, and a success that an example of
 * the document does not make. One line each, by operationId and status.
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
