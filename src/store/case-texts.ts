/**
 * Cases as the JSON text that the API sends. A text is kept together with the name of the state (the revision)
 * that it was read in, and is given again only if the store has just said that the case is still in that state. So no
 * change goes unseen, whichever process makes it.
 *
 * A case of few files is kept in memory. A large one is read part by part into a temporary file, so that the store's
 * snapshot lasts as long as the reading, not as long as the slowest client, and memory does not grow with the case. It is
 * given when its first part is written: who sends it follows the writing.
 */
import { LRUCache } from 'lru-cache';
import { type Case, caseText, type FilesOverview } from '../domain/case.ts';
import type { ReadAlong } from '../domain/principal.ts';
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
  readonly #beginning = new Map<string, Promise<TemporaryJson<Case> | undefined>>();
  #lastWritten: Promise<unknown> = Promise.resolve();

  /** Large cases are written into this folder, which is made when it is needed. */
  constructor(source: CaseSource, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  /** Undefined if this organisation has no such case. The state that was read along with a credential is not asked for again. */
  async find(organisationId: string, caseId: string, readAlong?: ReadAlong): Promise<JsonText<Case> | undefined> {
    const known =
      readAlong?.organisationId === organisationId && readAlong.case?.id === caseId
        ? readAlong.case.revision
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
      // It is large still: to read its first files to find that out would hold up other requests for milliseconds.
      if (large) return this.#findLarge(organisationId, caseId, revision);
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

  /** All that ask for a large case before its file is begun wait for the same one; who comes later is given it too. */
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

  /** Resolves when the writing of a large case has begun, in its turn; to undefined if there is no such case. */
  #begin(organisationId: string, caseId: string): Promise<TemporaryJson<Case> | undefined> {
    return new Promise((resolve, reject) => {
      this.#inTurn(() => this.#write(organisationId, caseId, resolve)).then(resolve, reject);
    });
  }

  /** One after the other: several at once would take the same time together, and more memory. */
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
    return this.#source.withCase(organisationId, caseId, async ({ revision, ...state }, readPart) => {
      try {
        return await TemporaryJson.write<Case>(this.#folder, textOf(state, readPart), (begun) => {
          this.#small.delete(key);
          this.#large.set(key, { revision, text: begun });
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

function wholeText({ record, beginning }: CaseBeginning): JsonInMemory<Case> {
  const { before, after } = caseText(record, [beginning]);
  return new JsonInMemory(`${before}${beginning.files ?? ''}${after}`);
}

async function* textOf(
  { record }: Pick<CaseState, 'record'>,
  readPart: (after?: FilePlace) => Promise<PlacedFilesPart>,
): AsyncGenerator<string> {
  let before = caseText(record, []).before;
  const overviews: FilesOverview[] = [];
  for (let place: FilePlace | undefined; ;) {
    const { files, last, ...overview } = await readPart(place);
    if (files !== null || place === undefined) yield before + (files ?? '');
    before = ',';
    overviews.push(overview);
    if (last === null) break;
    place = last;
  }
  yield caseText(record, overviews).after;
}
