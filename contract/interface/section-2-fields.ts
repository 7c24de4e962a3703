import type { Check, CheckContext, Need } from '../run/model.ts';
import { brokenFields, fileFields } from './case-fields.ts';
import { knownCases, needsOf, readKnownCase } from './cases.ts';
import { expectResponse, expectThat, isObject, objectOf, shown } from './expect.ts';
import { apiKey, bearer, readCase, readSetting, settingPath, unknownCaseId, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { heldSetting, save } from './setting.ts';
import type { RequestSpec } from '../run/model.ts';

const numbered = (section: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${section}-F${index + 1}`);

const caseChecks = knownCases.map((known) =>
  ruleCheck({
    id: `2.3-F1.fields-of-${known.id.replaceAll('_', '-')}`,
    title: `${known.id} is returned with every field of a case`,
    rules: [...numbered('2.3', 11), '3.2-S1', '3.4-S1', 'D8', 'D28', 'D29', 'D30'],
    needs: needsOf(known),
    run: async (context) => {
      await readKnownCase(context, known);
    },
  }),
);

const refusals: [name: string, status: number, needs: Need[], request: (context: CheckContext) => RequestSpec][] = [
  ['no-credential', 401, [], () => readSetting()],
  ['no-token', 401, [], () => readCase(unknownCaseId)],
  ['forbidden', 403, ['viewer_key'], (context) => readSetting(apiKey(context.credential('viewer_key')))],
  ['no-feature', 403, ['feature_off_key'], (context) => readSetting(apiKey(context.credential('feature_off_key')))],
  ['invalid-body', 400, ['owner_key'], (context) => updateSetting('{}', apiKey(context.credential('owner_key')))],
  ['no-case', 404, ['access_token'], (context) => readCase(unknownCaseId, bearer(context.credential('access_token')))],
  ['unknown-path', 404, [], () => ({ method: 'GET', path: '/no-such-path' })],
  ['unknown-method', 405, [], () => ({ method: 'DELETE', path: settingPath })],
];

const errorChecks = refusals.map(([name, status, needs, request]) =>
  ruleCheck({
    id: `2.5-F1.${name}`,
    title: `the ${status} of ${name.replaceAll('-', ' ')} carries the error object`,
    rules: ['2.5-F1', '2.5-F2', '2.5-F3', '7-E1', 'D9'],
    needs,
    run: async (context) => {
      const response = await context.call(request(context));
      expectResponse(response, name.replaceAll('-', ' '), status);
      const { error_code: code, error_message: message, error_details: details } = objectOf(response, name);
      expectThat(typeof code === 'string' && code !== '', 'a text in error_code', shown(code));
      expectThat(typeof message === 'string' && message !== '', 'a text in error_message', shown(message));
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
      await save(context, await heldSetting(context));
    },
  }),
  ...caseChecks,
  ruleCheck({
    id: '2.4-F1.fields-of-each-file',
    title: 'each file of case_id has every field of a file',
    rules: [...numbered('2.4', 7), '3.3-S1', 'D6', 'D7'],
    needs: ['case_id', 'access_token'],
    run: async (context) => {
      const { files } = await readKnownCase(context, { id: 'case_id', token: 'access_token' });
      expectThat(files.length > 0, 'files in case_id, to show what a file is', 'a case without files');
      const broken = files.flatMap((file, index) =>
        brokenFields(fileFields, file).map((fault) => `${index}: ${fault}`),
      );
      expectThat(broken.length === 0, 'the fields of section 2.4 in each file', `other than ${broken.join('; ')}`);
    },
  }),
  ...errorChecks,
];
