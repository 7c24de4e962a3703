/**
 * Dredd's hooks: they bind each transaction to the documented answer that it stands for, bring about what provokes that
 * answer, and check what Dredd leaves unchecked. A hook never throws; what goes wrong fails its transaction.
 */
// @ts-nocheck

import hooks, { type Transaction } from 'hooks';
import { breakStore } from './broken-store.js';
import { findFaults } from './check-answer.js';
import type { DocumentedAnswer } from './documented-answers.js';
import { createScenarios, type Scenario } from './scenarios.js';
import { type Demo, requestQuota } from './server.js';
import { bind, findAnswer, send } from './transaction.js';

/** What the run hands to its hooks. */
export interface HookContext {
  readonly demo: Demo;
  readonly databasePath: string;
  readonly documentedAnswers: readonly DocumentedAnswer[];
}

const { demo, databasePath, documentedAnswers } = hooks.configuration.custom as HookContext;
const scenarios: Record<string, Record<string, Scenario>> = createScenarios(demo);
const bindings = new Map<Transaction, { documented: DocumentedAnswer; scenario: Scenario }>();
let mendStore: (() => void) | undefined;

hooks.beforeAll((transactions, done) => {
  const unclaimed = new Set(documentedAnswers);
  for (const transaction of transactions) {
    const documented = findAnswer(transaction, [...unclaimed]);
    if (!documented) {
      transaction.fail = 'the document has no such answer';
      continue;
    }
    unclaimed.delete(documented);
    transaction.id = documented.label;
    const scenario = scenarios[documented.operationId]?.[documented.status];
    if (!scenario) {
      transaction.fail = 'no scenario provokes this answer';
      continue;
    }
    bind(transaction, documented, scenario);
    bindings.set(transaction, { documented, scenario });
  }
  done();
});

hooks.beforeEach(
  failing(async (transaction) => {
    const given = bindings.get(transaction)?.scenario.given;
    if (given === 'exhausted-quota') for (let sent = 0; sent < requestQuota; sent += 1) await send(transaction);
    if (given === 'broken-store') mendStore = breakStore(databasePath);
  }),
);

hooks.afterEach(
  failing((transaction) => {
    mendStore?.();
    mendStore = undefined;
    const bound = bindings.get(transaction);
    if (!bound || !transaction.real) return;
    const faults = findFaults(transaction.real, bound.documented, bound.scenario);
    if (faults.length > 0) transaction.fail = faults.join('\n');
  }),
);

function failing(work: (transaction: Transaction) => void | Promise<void>) {
  return (transaction: Transaction, done: () => void): void => {
    void Promise.resolve(transaction)
      .then(work)
      .catch((error: unknown) => {
        transaction.fail = `the hook failed: ${error instanceof Error ? error.message : String(error)}`;
      })
      .finally(done);
  };
}
