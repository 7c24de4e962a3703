import type { HttpResponse, Check, CheckContext, RequestSpec } from '../run/model.ts';
import { leavingNoTrace } from './audit.ts';
import { limitStatedBy } from '../run/rate-limit-fields.ts';
import { awaitRoom, whileUsedUp } from './exhausting.ts';
import { expectResponse, expectThat, objectOf, shown } from './expect.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  readCase,
  readSetting,
  settingPath,
  unknownCaseId,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rule-check.ts';
import { savedSetting } from './setting.ts';

const exceeded = 'request.rate-limit.exceeded';
const withKey = (context: CheckContext, name: 'owner_key' | 'member_key' | 'viewer_key') =>
  apiKey(context.credential(name));

/** Section 8, and the position of the rate limit in the order of decision D11. */
export const limitChecks: readonly Check[] = [
  ruleCheck({
    id: '8-L1.update',
    title: 'updates beyond the quota get 429',
    rules: ['8-L1', '7.1-E429', '7-E1'],
    needs: ['exhausting-limits', 'owner_key'],
    usesUp: 'owner_key',
    run: async (context) => {
      // Earlier checks may have used the limit up.
      await awaitRoom(context, readSetting(withKey(context, 'owner_key')));
      const spending = updateSetting(enabledBody(await savedSetting(context)), withKey(context, 'owner_key'));
      await whileUsedUp(context, spending, (refusal) => {
        const { error_code: code, error_message: message } = objectOf(refusal, 'a limited update');
        expectThat(typeof code === 'string' && typeof message === 'string', 'the error object', shown(refusal.text));
        return Promise.resolve();
      });
    },
  }),
  ruleCheck({
    id: 'D31.token',
    title: 'only the token that exceeded its quota gets 429',
    rules: ['D31', 'D32', 'D9'],
    needs: ['exhausting-limits', 'access_token', 'other_access_token'],
    usesUp: 'other_access_token',
    run: async (context) => {
      const spent = readCase(unknownCaseId, bearer(context.credential('other_access_token')));
      const other = readCase(unknownCaseId, bearer(context.credential('access_token')));
      await awaitRoom(context, other);
      await whileUsedUp(context, spent, async (refusal) => {
        expectRefusal(refusal, 'other_access_token', 'credential');
        expectRefusal(await context.call(spent), 'other_access_token again', 'credential');
        expectResponse(await context.call(other), 'access_token, which has quota left', 404);
      });
    },
  }),
  ruleCheck({
    id: 'D31.key',
    title: 'a key that exceeded its quota gets 429 before its permission and its body are checked',
    rules: ['D31', 'D11'],
    needs: ['exhausting-limits', 'viewer_key', 'member_key'],
    usesUp: 'viewer_key',
    run: async (context) => {
      const key = withKey(context, 'viewer_key');
      const other = readSetting(withKey(context, 'member_key'));
      const refused: [string, RequestSpec][] = [
        ['reading', readSetting(key)],
        ['updating', updateSetting(enabledBody(true), key)],
        ['a malformed update', updateSetting('{', key)],
        ['HEAD', { ...readSetting(key), method: 'HEAD' }],
      ];
      await awaitRoom(context, other);
      await whileUsedUp(context, readSetting(key), async () => {
        for (const [name, request] of refused)
          expectResponse(await context.call(request), `${name} with viewer_key`, 429);
        expectResponse(await context.call(other), 'member_key, which has quota left', 200);
        expectResponse(
          await context.call({ method: 'POST', path: settingPath, headers: [key] }),
          'an unknown method',
          405,
        );
        expectResponse(
          await context.call({ method: 'GET', path: '/no-such-path', headers: [key] }),
          'an unknown path',
          404,
        );
      });
    },
  }),
  ruleCheck({
    id: 'D31.address',
    title: 'an address with too many failed authentications gets 429, but not for a valid credential',
    rules: ['D31', 'D11', 'D32'],
    needs: ['exhausting-limits', 'member_key'],
    usesUp: 'address',
    run: async (context) => {
      const valid = readSetting(withKey(context, 'member_key'));
      const failing = readSetting(apiKey('made-up'));
      await awaitRoom(context, valid);
      await whileUsedUp(context, failing, async (refusal) => {
        expectRefusal(refusal, 'a failed authentication', 'failed-authentication');
        expectResponse(await context.call(readSetting()), 'a missing credential', 429);
        expectResponse(await context.call(readCase(unknownCaseId, bearer('made-up'))), 'an unknown token', 429);
        expectResponse(await context.call(valid), 'a valid key at the same address', 200);
      });
    },
  }),
  ruleCheck({
    id: 'D26.429-owner-key',
    title: 'an update refused with 429 has no side effects',
    rules: ['D26'],
    needs: ['exhausting-limits', 'operator', 'owner_key', 'member_key'],
    usesUp: 'owner_key',
    run: async (context) => {
      const key = withKey(context, 'owner_key');
      const other = readSetting(withKey(context, 'member_key'));
      await awaitRoom(context, other);
      await whileUsedUp(context, readSetting(key), () =>
        leavingNoTrace(context, async () => {
          const { text } = await context.call(other);
          const change = updateSetting(enabledBody(!/true/.test(text)), key);
          expectResponse(await context.call(change), 'an update with owner_key', 429, exceeded);
          const now = (await context.call(other)).text;
          expectThat(now === text, `the setting to stay ${text}`, now);
        }),
      );
    },
  }),
];

function expectRefusal(response: HttpResponse, who: string, limit: string): void {
  expectResponse(response, who, 429, exceeded);
  const seconds = Number(response.headers['retry-after']);
  expectThat(seconds >= 1, `Retry-After for ${who}`, shown(response.headers['retry-after']));
  const stated = limitStatedBy(response);
  expectThat(
    stated?.name === limit && stated.left === 0,
    `RateLimit "${limit}" with r=0`,
    shown(response.headers['ratelimit']),
  );
}
