/** Rights that the operator gives and takes while requests are sent: each request gets what holds at that moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { told } from '../oracle/json.ts';
import type { Check, CheckContext } from '../run/model.ts';
import {
  apiKey,
  bearer,
  enabledBody,
  expectStatus,
  expectThat,
  operatorOf,
  readCase,
  readSetting,
  save,
  savedSetting,
  updateSetting,
} from './requests.ts';
import { ruleCheck } from './rules.ts';

const feature = 'verification';
const permissions = { read: 'organisation_settings:read', write: 'organisation_settings:write' } as const;

/** After how long the target has surely read the head of a request. */
const headMilliseconds = 200;

/** One check for each kind of change. */
export const rightsChecks: readonly Check[] = [
  ruleCheck({
    id: '4.1-R3.changed-feature',
    title: 'a feature that is given or taken counts from the next request on, for the setting alone, which is kept',
    rules: ['4.1-R1', '4.1-R3', '4.2-R3', '3.1-S4'],
    needs: ['operator', 'feature_off_key', 'owner_key', 'access_token', 'case_id'],
    run: async (context) => {
      const [other, own] = [context.credential('feature_off_key'), context.credential('owner_key')];
      const operator = operatorOf(context);
      await expectStatuses(context, other, [403, 403], 'without the feature');
      await operator.setFeature(other, feature, true);
      try {
        await expectStatuses(context, other, [200, 200], 'once the feature is given');
      } finally {
        await operator.setFeature(other, feature, false);
      }
      await expectStatuses(context, other, [403, 403], 'once the feature is taken again');
      const saved = await savedSetting(context);
      await save(context, true);
      await operator.setFeature(own, feature, false);
      try {
        await expectStatuses(context, own, [403, 403], 'once the feature is taken');
        const token = bearer(context.credential('access_token'));
        const ofCase = await context.call(readCase(context.credential('case_id'), token));
        expectStatus(ofCase, 'a case of an organisation without the feature', 200);
      } finally {
        await operator.setFeature(own, feature, true);
      }
      const kept = await savedSetting(context);
      expectThat(kept, 'true as before the feature was taken and given again', String(kept));
      await save(context, saved);
    },
  }),
  ruleCheck({
    id: '5-A2.changed-permissions',
    title: 'a permission that is given or taken counts from the next request on, each for its own operation',
    rules: ['4.1-R2', '4.2-R2', '5-A2', '3.1-S4', 'D20'],
    needs: ['operator', 'viewer_key'],
    run: async (context) => {
      const [operator, viewer] = [operatorOf(context), context.credential('viewer_key')];
      const steps = [
        ['write', true, [403, 200]],
        ['read', true, [200, 200]],
        ['write', false, [200, 403]],
        ['read', false, [403, 403]],
      ] as const;
      await expectStatuses(context, viewer, [403, 403], 'without a permission');
      try {
        for (const [permission, isGiven, statuses] of steps) {
          await operator.setPermission(viewer, permissions[permission], isGiven);
          const when = `once the permission to ${permission} is ${isGiven ? 'given' : 'taken'}`;
          await expectStatuses(context, viewer, statuses, when);
        }
      } finally {
        for (const each of Object.values(permissions)) await operator.setPermission(viewer, each, false);
      }
    },
  }),
  ruleCheck({
    id: '5-A1.revoked-key',
    title: 'a key that is revoked is refused from then on, also while its request is on its way',
    rules: ['5-A1', 'D22'],
    needs: ['operator', 'owner_key', 'revocable_key'],
    run: async (context) => {
      const key = context.credential('revocable_key');
      await expectStatuses(context, key, [200, 200], 'before it is revoked');
      const update = updateSetting(enabledBody(true), apiKey(key));
      const revoked = sleep(headMilliseconds).then(() => operatorOf(context).revokeCredential(key));
      const lateUpdate = context.call({ ...update, wire: { writes: 'head before body', restAfter: revoked } });
      const [onItsWay] = await Promise.all([lateUpdate, revoked]);
      expectStatus(onItsWay, 'an update with a key that was revoked before its body had come', 401);
      const saved = await savedSetting(context);
      expectThat(!saved, 'false, as saved before the refused update', String(saved));
      await expectStatuses(context, key, [401, 401], 'once it is revoked');
    },
  }),
  ruleCheck({
    id: '5-S2.revoked-token',
    title: 'a token that is revoked is refused from the next request on',
    rules: ['5-S2', 'D22'],
    needs: ['operator', 'revocable_token', 'case_id'],
    run: async (context) => {
      const token = context.credential('revocable_token');
      const read = readCase(context.credential('case_id'), bearer(token));
      expectStatus(await context.call(read), 'a token before it is revoked', 200);
      await operatorOf(context).revokeCredential(token);
      expectStatus(await context.call(read), 'a token once it is revoked', 401);
    },
  }),
];

/** Expects what a key gets for reading the setting and for updating it, which leaves it off. */
async function expectStatuses(context: CheckContext, key: string, expected: readonly [number, number], when: string) {
  const read = await context.call(readSetting(apiKey(key)));
  const updated = await context.call(updateSetting(enabledBody(false), apiKey(key)));
  const statuses = [read.status, updated.status];
  const isRight = statuses.every((status, at) => status === expected[at]);
  expectThat(isRight, `${told(expected)} for reading and updating ${when}`, told(statuses), read);
}
