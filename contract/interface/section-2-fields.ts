import type { Check, CheckContext, Need } from '../run/model.ts';
import { brokenFields, fileFields } from './case-fields.ts';
import { knownCases, needsOf, readKnownCase } from './cases.ts';
import { expectRefused, expectResponse, expectThat, isObject, objectOf, shown } from './expect.ts';
import { apiKey, bearer, readCase, readSetting, settingPath, unknownCaseId, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting, save } from './setting.ts';
import type { RequestSpec } from '../run/model.ts';

const numbered = (section: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${section}-F${index + 1}`);

const caseChecks = knownCases.map((known) =>
  ruleCheck({
    id: `2.3-F1.fields-of-${known.id.replaceAll('_', '-')}`,
    title: `${known.id} is returned with every field of a case`,
    rules: [...numbered('2.3', 11), '3.2-S1', '3.4-S1'],
    needs: needsOf(known),
    run: async (context) => {
      const { files, total_files: total } = await readKnownCase(context, known);
      const counts = Number.isInteger(total) && Number(total) >= files.length;
      expectThat(counts, `a total_files of ${files.length}, the number of listed files`, shown(total));
    },
  }),
);

/** The interface document states the status of some refusals, and the error object of all. */
const refusals: [name: string, status: number | undefined, needs: Need[], (context: CheckContext) => RequestSpec][] = [
  ['no-credential', 401, [], () => readSetting()],
  ['no-token', undefined, [], () => readCase(unknownCaseId)],
  ['forbidden', 403, ['viewer_key'], (context) => readSetting(apiKey(context.credential('viewer_key')))],
  ['no-feature', 403, ['feature_off_key'], (context) => readSetting(apiKey(context.credential('feature_off_key')))],
  ['invalid-body', 400, ['owner_key'], (context) => updateSetting('{}', apiKey(context.credential('owner_key')))],
  [
    'no-case',
    undefined,
    ['access_token'],
    (context) => readCase(unknownCaseId, bearer(context.credential('access_token'))),
  ],
  ['unknown-path', undefined, [], () => ({ method: 'GET', path: '/no-such-path' })],
  ['unknown-method', undefined, [], () => ({ method: 'DELETE', path: settingPath })],
];

const errorChecks = refusals.map(([name, status, needs, request]) =>
  ruleCheck({
    id: `2.5-F1.${name}`,
    title: `the refusal of ${name.replaceAll('-', ' ')} contains the error object`,
    rules: ['2.5-F1', '2.5-F2', '2.5-F3', '7-E1'],
    needs,
    ...(/^no-(credential|token)$/.test(name) && { failsToAuthenticate: 'once' as const }),
    run: async (context) => {
      const response = await context.call(request(context));
      if (status === undefined) expectRefused(response, name.replaceAll('-', ' '));
      else expectResponse(response, name.replaceAll('-', ' '), status);
      const { error_code: code, error_message: message, error_details: details } = objectOf(response, name);
      expectThat(typeof code === 'string' && code !== '', 'a string in error_code', shown(code));
      expectThat(typeof message === 'string' && message !== '', 'a string in error_message', shown(message));
      expectThat(details === undefined || isObject(details), 'an object in error_details, if any', shown(details));
    },
  }),
);

export const fieldChecks: readonly Check[] = [
  ruleCheck({
    id: '2.1-F1.read-and-saved',
    title: 'enabled is a boolean in the response to a read and to an update',
    rules: ['2.1-F1', '2.2-F1', '4.1-O1', '4.2-O1'],
    needs: ['owner_key'],
    run: async (context) => {
      await save(context, await savedSetting(context));
    },
  }),
  ...caseChecks,
  ruleCheck({
    id: '2.4-F1.fields-of-each-file',
    title: 'the fields of each file of case_id have the documented types',
    rules: [...numbered('2.4', 7), '3.3-S1'],
    needs: ['case_id', 'access_token'],
    run: async (context) => {
      const { files } = await readKnownCase(context, { id: 'case_id', token: 'access_token' });
      expectThat(files.length > 0, 'at least one file in case_id', 'a case without files');
      const broken = files.flatMap((file, index) =>
        brokenFields(fileFields, file, true).map((fault) => `${index}: ${fault}`),
      );
      expectThat(broken.length === 0, 'the fields of section 2.4 in each file', broken.join('; '));
    },
  }),
  ruleCheck({
    id: 'D7.fields-of-each-file',
    title: 'each file of case_id has all of its fields',
    rules: ['D6', 'D7'],
    needs: ['case_id', 'access_token'],
    run: async (context) => {
      const { files } = await readKnownCase(context, { id: 'case_id', token: 'access_token' });
      const absent = files.flatMap((file) => Object.keys(fileFields).filter((name) => !(name in file)));
      expectThat(files.length > 0 && absent.length === 0, 'every field in each file', `none of ${absent.join(', ')}`);
    },
  }),
  ruleCheck({
    id: 'D30.sizes-in-a-case',
    title: 'labels have at most 255 characters, and metadata has at most 64 KiB',
    rules: ['D30'],
    needs: ['case_id', 'access_token'],
    run: async (context) => {
      const read = await readKnownCase(context, { id: 'case_id', token: 'access_token' });
      const labels = [read, ...read.files].map(({ label }) => Array.from(String(label)).length);
      expectThat(Math.max(...labels) <= 255, 'labels of at most 255 characters', `one of ${Math.max(...labels)}`);
      const size = Buffer.byteLength(JSON.stringify(read['metadata']));
      expectThat(size <= 65_536, 'metadata of at most 64 KiB', `${size} bytes`);
    },
  }),
  ...errorChecks,
];
