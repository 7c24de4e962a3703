import type { Check } from '../run/model.ts';
import { expectResponse, expectThat, shown } from './expect.ts';
import { apiKey, readSetting } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const malformedIds = ['two words', 'a/b', '', 'x'.repeat(129)];

/** Decision D36, for successful requests. */
export const oddRequestIdChecks: readonly Check[] = [
  ruleCheck({
    id: 'D36.replaced-in-a-success',
    title: 'a request with a malformed X-Request-Id succeeds, and its response has another',
    rules: ['D36'],
    needs: ['owner_key'],
    run: async (context) => {
      for (const sent of malformedIds) {
        const request = readSetting(apiKey(context.credential('owner_key')));
        const headers = [...(request.headers ?? []), ['X-Request-Id', sent] as const];
        const response = await context.call({ ...request, headers });
        expectResponse(response, `reading the setting with the X-Request-Id ${shown(sent)}`, 200);
        const came = response.headers['x-request-id'];
        expectThat(came !== sent, `another X-Request-Id than ${shown(sent)}`, shown(came));
      }
    },
  }),
];
