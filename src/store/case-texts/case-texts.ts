/**
 * A cache of cases as the JSON text that the API sends. A text is reused only if the store has just confirmed that the
 * case still has its revision. So no change is missed, whichever process makes it.
 *
 * Small cases are kept in memory. Large ones are read part by part into a temporary file, so that the store's snapshot
 * lasts no longer than the read, and memory does not grow with the case. The sender follows the writer.
 */
import { LRUCache } from 'lru-cache';
import { type Case, caseText, type FilesOverview, type FileSummary, type StoredCase } from '../../domain/case.ts';
import type { Prefetched } from '../../domain/principal.ts';
import { JsonInMemory, type JsonText } from './json-text.ts';
import {
  type CaseSource,
  type CaseState,
  type FilePlace,
  filesOfBeginning,
  type FilesPart,
  recordOf,
} from './case-source.ts';
import { TemporaryJson } from './temporary-json.ts';

const maxBytesInMemory = 32 * 1024 * 1024;
const bytesOfCacheEntry = 512;
const maxTemporaryFiles = 8;
/** The limit for all cached temporary files together; a single one may be larger. */
const maxTemporaryBytes = 256 * 1024 * 1024;
const temporaryFileMilliseconds = 60_000;

/** The text of a case at one revision. */
interface Kept<T> {
  readonly revision: string;
  readonly text: T;
}

export class CaseTexts {
  readonly #source: CaseSource;
  readonly #folder: string;
  readonly #small = new LRUCache<string, Kept<JsonInMemory<Case>>>({
    maxSize: maxBytesInMemory,
    sizeCalculation: ({ text }, key) => text.byteLength + key.length + bytesOfCacheEntry,
  });
  readonly #large = new LRUCache<string, Kept<TemporaryJson<Case>>>({
    max: maxTemporaryFiles,
    ttl: temporaryFileMilliseconds,
    ttlAutopurge: true,
    dispose: ({ text }) => {
      text.release();
    },
  });
  readonly #beginning = new Map<string, Promise<TemporaryJson<Case> | undefined>>();
  #lastWritten: Promise<unknown> = Promise.resolve();

  /** @param folder where large cases are written; it is created on demand */
  constructor(source: CaseSource, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  /** Undefined if this organisation has no such case. A revision that was read with the credential is not read again. */
  async find(organisationId: string, caseId: string, prefetched?: Prefetched): Promise<JsonText<Case> | undefined> {
    const known =
      prefetched?.organisationId === organisationId && prefetched.case?.id === caseId
        ? prefetched.case.revision
        : undefined;
    if (known === null) return undefined;
    const key = `${organisationId} ${caseId}`;
    const small = this.#small.get(key);
    const large = small ? undefined : this.#large.get(key);
    const held = small ?? large;
    if (held) {
      const revision = known ?? (await this.#source.findRevision(organisationId, caseId));
      if (revision === undefined) return undefined;
      if (revision === small?.revision) return small.text;
      // Assume that it is still large: reading its first files to find out would delay other requests for milliseconds.
      if (large) return this.#findLarge(organisationId, caseId, revision);
    }
    const beginning = await this.#source.readBeginning(organisationId, caseId);
    if (!beginning) return undefined;
    if (beginning.total_files === filesOfBeginning) return this.#findLarge(organisationId, caseId, beginning.revision);
    const { before, after } = caseText(recordOf(beginning), beginning);
    const text = new JsonInMemory<Case>(`${before}${beginning.files ?? ''}${after}`);
    this.#large.delete(key);
    this.#small.set(key, { revision: beginning.revision, text });
    return text;
  }

  findCase(organisationId: string, caseId: string): Promise<StoredCase | undefined> {
    return this.#inTurn(() =>
      this.#source.withCase(organisationId, caseId, async (state, readPart) => {
        const files: FileSummary[] = [];
        for (let last: FilePlace | null | undefined; last !== null;) {
          const part = await readPart(last);
          files.push(...(JSON.parse(`[${part.files ?? ''}]`) as FileSummary[]));
          ({ last } = part);
        }
        return { ...recordOf(state), files };
      }),
    );
  }

  /** Clears the cache. Texts that are being sent are still sent in full. */
  close(): void {
    this.#small.clear();
    this.#large.clear();
  }

  /** Concurrent requests for the same revision of a large case share one temporary file. */
  async #findLarge(organisationId: string, caseId: string, revision: string): Promise<JsonText<Case> | undefined> {
    const key = `${organisationId} ${caseId}`;
    const kept = this.#large.get(key);
    const lent = kept?.revision === revision ? kept.text.lend() : undefined;
    if (lent) return lent;
    const place = `${key} ${revision}`;
    let beginning = this.#beginning.get(place);
    if (!beginning) {
      beginning = this.#begin(organisationId, caseId).finally(() => this.#beginning.delete(place));
      this.#beginning.set(place, beginning);
    }
    const begun = await beginning;
    return begun && (begun.lend() ?? this.find(organisationId, caseId));
  }

  /** Resolves when the first part of a large case is written, and keeps writing; undefined if there is no such case. */
  #begin(organisationId: string, caseId: string): Promise<TemporaryJson<Case> | undefined> {
    return new Promise((resolve, reject) => {
      this.#inTurn(() => this.#write(organisationId, caseId, resolve)).then(resolve, reject);
    });
  }

  /** Runs one write at a time: concurrent writes would take the same total time, and more memory. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastWritten.then(work);
    this.#lastWritten = turn.catch(() => undefined);
    return turn;
  }

  async #write(
    organisationId: string,
    caseId: string,
    onBegun: (text: TemporaryJson<Case>) => void,
  ): Promise<TemporaryJson<Case> | undefined> {
    const key = `${organisationId} ${caseId}`;
    return this.#source.withCase(organisationId, caseId, async (state, readPart) => {
      try {
        return await TemporaryJson.write<Case>(this.#folder, textOf(state, readPart), (begun) => {
          this.#small.delete(key);
          this.#large.set(key, { revision: state.revision, text: begun });
          onBegun(begun);
        });
      } catch (error) {
        this.#large.delete(key);
        throw error;
      } finally {
        this.#boundTemporaryBytes();
      }
    });
  }

  #boundTemporaryBytes(): void {
    const bytes = () => [...this.#large.values()].reduce((sum, { text }) => sum + text.byteLength, 0);
    while (this.#large.size > 1 && bytes() > maxTemporaryBytes) this.#large.pop();
  }
}

async function* textOf(
  state: CaseState & FilesOverview,
  readPart: (after?: FilePlace) => Promise<FilesPart>,
): AsyncGenerator<string> {
  const { before, after } = caseText(recordOf(state), state);
  let { files, last } = await readPart();
  yield before + (files ?? '');
  while (last !== null) {
    ({ files, last } = await readPart(last));
    if (files !== null) yield `,${files}`;
  }
  yield after;
}
