/** Rules of the body, combined with additions to the request. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Check, CheckContext, RequestSpec } from '../run/model.ts';
import { additions } from './crossings.ts';
import { expectResponse, expectThat, objectOf, shown } from './expect.ts';
import { invalidObjects, invalidTexts, validTexts } from './odd-bodies.ts';
import { apiKey, enabledBody, type Header, jsonType, settingPath } from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { leavingSettingAlone, savedSetting } from './setting.ts';

type Sent = readonly [name: string, headers: readonly Header[], body: string | Buffer];

const type = (value: string): Header => ['Content-Type', value];
const coding = (value: string): Header => ['Content-Encoding', value];

const otherForms: Readonly<Record<string, (body: string) => readonly Sent[]>> = {
  codings: (body) => [
    ['gzip', [jsonType, coding('gzip')], gzipSync(body)],
    ['GZIP', [jsonType, coding('GZIP')], gzipSync(body)],
    ['deflate', [jsonType, coding('deflate')], deflateSync(body)],
    ['br', [jsonType, coding('br')], brotliCompressSync(body)],
    ['identity, gzip', [jsonType, coding('identity'), coding('gzip')], gzipSync(body)],
    ['unknown', [jsonType, coding('unknown')], body],
  ],
  charsets: (body) => [
    ['UTF-16', [type('application/json;charset=UTF-16')], Buffer.from(body, 'utf16le')],
    ['quoted utf-16', [type('application/json; charset="utf-16le"')], Buffer.from(body, 'utf16le')],
    ['utf-7', [type('application/json; Charset=utf-7')], body],
    ['windows-1252', [type('application/json; v=1; charset=windows-1252')], body],
  ],
};

const refusedGroups: { id: string; status: number; code?: string; sent: (change: boolean) => readonly Sent[] }[] = [
  ...Object.entries(invalidObjects).map(([name, bodies]) => ({
    id: `4.2-R1.odd-${name}`,
    status: 400,
    sent: (change: boolean) => bodies(change).map((body): Sent => [shown(String(body)), [jsonType], body]),
  })),
  ...Object.entries(invalidTexts).map(([name, bodies]) => ({
    id: `D12.odd-${name}`,
    status: 400,
    code: 'request.validation.failed',
    sent: (change: boolean) => bodies(change).map((body): Sent => [shown(String(body)), [jsonType], body]),
  })),
  ...Object.entries(otherForms).map(([name, forms]) => ({
    id: `D13.odd-${name}`,
    status: 415,
    code: 'request.media-type.unsupported',
    sent: (change: boolean) => forms(enabledBody(change)),
  })),
];

export const crossedBodyChecks: readonly Check[] = [
  ...refusedGroups.map(({ id, status, code, sent }, group) =>
    ruleCheck({
      id,
      title: `updates with ${id.replace(/.*odd-/, '').replaceAll('-', ' ')} get ${status}, with any additional input`,
      rules: [id.slice(0, id.indexOf('.odd'))],
      needs: ['owner_key', 'member_key'],
      run: (context) =>
        leavingSettingAlone(
          context,
          async (saved) => {
            for (const [index, [name, headers, body]] of sent(!saved).entries()) {
              const update = updateWith(context, headers, body);
              const addition = index % 2 === 1 ? additions[(group * 8 + index) % additions.length] : undefined;
              const response = await context.call(addition?.cross(update, context) ?? update);
              expectResponse(response, ['an update with', name, addition?.name].join(' '), status, code);
            }
          },
          'member_key',
        ),
    }),
  ),
  ruleCheck({
    id: 'D12.odd-spellings',
    title: 'a byte order mark, escapes and white space are ignored, and the last value of a repeated name is used',
    rules: ['D12'],
    needs: ['owner_key'],
    run: async (context) => {
      const saved = await savedSetting(context);
      let change = !saved;
      for (const index of validTexts(change).keys()) {
        const body = validTexts(change)[index] ?? '';
        const response = await context.call(updateWith(context, [jsonType], body));
        expectResponse(response, `an update with ${shown(String(body))}`, 200);
        const { enabled } = objectOf(response, 'an update');
        expectThat(enabled === change, `the saved value ${change} after ${shown(String(body))}`, shown(enabled));
        change = !change;
      }
    },
  }),
];

function updateWith(context: CheckContext, headers: readonly Header[], body: string | Buffer): RequestSpec {
  return {
    method: 'PUT',
    path: settingPath,
    headers: [apiKey(context.credential('owner_key')), ...headers],
    body,
  };
}
