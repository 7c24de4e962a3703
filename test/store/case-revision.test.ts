import { beforeEach, expect, test } from '@jest/globals';
import { describeCase } from '../../src/domain/case.ts';
import { describeEngines, readText, type StoreEngine } from '../support/store-engines.ts';
import { addCase, addOrganisation, buildCase } from '../support/tenants.ts';
import { at, expectedFile, later, newFile } from './conformance/fixtures.ts';

interface Cases {
  engine: StoreEngine;
  owner: string;
  caseId: string;
  otherId: string;
  fileId: string;
}

const file = (fileId: string) => ({ ...newFile('new', later), file_id: fileId });
const newId = 'c0000000-0000-4000-8000-000000000000';

/** What another program may do meanwhile. */
const statements: [string, (cases: Cases) => string][] = [
  ["a file's state", ({ fileId }) => `UPDATE case_file SET analysis_status = 'analysing' WHERE file_id = '${fileId}'`],
  [
    'a file that is added',
    ({ caseId }) =>
      `INSERT INTO case_file VALUES ('${caseId}', '${later}', '${newId}', 'a', 'b', 'c', 'analysing', NULL)`,
  ],
  ['a file that is removed', ({ fileId }) => `DELETE FROM case_file WHERE file_id = '${fileId}'`],
  ['a file that leaves', (ids) => `UPDATE case_file SET case_id = '${ids.otherId}' WHERE file_id = '${ids.fileId}'`],
  ['a file that comes', (ids) => `UPDATE case_file SET case_id = '${ids.caseId}' WHERE case_id = '${ids.otherId}'`],
  ['a label', ({ caseId }) => `UPDATE case_record SET label = 'other' WHERE case_id = '${caseId}'`],
];

async function remove({ engine, caseId }: Pick<Cases, 'engine' | 'caseId'>): Promise<void> {
  for (const table of ['case_file', 'case_record'])
    await engine.beside(`DELETE FROM ${table} WHERE case_id = '${caseId}'`);
}

type Change = [string, (cases: Cases) => Promise<unknown>];

/** Every way in which a case that has been read can change. */
const changes: Change[] = [
  ['a lock', ({ engine, caseId }) => engine.store.lockCase(caseId, at)],
  [
    'an unlock',
    async ({ engine, caseId, owner }) => {
      await engine.store.lockCase(caseId, at);
      await readText(await engine.store.findCaseText(owner, caseId));
      await engine.store.unlockCase(caseId, later);
    },
  ],
  ['an added file', ({ engine, caseId }) => engine.store.addFiles({ caseId, files: [file(newId)], at: later })],
  [
    'an expected file',
    ({ engine, caseId }) => engine.store.expectFile({ caseId, file: expectedFile(file(newId)), at: later }),
  ],
  [
    'the upload of an expected file',
    async ({ engine, caseId, owner }) => {
      await engine.store.expectFile({ caseId, file: { ...expectedFile(file(newId)), uploaded_at: at }, at });
      await readText(await engine.store.findCaseText(owner, caseId));
      await engine.store.addFiles({ caseId, files: [file(newId)], at, awaited: true });
    },
  ],
  ...statements.map(([name, sql]): Change => [name, (cases) => cases.engine.beside(sql(cases))]),
  [
    'a case that is removed and made anew',
    async ({ engine, caseId, owner }) => {
      await remove({ engine, caseId });
      await addCase(engine.store, owner, buildCase([], { case_id: caseId, label: 'made anew' }));
    },
  ],
];

describeEngines('the text of a case that has been read before shows', (engine) => {
  let cases: Cases;
  beforeEach(async () => {
    const owner = await addOrganisation(engine.store);
    const added = buildCase(['analysis_complete', 'analysis_complete']);
    const caseId = await addCase(engine.store, owner, added);
    const otherId = await addCase(engine.store, owner, buildCase(['analysis_failed']));
    cases = { engine, owner, caseId, otherId, fileId: String(added.files[1]?.file_id) };
  });

  const read = async (caseId: string) => {
    const found = await readText(await cases.engine.store.findCaseText(cases.owner, caseId));
    return found === undefined ? undefined : (JSON.parse(found) as unknown);
  };
  const stored = async (caseId: string) => {
    const found = await cases.engine.store.findCase(cases.owner, caseId);
    return found && describeCase(found);
  };

  test.each(changes)('%s', async (_name, change) => {
    const { caseId, otherId } = cases;
    const before = [await read(caseId), await read(otherId)];
    expect(before).toEqual([await stored(caseId), await stored(otherId)]);
    await change(cases);
    const after = [await read(caseId), await read(otherId)];
    expect(after).toEqual([await stored(caseId), await stored(otherId)]);
    expect(after).not.toEqual(before);
  });

  test('that the case belongs to another organisation, which alone is shown it, or to none any more', async () => {
    const { engine, caseId, owner } = cases;
    await read(caseId);
    const other = await addOrganisation(engine.store);
    const ofOther = async () => (await engine.store.findCaseText(other, caseId)) !== undefined;
    const give = (to: string) =>
      engine.beside(`UPDATE case_record SET organisation_id = '${to}' WHERE case_id = '${caseId}'`);
    expect([await ofOther(), await ofOther()]).toEqual([false, false]);
    await give(other);
    expect([await ofOther(), await read(caseId)]).toEqual([true, undefined]);
    await give(owner);
    expect([await ofOther(), await read(caseId)]).toEqual([false, await stored(caseId)]);
    await remove(cases);
    expect(await read(caseId)).toBeUndefined();
  });
});
