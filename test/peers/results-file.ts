import { appendFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PeerResult } from './peer.ts';

/** Results as JSON, one a line, so that a run can go on where another stopped. */
export class ResultsFile {
  readonly #file: string;
  #results: PeerResult[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  /** Reads what earlier runs have left. */
  async read(): Promise<readonly PeerResult[]> {
    await mkdir(dirname(this.#file), { recursive: true });
    const lines = await readFile(this.#file, 'utf8').catch(() => '');
    this.#results = lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as PeerResult);
    return this.#results;
  }

  add(result: PeerResult): void {
    this.#results.push(result);
    appendFileSync(this.#file, `${JSON.stringify(result)}\n`);
  }

  get results(): readonly PeerResult[] {
    return this.#results;
  }
}
