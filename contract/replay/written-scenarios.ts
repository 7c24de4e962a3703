/**
 * What nobody can derive of a documented response: the data that makes a domain error, a success that an example of the
 * document does not make, and the rules that a response shows. One line each, by operationId and status.
 */
import type { Scenario } from './scenario.ts';

const invalidUpdate = JSON.stringify({ enabled: 'true', force: true });

export const writtenScenarios: Readonly<Record<string, Readonly<Record<string, Scenario>>>> = {
  getVerificationSetting: {
    403: { rules: ['4.1-R3'] },
  },
  updateVerificationSetting: {
    400: { body: invalidUpdate, example: 'enabled-not-boolean', rules: ['4.2-R1'] },
    403: { rules: ['4.2-R2'] },
  },
  getCase: {
    404: { identifiers: { id: 'other_case_id' } },
  },
};
