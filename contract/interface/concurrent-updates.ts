import type { Check, CheckContext, HttpResponse } from '../run/model.ts';
import { entriesOf } from './audit.ts';
import { knownCases, needsOf } from './cases.ts';
import { expectResponse, expectThat, objectOf, shown } from './expect.ts';
import { bearer, readCase } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { SettingHistory } from './setting-history.ts';
import { save, savedSetting } from './setting.ts';

const readers = ['owner_key', 'member_key'] as const;
const rounds = 6;

/** Bounds the readings, so that they do not use up their limit while an update waits for its own. */
const mostReadings = 30;

/** Concurrent updates and readings: sections 3.1, 4.1, 4.2 and 4.3. */
export const concurrentUpdateChecks: readonly Check[] = [
  ruleCheck({
    id: '4.1-O1.while-updating',
    title: 'reads during updates return 200 with the last saved value or one that is being saved',
    rules: ['4.1-O1', '3.1-S1', '3.1-S2'],
    needs: [...readers],
    run: async (context) => {
      const history = new SettingHistory();
      await recorded(context, history, false);
      await whileUpdating(
        async () => {
          for (let round = 0; round < rounds; round += 1) await recorded(context, history, round % 2 === 0);
        },
        readers.map((name) => async () => {
          const sentAt = performance.now();
          const came = await savedSetting(context, name);
          const isReadable = history.readable(came, sentAt, performance.now());
          expectThat(isReadable, `enabled ${!came} for ${name}, the last saved value`, String(came));
        }),
      );
    },
  }),
  ...[true, false].map((enabled) =>
    ruleCheck({
      id: `3.1-S3.while-saved-again-${enabled ? 'on' : 'off'}`,
      title: `while updates repeatedly save ${enabled}, each read returns ${enabled}`,
      rules: ['3.1-S3', '4.1-O1'],
      needs: [...readers],
      run: async (context) => {
        await save(context, enabled);
        await whileUpdating(
          async () => {
            for (let round = 0; round < rounds; round += 1) await save(context, enabled);
          },
          readers.map((name) => async () => {
            const came = await savedSetting(context, name);
            expectThat(came === enabled, `${enabled} for ${name}, the only value that was saved`, String(came));
          }),
        );
      },
    }),
  ),
  ruleCheck({
    id: '4.2-O1.at-once',
    title: 'concurrent updates to both values return 200 with their own value, and one of them is saved',
    rules: ['4.2-O1', '4.1-O1'],
    needs: [...readers],
    run: async (context) => {
      for (let round = 0; round < rounds / 2; round += 1) {
        await Promise.all([true, false].map((enabled) => save(context, enabled)));
        const came = await savedSetting(context);
        for (const name of readers) {
          const again = await savedSetting(context, name);
          expectThat(again === came, `${name} to read ${came} again without an update in between`, String(again));
        }
      }
    },
  }),
  ...[true, false].map((enabled) =>
    ruleCheck({
      id: `${enabled ? '3.1-S1' : '3.1-S2'}.at-once`,
      title: `concurrent updates to ${enabled} save ${enabled}`,
      rules: [enabled ? '3.1-S1' : '3.1-S2', '4.2-O1'],
      needs: [...readers],
      run: async (context) => {
        for (let round = 0; round < rounds / 2; round += 1) {
          await save(context, !enabled);
          await Promise.all([0, 1, 2].map(() => save(context, enabled)));
          for (const name of readers) {
            const came = await savedSetting(context, name);
            expectThat(came === enabled, `${enabled} for ${name} after updates to ${enabled} only`, String(came));
          }
        }
      },
    }),
  ),
  ruleCheck({
    id: '4.2-R5.at-once',
    title: 'two concurrent updates write one audit entry each, and the setting has the value of the last entry',
    rules: ['4.2-R5', '6-E1'],
    needs: ['operator', ...readers],
    run: async (context) => {
      for (let round = 0; round < rounds / 3; round += 1) {
        const updates = () => Promise.all([true, false].map((enabled) => save(context, enabled)));
        const entries = await entriesOf(context, updates);
        const values = entries.map(({ after }) => after.enabled);
        expectThat(
          values.length === 2 && values.includes(true) && values.includes(false),
          'an audit entry for true and one for false',
          shown(values),
        );
        const came = await savedSetting(context);
        expectThat(came === values.at(-1), `${values.at(-1)}, the value of the last entry`, String(came));
      }
    },
  }),
  ...knownCases.map((known) =>
    ruleCheck({
      id: `4.3-O1.${known.id.replaceAll('_', '-')}-while-updating`,
      title: `reads of ${known.id} during updates of the setting return 200 with that case`,
      rules: ['4.3-O1', '3.1-S7'],
      needs: ['owner_key', ...needsOf(known)],
      run: async (context) => {
        const request = readCase(context.credential(known.id), bearer(context.credential(known.token)));
        const read = async () => identityOf(await context.call(request), known.id);
        const before = await read();
        await whileUpdating(
          async () => {
            for (let round = 0; round < rounds / 2; round += 1) await save(context, round % 2 === 0);
          },
          [0, 1].map(() => async () => {
            const now = await read();
            expectThat(now === before, `${known.id} as before the updates: ${before}`, now);
          }),
        );
      },
    }),
  ),
];

/** The parts of a case that never change, even while its files are analysed. */
function identityOf(response: HttpResponse, name: string): string {
  expectResponse(response, `${name} while the setting is updated`, 200);
  const { case_id: id, created_at: createdAt, total_files: total, files } = objectOf(response, name);
  const fileIds = Array.isArray(files) ? files.map((file: { file_id?: unknown }) => file.file_id) : files;
  return JSON.stringify({ case_id: id, created_at: createdAt, total_files: total, files: fileIds });
}

async function recorded(context: CheckContext, history: SettingHistory, enabled: boolean): Promise<void> {
  const update = history.updating(enabled, performance.now());
  await save(context, enabled);
  update.end('saved', performance.now());
}

/** Runs the readers repeatedly until the updates are done; fails with the first failure of any. */
async function whileUpdating(updates: () => Promise<void>, read: readonly (() => Promise<void>)[]): Promise<void> {
  let isUpdating = true;
  const updating = updates().finally(() => {
    isUpdating = false;
  });
  const reading = read.map(async (each) => {
    for (let readings = 0; isUpdating && readings < mostReadings; readings += 1) await each();
    // The readings after the updates are checked too.
    await updating;
    await each();
  });
  const results = await Promise.allSettled([updating, ...reading]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
