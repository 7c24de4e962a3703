/**
 * A cache of cases as the JSON text that the API sends. A text is reused only if the store has just confirmed that the
 * case still has its revision. So no change is missed, whichever process makes it.
 *
 * Small cases are kept in memory. Large ones are read part by part into a temporary file, so that the store's snapshot
 * lasts no longer than the read, however slow a client is, and memory does not grow with the case.
 */
import { LRUCache } from 'lru-cache';
import { type Case, caseText, type FileSummary, noFiles, withFiles } from '../../domain/case.ts';
import type { OperationStore } from '../store.ts';
import { type CaseSource, type FilePlace, filesOfBeginning, type FilesPart, recordOf } from './case-source.ts';
import { jsonInMemory, type JsonText, type TemporaryJson, writeTemporaryJson } from './json-text.ts';

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
  readonly #small = new LRUCache<string, Kept<JsonText<Case>>>({
    maxSize: maxBytesInMemory,
    sizeCalculation: ({ text }, key) => text.byteLength + key.length + bytesOfCacheEntry,
  });
  readonly #large = new LRUCache<string, Kept<TemporaryJson<Case>>>({
    max: maxTemporaryFiles,
    maxSize: maxTemporaryBytes,
    sizeCalculation: ({ text }) => Math.min(text.byteLength, maxTemporaryBytes),
    ttl: temporaryFileMilliseconds,
    ttlAutopurge: true,
    dispose: ({ text }) => {
      text.release();
    },
  });
  readonly #writing = new Map<string, Promise<TemporaryJson<Case> | undefined>>();
  #lastRead: Promise<unknown> = Promise.resolve();

  /** @param folder where large cases are written; it is created on demand */
  constructor(source: CaseSource, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  /** Undefined if this organisation has no such case. A revision that was read with the credential is not read again. */
  readonly findCaseText: OperationStore['findCaseText'] = async (organisationId, caseId, prefetched) => {
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
    const text = jsonInMemory<Case>(`${before}${beginning.files ?? ''}${after}`);
    this.#large.delete(key);
    this.#small.set(key, { revision: beginning.revision, text });
    return text;
  };

  readonly findCase: OperationStore['findCase'] = (organisationId, caseId) =>
    this.#inTurn(() =>
      this.#source.withCase(organisationId, caseId, async (state, readPart) => {
        const files: FileSummary[] = [];
        for await (const part of partsOf(readPart))
          files.push(...(JSON.parse(`[${part.files ?? ''}]`) as FileSummary[]));
        return { ...recordOf(state), files };
      }),
    );

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
    let writing = this.#writing.get(place);
    if (!writing) {
      writing = this.#inTurn(() => this.#write(organisationId, caseId)).finally(() => this.#writing.delete(place));
      this.#writing.set(place, writing);
    }
    const written = await writing;
    return written && (written.lend() ?? this.findCaseText(organisationId, caseId));
  }

  /** Runs one read of a large case at a time: concurrent ones would take the same total time, and more memory. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastRead.then(work);
    this.#lastRead = turn.catch(() => undefined);
    return turn;
  }

  #write(organisationId: string, caseId: string): Promise<TemporaryJson<Case> | undefined> {
    const key = `${organisationId} ${caseId}`;
    return this.#source.withCase(organisationId, caseId, async (state, readPart) => {
      const text = await writeTemporaryJson<Case>(this.#folder, async (append) => {
        let overview = noFiles;
        for await (const part of partsOf(readPart)) {
          if (part.files !== null) await append(overview.total_files === 0 ? part.files : `,${part.files}`);
          overview = withFiles(overview, part);
        }
        return caseText(recordOf(state), overview);
      });
      this.#small.delete(key);
      this.#large.set(key, { revision: state.revision, text });
      return text;
    });
  }
}

async function* partsOf(readPart: (after?: FilePlace) => Promise<FilesPart>): AsyncGenerator<FilesPart> {
  for (let last: FilePlace | null | undefined; last !== null;) {
    const part = await readPart(last);
    yield part;
    ({ last } = part);
  }
}
