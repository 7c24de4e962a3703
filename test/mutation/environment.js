/**
 * The environment of a mutation run, where all tests share one realm (see load-tests.ts). It
 * - gives each test file a group of its own, so that its hooks are its own and names of tests are unique,
 * - stops at the first failed test: a mutant needs to be killed but once,
 * - turns the end of the process, which a mutant may bring about, into a failure,
 * - counts what a `beforeAll` or `afterAll` reaches as covered by the tests of its group. Stryker would take it for
 *   code that every test depends on, and run them all for each mutant there.
 */
import { TestEnvironment } from 'jest-environment-node';

/**
 * @typedef {import('@jest/types').Circus.Event} Event
 * @typedef {import('@jest/types').Circus.State} State
 * @typedef {import('@jest/types').Circus.DescribeBlock} DescribeBlock
 * @typedef {import('@jest/types').Circus.TestEntry} TestEntry
 * @typedef {import('@jest/types').Circus.Hook} Hook
 * @typedef {{ currentTestId?: string | undefined, mutantCoverage?: { perTest: Record<string, Record<string, number>> } }} Stryker
 */

export default class MutationEnvironment extends TestEnvironment {
  /**
   * @param {import('@jest/environment').JestEnvironmentConfig} config
   * @param {import('@jest/environment').EnvironmentContext} context
   */
  constructor(config, context) {
    super(config, context);
    this.global.testNamePattern = isKilled() ? 'none' : config.globalConfig.testNamePattern;
    this.global.process.exit = () => {
      throw new Error('The process would have ended.');
    };
  }

  /**
   * @param {Event} event
   * @param {State} state
   */
  handleTestEvent(event, state) {
    if (event.name === 'setup')
      /** @type {(load: () => Promise<unknown>) => Promise<void>} */
      this.global.inLastGroup = (load) => inLastGroup(state, load);
    else if (event.name === 'hook_start') this.#start(event.hook);
    else if (event.name === 'hook_success' || event.name === 'hook_failure') this.#end(event.hook);
    else if (event.name === 'test_done' && event.test.errors.length > 0) {
      killed = activeMutant();
      skipRest(state.rootDescribeBlock);
    }
  }

  /** @param {Hook} hook */
  #start(hook) {
    if (isOfGroup(hook)) this.#stryker.currentTestId = hookId;
  }

  /** @param {Hook} hook */
  #end(hook) {
    if (!isOfGroup(hook)) return;
    const stryker = this.#stryker;
    stryker.currentTestId = undefined;
    const perTest = stryker.mutantCoverage?.perTest ?? {};
    const covered = perTest[hookId] ?? {};
    perTest[hookId] = {};
    for (const test of testsOf(hook.parent)) {
      const counts = (perTest[test] ??= {});
      for (const [mutant, count] of Object.entries(covered)) counts[mutant] = (counts[mutant] ?? 0) + count;
    }
  }

  /**
   * What Stryker shares with the mutated code.
   * @returns {Stryker}
   */
  get #stryker() {
    const shared = /** @type {Record<string, Stryker | undefined>} */ (/** @type {unknown} */ (this.global));
    const { __strykerGlobalNamespace__: name = '' } = /** @type {{ __strykerGlobalNamespace__?: string }} */ (
      /** @type {unknown} */ (this.global)
    );
    return shared[name] ?? {};
  }
}

const hookId = 'hook';

/** @type {string | undefined} */
let killed;

function activeMutant() {
  return process.env['__STRYKER_ACTIVE_MUTANT__'];
}

/** Whether a test of an earlier file has killed the mutant of this run already. */
function isKilled() {
  return killed !== undefined && killed === activeMutant();
}

/** @param {Hook} hook */
function isOfGroup({ type }) {
  return type === 'beforeAll' || type === 'afterAll';
}

/**
 * @param {State} state
 * @param {() => Promise<unknown>} load
 */
async function inLastGroup(state, load) {
  const outer = state.currentDescribeBlock;
  const group = outer.children.at(-1);
  if (group?.type !== 'describeBlock') throw new Error('There is no group.');
  state.currentDescribeBlock = group;
  await load();
  state.currentDescribeBlock = outer;
}

/** @param {DescribeBlock} group */
function skipRest({ children }) {
  for (const child of children)
    if (child.type === 'describeBlock') skipRest(child);
    else if (child.startedAt === null || child.startedAt === undefined) child.mode = 'skip';
}

/**
 * The full names of a group's tests, as Stryker composes them.
 * @param {DescribeBlock} group
 * @returns {string[]}
 */
function testsOf({ children }) {
  return children.flatMap((child) => (child.type === 'test' ? [fullName(child)] : testsOf(child)));
}

/**
 * @param {TestEntry | DescribeBlock} part
 * @returns {string}
 */
function fullName({ name, parent }) {
  return parent ? `${fullName(parent)} ${name}`.trimStart() : '';
}
