/**
 * Cases as the JSON text that the API sends. A text is kept together with the name of the state (the revision)
 * that it was read in, and is given again only if the store has just said that the case is still in that state. So no
 * change goes unseen, whichever process makes it.
 *
 * A case of few files is kept in memory. A large one is read part by part into a temporary file, so that the store's
 * snapshot lasts as long as the reading, not as long as the slowest client, and memory does not grow with the case.
 */
import { LRUCache } from 'lru-cache';
import { type Case, caseText, type FilesOverview } from '../domain/case.ts';
import { JsonInMemory, type JsonText } from './json-text.ts';
import {
  type CaseBeginning,
  type CaseSource,
  type CaseState,
  type FilePlace,
  filesOfBeginning,
  type PlacedFilesPart,
} from './case-source.ts';
import { TemporaryJson } from './temporary-json.ts';

const maxBytesInMemory = 32 * 1024 * 1024;
/** About what keeping a text costs beside the text. */
const bytesOfEntry = 512;
const maxTemporaryFiles = 8;
/** Of all kept temporary files together; one alone may be larger. */
const maxTemporaryBytes = 256 * 1024 * 1024;
const temporaryFileMilliseconds = 60_000;

/** The text of a case in one of its states. */
interface Kept<T> {
  readonly revision: string;
  readonly text: T;
}

export class CaseTexts {
  readonly #source: CaseSource;
  readonly #folder: string;
  readonly #small = new LRUCache<string, Kept<JsonInMemory<Case>>>({
    maxSize: maxBytesInMemory,
    sizeCalculation: ({ text }, key) => text.byteLength + key.length + bytesOfEntry,
  });
  readonly #large = new LRUCache<string, Kept<TemporaryJson<Case>>>({
    max: maxTemporaryFiles,
    ttl: temporaryFileMilliseconds,
    ttlAutopurge: true,
    dispose: ({ text }) => {
      text.release();
    },
  });
  readonly #writing = new Map<string, Promise<TemporaryJson<Case> | undefined>>();
  #lastWritten: Promise<unknown> = Promise.resolve();

  /** Large cases are written into this folder, which is made when it is needed. */
  constructor(source: CaseSource, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  /** Undefined if this organisation has no such case. */
  async find(organisationId: string, caseId: string): Promise<JsonText<Case> | undefined> {
    const key = `${organisationId} ${caseId}`;
    const small = this.#small.get(key);
    const large = small ? undefined : this.#large.get(key);
    const held = small ?? large;
    if (held) {
      const revision = await this.#source.findRevision(organisationId, caseId);
      if (revision === undefined) return undefined;
      if (revision === small?.revision) return small.text;
      const lent = revision === large?.revision ? large.text.lend() : undefined;
      if (lent) return lent;
    }
    const beginning = await this.#source.readBeginning(organisationId, caseId);
    if (!beginning) return undefined;
    if (beginning.beginning.total_files === filesOfBeginning)
      return this.#findLarge(organisationId, caseId, beginning.revision);
    const text = wholeText(beginning);
    this.#large.delete(key);
    this.#small.set(key, { revision: beginning.revision, text });
    return text;
  }

  /** Lets go of all texts; those that are being sent are sent to their end. */
  close(): void {
    this.#small.clear();
    this.#large.clear();
  }

  /** All that ask for a large case while it is being written wait for the same file; who comes later is given it too. */
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
    return written && (written.lend() ?? this.find(organisationId, caseId));
  }

  /** One after the other: several at once would take the same time together, and more memory. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastWritten.then(work);
    this.#lastWritten = turn.catch(() => undefined);
    return turn;
  }

  async #write(organisationId: string, caseId: string): Promise<TemporaryJson<Case> | undefined> {
    return this.#source.withCase(organisationId, caseId, async (state, readPart) => {
      const text = await TemporaryJson.write<Case>(this.#folder, textOf(state, readPart));
      const key = `${organisationId} ${caseId}`;
      this.#small.delete(key);
      this.#large.set(key, { revision: state.revision, text });
      this.#boundTemporaryBytes();
      return text;
    });
  }

  #boundTemporaryBytes(): void {
    const bytes = () => [...this.#large.values()].reduce((sum, { text }) => sum + text.byteLength, 0);
    while (this.#large.size > 1 && bytes() > maxTemporaryBytes) this.#large.pop();
  }
}

function wholeText({ record, beginning }: CaseBeginning): JsonInMemory<Case> {
  const { before, after } = caseText(record, [beginning]);
  return new JsonInMemory(`${before}${beginning.files ?? ''}${after}`);
}

async function* textOf(
  { record }: CaseState,
  readPart: (after?: FilePlace) => Promise<PlacedFilesPart>,
): AsyncGenerator<string> {
  yield caseText(record, []).before;
  const overviews: FilesOverview[] = [];
  for (let place: FilePlace | undefined; ;) {
    const { files, last, ...overview } = await readPart(place);
    if (files !== null && overviews.length > 0) yield ',';
    if (files !== null) yield files;
    overviews.push(overview);
    if (last === null) break;
    place = last;
  }
  yield caseText(record, overviews).after;
}
