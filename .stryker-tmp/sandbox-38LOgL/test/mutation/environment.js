/**
 * The environment of a mutation run, where all tests share one realm (see suite.ts). It
 * - gives each test file a group of its own, so that its hooks are its own and names of tests are unique,
 * - stops at the first failed test: a mutant needs to be killed but once,
 * - turns the end of the process, which a mutant may bring about, into a failure,
 * - counts what a `beforeAll` or `afterAll` reaches as covered by the tests of its group. Stryker would take it for
 *   code that every test depends on, and run them all for each mutant there.
 */
// @ts-nocheck

import { TestEnvironment } from 'jest-environment-node';

export default class MutationEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.global.testNamePattern = config.globalConfig.testNamePattern;
    this.global.process.exit = (code) => {
      throw new Error(`the process would have ended with ${code}`);
    };
  }

  handleTestEvent(event, state) {
    if (event.name === 'setup') this.global.inGroup = (name, load) => inGroup(state, this.global, name, load);
    else if (event.name === 'hook_start') this.#attribute(event.hook, hookId);
    else if (event.name === 'hook_success' || event.name === 'hook_failure') this.#settle(event.hook);
    else if (event.name === 'test_done' && event.test.errors.length > 0) skipRest(state.rootDescribeBlock);
  }

  #attribute({ type }, id) {
    if (type.endsWith('All')) this.#stryker.currentTestId = id;
  }

  #settle({ type, parent }) {
    if (!type.endsWith('All')) return;
    const stryker = this.#stryker;
    stryker.currentTestId = undefined;
    const perTest = stryker.mutantCoverage?.perTest ?? {};
    const { [hookId]: covered } = perTest;
    if (!covered) return;
    delete perTest[hookId];
    for (const test of testsOf(parent)) {
      const counts = (perTest[test] ??= {});
      for (const [mutant, count] of Object.entries(covered)) counts[mutant] = (counts[mutant] ?? 0) + count;
    }
  }

  /** What Stryker shares with the mutated code. */
  get #stryker() {
    return this.global[this.global.__strykerGlobalNamespace__] ?? {};
  }
}

const hookId = 'hook';

async function inGroup(state, global, name, load) {
  const outer = state.currentDescribeBlock;
  let group;
  global.describe(name, () => {
    group = state.currentDescribeBlock;
  });
  state.currentDescribeBlock = group;
  await load();
  state.currentDescribeBlock = outer;
}

function skipRest({ children }) {
  for (const child of children)
    if (child.type === 'describeBlock') skipRest(child);
    else if (child.startedAt === null) child.mode = 'skip';
}

/** The full names of a group's tests, as Stryker composes them. */
function testsOf({ children }) {
  return children.flatMap((child) => (child.type === 'test' ? [fullName(child)] : testsOf(child)));
}

function fullName({ name, parent }) {
  return parent ? `${fullName(parent)} ${name}`.trimStart() : '';
}
