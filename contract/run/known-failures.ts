import { open, readFile, writeFile } from 'node:fs/promises';
import { fileFault } from '../cli/validated-file.ts';
import type { CheckResult } from './model.ts';
import { UsageError } from './errors.ts';

const heading = '# Checks that are known to fail, one id a line; written by --write-baseline.\n';

/** The checks that are known to fail: a file with an id a line, and comments after `#`. */
export class KnownFailures {
  readonly #file: string;
  readonly #ids: ReadonlySet<string>;

  private constructor(file: string, ids: Iterable<string>) {
    this.#file = file;
    this.#ids = new Set(ids);
  }

  /**
   * @param writes whether the file is to be written after the run; it may be absent then
   * @throws {UsageError} if the file cannot be read, or cannot be written
   */
  static async read(file: string, { writes = false } = {}): Promise<KnownFailures> {
    try {
      if (writes) await (await open(file, 'a')).close();
      const lines = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '').split(/\r?\n/);
      const ids = lines.map((line) => line.replace(/(^|\s)#.*/, '').trim()).filter((id) => id !== '');
      return new KnownFailures(file, ids);
    } catch (error) {
      throw new UsageError(
        `the file ${file} of --baseline cannot be ${writes ? 'written' : 'read'}: ${fileFault(error)}`,
      );
    }
  }

  /** A failure that is known is marked. */
  settled(result: CheckResult): CheckResult {
    return result.outcome === 'failed' && this.#ids.has(result.check.id)
      ? { ...result, outcome: 'known failure' }
      : result;
  }

  /** The ids to remove from the file: of checks that have passed, and of checks that do not exist. */
  problems(results: readonly CheckResult[]): string[] {
    const byId = new Map(results.map((result) => [result.check.id, result]));
    return [...this.#ids].flatMap((id) => {
      const result = byId.get(id);
      if (!result && isUnseen(id, results)) return [];
      if (!result) return [`${this.#file} names ${id}, and there is no such check: remove it`];
      return result.outcome === 'passed' ? [`${id} is fixed: remove it from ${this.#file}`] : [];
    });
  }

  /** Writes the file anew: what has failed, and what was known and has not been run now. */
  async write(results: readonly CheckResult[]): Promise<number> {
    const failing = results.filter(
      ({ outcome, check }) => outcome === 'failed' || (outcome !== 'passed' && this.#ids.has(check.id)),
    );
    const unseen = [...this.#ids].filter((id) => isUnseen(id, results));
    const ids = [...new Set([...failing.map(({ check }) => check.id), ...unseen])].sort();
    await writeFile(this.#file, heading + ids.map((id) => `${id}\n`).join(''));
    return ids.length;
  }
}

/** Whether a check is about a response that has not come, so that one check, not run, stands for all that it would break. */
function isUnseen(id: string, results: readonly CheckResult[]): boolean {
  return results.some(({ check, outcome }) => outcome === 'not run' && id.startsWith(`${check.id}.`));
}
