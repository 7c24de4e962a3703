import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { addAccessToken, addCase, addOrganisation } from '../../support/tenants.ts';

describeResponse('getCase', 404, (api, callAnew) => {
  const odd = ['1', 'null', '%zz', '%E0%A4%A', '%00', '..%2f..%2fetc', '{id}', "1'%20OR%20'1'='1", '%F0%9F%98%80'];

  const named = [...odd, 'x'.repeat(4000), randomUUID()].map((id) => [id.slice(0, 50), id]);
  test.each(named)('has no case %s', async (_name, id) => {
    const { status, body } = await callAnew(`/cases/${id}`);
    const error_message = 'There is no such case.';
    expect([status, body]).toEqual([404, { error_code: 'request.cases.case.not-found', error_message }]);
  });

  test("cannot be told apart for an unknown case, another organisation's and no identifier at all", async () => {
    const foreign = await addCase(api.store, await addOrganisation(api.store));
    const organisation = await addOrganisation(api.store);
    const responses = new Set<string>();
    for (const id of [randomUUID(), foreign, 'x']) {
      const authorization = `Bearer ${await addAccessToken(api.store, organisation)}`;
      const sent = { authorization, 'x-request-id': 'same' };
      const { status, headers, text } = await api.call('GET', `/cases/${id}`, { headers: sent });
      const { date, ...comparable } = headers;
      expect(date).toBeDefined();
      responses.add(JSON.stringify([status, comparable, text]));
    }
    expect(responses.size).toBe(1);
  });
});
