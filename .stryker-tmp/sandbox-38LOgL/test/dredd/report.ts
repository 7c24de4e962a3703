// @ts-nocheck
import { EventEmitter } from 'node:events';
import type { Statistics, Test } from 'dredd';

const { stdout } = process;

/** Collects the verdicts that Dredd emits, and says in the end whether every documented answer was replayed. */
export class Report {
  /** What Dredd is to emit its events on. */
  readonly emitter = new EventEmitter();
  readonly #expected: readonly string[];
  readonly #passed = new Set<string>();
  readonly #failures = new Map<string, string>();

  /** @param expected the label of each documented answer */
  constructor(expected: readonly string[]) {
    this.#expected = expected;
    this.emitter.on('test start', ({ title }: Test) => {
      if (stdout.isTTY) stdout.write(`\r\u001b[K${title}`);
    });
    this.emitter.on('test pass', ({ title }: Test) => this.#passed.add(title));
    this.emitter.on('test skip', ({ title }: Test) => this.#failures.set(title, 'skipped'));
    this.emitter.on('test error', (error: Error, { title }: Test) => this.#failures.set(title, error.message));
    this.emitter.on('test fail', ({ title, message, actual }: Test) => {
      const reason = message.replace(/^Failed in (before|after) hook: /, '').trim();
      const answer = actual ? `\nanswered ${actual.statusCode} ${actual.body ?? 'without a body'}` : '';
      this.#failures.set(title, reason + answer);
    });
  }

  /** Prints every failure and the totals. @returns whether each documented answer was replayed and all has passed */
  conclude({ tests, passes, failures, errors, skipped }: Statistics): boolean {
    const expected = this.#expected.length;
    const missing = this.#expected.filter((label) => !this.#passed.has(label));
    for (const label of missing)
      if (!this.#failures.has(label)) this.#failures.set(label, 'no transaction replayed it');
    const complete =
      expected > 0 &&
      missing.length === 0 &&
      tests === expected &&
      passes === tests &&
      failures + errors + skipped === 0;
    const failed = complete ? 0 : Math.max(expected, tests, passes + 1) - passes;

    if (stdout.isTTY) stdout.write('\r\u001b[K');
    for (const [title, reason] of this.#failures)
      console.log(`FAIL ${title}\n     ${reason.replaceAll('\n', '\n     ')}`);
    console.log(`Dredd: ${passes} of ${expected} documented answers replayed, ${skipped} skipped, ${failed} failed`);
    console.log(`${passes} passed, ${failed} failed`);
    return complete;
  }
}
