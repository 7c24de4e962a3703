import type { Check } from '../run/model.ts';
import { expectResponse, expectThat, objectOf } from './expect.ts';
import { apiKey, enabledBody, type Header, jsonType, settingPath, updateSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting, leavingSettingAlone, save } from './setting.ts';

const limitBytes = 16 * 1024;

const acceptedTypes: [name: string, spelling: string][] = [
  ['charset', 'application/json; charset=utf-8'],
  ['quoted-charset', 'application/json; charset="UTF-8"'],
  ['capitals', 'Application/JSON'],
  ['other-parameters', 'application/json;profile=x;a=b'],
];

const type = (value: string): Header => ['Content-Type', value];

const refusedTypes: [name: string, headers: Header[]][] = [
  ['text', [type('text/plain')]],
  ['form', [type('application/x-www-form-urlencoded')]],
  ['multipart', [type('multipart/form-data; boundary=x')]],
  ['other-json', [type('application/vnd.api+json')]],
  ['json-patch', [type('application/json-patch+json')]],
  ['utf-16', [type('application/json; charset=utf-16')]],
  ['latin-1', [type('application/json; charset=iso-8859-1')]],
  ['no-type', []],
  ['gzip', [jsonType, ['Content-Encoding', 'gzip']]],
];

const padded = (enabled: boolean, length: number) => enabledBody(enabled).padStart(length);

/** Decisions D13 and D14. */
export const bodyChecks: readonly Check[] = [
  ...acceptedTypes.map(([name, spelling]) =>
    ruleCheck({
      id: `D13.accepts-${name}`,
      title: `a body of the type ${spelling} is accepted`,
      rules: ['D13'],
      needs: ['owner_key'],
      run: async (context) => {
        const saved = await savedSetting(context);
        const headers = [apiKey(context.credential('owner_key')), type(spelling)];
        const body = enabledBody(!saved);
        const response = await context.call({ method: 'PUT', path: settingPath, headers, body });
        expectResponse(response, `an update of the type ${spelling}`, 200);
        const { enabled } = objectOf(response, spelling);
        expectThat(enabled === !saved, `the saved value ${!saved}`, String(enabled));
      },
    }),
  ),
  ...refusedTypes.map(([name, headers]) =>
    ruleCheck({
      id: `D13.refuses-${name}`,
      title: `a body of another type (${name}) gets 415 and changes nothing`,
      rules: ['D13', 'D9'],
      needs: ['owner_key'],
      run: (context) =>
        leavingSettingAlone(context, async (saved) => {
          const response = await context.call({
            method: 'PUT',
            path: settingPath,
            headers: [apiKey(context.credential('owner_key')), ...headers],
            body: enabledBody(!saved),
          });
          expectResponse(response, `an update with a body of ${name}`, 415, 'request.media-type.unsupported');
        }),
    }),
  ),
  ruleCheck({
    id: 'D14.largest-body',
    title: 'a body of 16 KiB is accepted',
    rules: ['D14'],
    needs: ['owner_key'],
    run: async (context) => {
      const saved = await savedSetting(context);
      const key = apiKey(context.credential('owner_key'));
      expectResponse(await context.call(updateSetting(padded(saved, limitBytes), key)), 'a body of 16 KiB', 200);
    },
  }),
  ...[limitBytes + 1, 200_000].map((length) =>
    ruleCheck({
      id: `D14.body-of-${length}`,
      title: `a body of ${length} bytes gets 413 and changes nothing, and the next request succeeds`,
      rules: ['D14', 'D9'],
      needs: ['owner_key'],
      run: async (context) => {
        await leavingSettingAlone(context, async (saved) => {
          const key = apiKey(context.credential('owner_key'));
          const response = await context.call(updateSetting(padded(!saved, length), key));
          expectResponse(response, `a body of ${length} bytes`, 413, 'request.body.too-large');
        });
        await save(context, await savedSetting(context));
      },
    }),
  ),
];
