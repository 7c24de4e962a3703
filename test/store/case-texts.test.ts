import { createWriteStream } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, test } from '@jest/globals';
import { type Case, describeCase, type StoredCase } from '../../src/domain/case.ts';
import { type CaseSource, filesOfBeginning, filesOfPart } from '../../src/store/case-texts/case-source.ts';
import { CaseTexts } from '../../src/store/case-texts/case-texts.ts';
import { writeTemporaryJson } from '../../src/store/case-texts/json-text.ts';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { afterwards } from '../support/afterwards.ts';
import { collect, describeEngines, readText } from '../support/store-engines.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { addCase, addOrganisation, buildCase } from '../support/tenants.ts';

const ownFolder = await makeTemporaryFolder();

/** A source whose calls are counted, and that does something before it gives a further part of a case. */
function counted(source: CaseSource, beforeNextPart: () => Promise<void> = () => Promise.resolve()) {
  const calls = { findRevision: 0, readBeginning: 0, withCase: 0 };
  const counting: CaseSource = {
    findRevision: (...id) => ((calls.findRevision += 1), source.findRevision(...id)),
    readBeginning: (...id) => ((calls.readBeginning += 1), source.readBeginning(...id)),
    withCase: (organisationId, caseId, work) => (
      (calls.withCase += 1),
      source.withCase(organisationId, caseId, (state, readPart) =>
        work(state, async (after) => {
          if (after !== undefined) await beforeNextPart();
          return readPart(after);
        }),
      )
    ),
  };
  return { calls, counting };
}

/** A case of many files, some of them uploaded at the same time. */
function largeCase(files: number): StoredCase {
  const large = buildCase(Array<string>(files).fill('analysis_complete'));
  large.files.forEach((file, index) => {
    file.uploaded_at = new Date(Date.UTC(2026, 2, 2) + Math.floor(index / 3) * 1000).toISOString();
    file.analysis_completed_at = file.uploaded_at;
  });
  large.files.sort(({ uploaded_at: a, file_id: c }, { uploaded_at: b, file_id: d }) => (a + c < b + d ? -1 : 1));
  return large;
}

describeEngines('the text of a case', (engine) => {
  let owner: string;
  beforeEach(async () => {
    owner = await addOrganisation(engine.store);
  });
  const textsOf = (source: CaseSource, folder = engine.folder) => {
    const texts = new CaseTexts(source, folder);
    afterwards(texts.close.bind(texts));
    return texts;
  };
  const countedTexts = (beforeNextPart?: () => Promise<void>) => {
    const { calls, counting } = counted(engine.source, beforeNextPart);
    return { calls, texts: textsOf(counting) };
  };
  const addLarge = async (files = filesOfBeginning) => {
    const added = largeCase(files);
    return { caseId: await addCase(engine.store, owner, added), described: describeCase(added) };
  };
  const parsed = async (texts: CaseTexts, caseId: string) =>
    JSON.parse(String(await readText(await texts.findCaseText(owner, caseId)))) as Case;

  test.each([
    0,
    1,
    60,
    ...[-1, 0, 1, filesOfPart - 1, filesOfPart, 2 * filesOfPart + 1].map((more) => filesOfBeginning + more),
  ])('is whole and in order with %i files, and as long as it says', async (files) => {
    const { caseId, described } = await addLarge(files);
    const texts = textsOf(engine.source);
    for (let time = 0; time < 2; time += 1) {
      const found = await texts.findCaseText(owner, caseId);
      const text = String(await readText(found));
      expect(text).toBe(JSON.stringify(described));
      expect(found?.byteLength).toBe(Buffer.byteLength(text));
    }
  });

  test('is not read again while the case is as it was', async () => {
    const caseId = await addCase(engine.store, owner, buildCase(['analysing']));
    const { caseId: largeId } = await addLarge();
    const { calls, texts } = countedTexts();
    for (const id of [caseId, caseId, caseId, largeId, largeId, largeId]) await parsed(texts, id);
    expect(calls).toEqual({ findRevision: 4, readBeginning: 2, withCase: 1 });
  });

  test('of a large case is of one moment, though it changes while it is read, and is not given after that', async () => {
    const { caseId } = await addLarge(filesOfBeginning + filesOfPart + 1);
    const { texts } = countedTexts(() =>
      engine.beside(`UPDATE case_file SET analysis_status = 'analysing' WHERE case_id = '${caseId}'`),
    );
    const statuses = async () => {
      const { files, file_analysis_status: status } = await parsed(texts, caseId);
      return [...new Set(files.map((file) => file.analysis_status)), status];
    };
    expect(await statuses()).toEqual(['analysis_complete', 'file_analysis_complete']);
    expect(await statuses()).toEqual(['analysing', 'waiting_for_file_analysis']);
  });

  test('of a large case is written once for all who ask for it meanwhile', async () => {
    const { caseId, described } = await addLarge(filesOfBeginning + 1);
    const { calls, texts } = countedTexts();
    const read = await Promise.all(Array.from({ length: 5 }, () => parsed(texts, caseId)));
    for (const each of read) expect(each).toEqual(described);
    expect(calls.withCase).toBe(1);
  });

  test('of a large case that cannot be read to its end is not sent, and is read anew for who asks again', async () => {
    const { caseId, described } = await addLarge();
    let fails = true;
    const { texts } = countedTexts(() => (fails ? Promise.reject(new Error('the source failed')) : Promise.resolve()));
    await expect(texts.findCaseText(owner, caseId)).rejects.toThrow('the source failed');
    fails = false;
    expect(await parsed(texts, caseId)).toEqual(described);
  });

  test('of a large case is not written again for who asked before it was written and hears of its state after that', async () => {
    const { caseId, described } = await addLarge();
    const { calls, counting } = counted(engine.source);
    let hear = (): void => undefined;
    const hears = new Promise<void>((resolve) => (hear = resolve));
    let asked = 0;
    const texts = textsOf({
      ...counting,
      readBeginning: async (...id) => {
        asked += 1;
        if (asked === 2) await hears;
        return counting.readBeginning(...id);
      },
    });
    const both = [parsed(texts, caseId), parsed(texts, caseId)];
    expect(await both[0]).toEqual(described);
    hear();
    expect(await both[1]).toEqual(described);
    expect(calls.withCase).toBe(1);
  });

  test('follows a case that becomes large, and that becomes small again', async () => {
    const small = buildCase(['analysing']);
    const caseId = await addCase(engine.store, owner, small);
    const { caseId: otherId } = await addLarge();
    const texts = textsOf(engine.source);
    const total = async () => (await parsed(texts, caseId)).files.length;
    expect(await total()).toBe(1);
    await engine.beside(`UPDATE case_file SET case_id = '${caseId}' WHERE case_id = '${otherId}'`);
    expect(await total()).toBe(filesOfBeginning + 1);
    await engine.beside(`DELETE FROM case_file WHERE case_id = '${caseId}' AND analysis_status = 'analysis_complete'`);
    expect(await total()).toBe(1);
  });

  test('of a large case leaves no name in the folder, also while a client reads it', async () => {
    const { caseId } = await addLarge(filesOfBeginning + filesOfPart);
    const before = await readdir(engine.folder);
    const slow = new PassThrough();
    const sent = (await textsOf(engine.source).findCaseText(owner, caseId))?.sendTo(slow);
    expect(await readdir(engine.folder)).toEqual(before);
    slow.destroy();
    await sent;
  });

  test('of a large case is unavailable while its file cannot be written, and available again after that', async () => {
    const { caseId, described } = await addLarge();
    const folder = join(engine.folder, 'a file');
    await writeFile(folder, '');
    const texts = textsOf(engine.source, folder);
    const smallId = await addCase(engine.store, owner);
    await expect(texts.findCaseText(owner, caseId)).rejects.toThrow(StoreUnavailableError);
    expect(await parsed(texts, smallId)).toMatchObject({ total_files: 0 });
    await rm(folder);
    expect(await parsed(texts, caseId)).toEqual(described);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('of a large case is unknown when it is removed before it is read', async () => {
    const { caseId } = await addLarge();
    const removing: CaseSource = {
      ...engine.source,
      readBeginning: async (...id) => {
        const beginning = await engine.source.readBeginning(...id);
        await engine.beside(`DELETE FROM case_file WHERE case_id = '${caseId}'`);
        await engine.beside(`DELETE FROM case_record WHERE case_id = '${caseId}'`);
        return beginning;
      },
    };
    expect(await textsOf(removing).findCaseText(owner, caseId)).toBeUndefined();
  });
});

test('of large cases no more than 256 MiB are kept, but for the one that was read last', async () => {
  const state = { ...buildCase([]), metadata: '{}', revision: '1' };
  const overview = { total_files: filesOfBeginning, ended_files: 0, last_completed_at: null };
  // Written in parts, as each case is: a call of the file system has a bound of time, which a large write on a busy disk exceeds.
  const partsOfHalf = 64;
  const halves: Record<string, string> = {
    half: 'x'.repeat(2 ** 27 / partsOfHalf),
    other: 'y'.repeat(2 ** 27 / partsOfHalf),
  };
  const { calls, counting } = counted({
    findRevision: () => Promise.resolve('1'),
    readBeginning: () => Promise.resolve({ ...state, files: '', ...overview }),
    withCase: (_organisationId, caseId, work) => {
      let left = caseId === 'small' ? 1 : partsOfHalf;
      return work(state, () => {
        left -= 1;
        return Promise.resolve({ ...overview, files: halves[caseId] ?? '1', last: left === 0 ? null : ' ' });
      });
    },
  });
  const texts = new CaseTexts(counting, ownFolder);
  const writtenFor = async (caseId: string) => {
    const before = calls.withCase;
    await (await texts.findCaseText('owner', caseId))?.sendTo(createWriteStream('/dev/null'));
    await nextTurn();
    return calls.withCase - before;
  };
  try {
    for (const caseId of ['small', 'half'])
      expect([await writtenFor(caseId), await writtenFor(caseId)]).toEqual([1, 0]);
    expect(await writtenFor('small')).toBe(0);
    expect(await writtenFor('other')).toBe(1);
    expect([await writtenFor('other'), await writtenFor('small'), await writtenFor('half')]).toEqual([0, 0, 1]);
  } finally {
    texts.close();
  }
});

const content = `["${'ß'.repeat(200_000)}"]`;
const write = () =>
  writeTemporaryJson<string[]>(ownFolder, async (append) => {
    await append(content.slice(2, -2));
    return { before: '["', after: '"]' };
  });

test('a temporary file of JSON text is there for a client that began to read it before it was released, and for no other', async () => {
  const json = await write();
  const { destination, taken } = collect();
  const sent = json.lend()?.sendTo(destination);
  json.release();
  await sent;
  expect(taken()).toBe(content);
  expect(json.lend()).toBeUndefined();
});

test.each([
  [
    'goes before all was sent',
    (destination: PassThrough) => void destination.once('data', () => destination.destroy()),
  ],
  ['had gone already', (destination: PassThrough) => void destination.destroy()],
])(
  'a temporary file of JSON text is let go by a client that %s, which is no error, or that asks for its length alone',
  async (_name, leave) => {
    const json = await write();
    const destination = new PassThrough();
    leave(destination);
    await json.lend()?.sendTo(destination);
    json.lend()?.discard();
    json.release();
    expect(json.lend()).toBeUndefined();
  },
);
