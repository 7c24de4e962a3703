import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { settingPath } from '../../support/harness.ts';
import { addApiKey, addOrganisation } from '../../support/tenants.ts';

const missing = { field: 'enabled', message: "must have required property 'enabled'", rule: 'required' };
const notBoolean = { field: 'enabled', message: 'must be boolean', rule: 'type' };
const extra = { message: 'must NOT have additional properties', rule: 'additionalProperties' };
const unknown = (field: string) => ({ field, ...extra });
const notObject = { field: '', message: 'must be object', rule: 'type' };
const notJson = { field: '', message: 'must be valid JSON', rule: 'json' };

const invalidBodies: [body: string, faults: object[]][] = [
  ['{}', [missing]],
  ['{"enabled":"true"}', [notBoolean]],
  ['{"enabled":1}', [notBoolean]],
  ['{"enabled":0}', [notBoolean]],
  ['{"enabled":null}', [notBoolean]],
  ['{"enabled":[true]}', [notBoolean]],
  ['{"enabled":{}}', [notBoolean]],
  ['{"enabled":true,"force":true}', [unknown('force')]],
  ['{"enabled":true,"__proto__":{}}', [unknown('__proto__')]],
  ['{"enabled":true,"constructor":{}}', [unknown('constructor')]],
  ['{"Enabled":true}', [missing, unknown('Enabled')]],
  ['{"enabled":true,"a/b":1,"a~1b":2}', [unknown('a~1b'), unknown('a~01b')]],
  ['{"enabled":true,"":1}', [unknown('/')]],
  ['{"a":1,"b":2,"enabled":"x"}', [unknown('a'), unknown('b'), notBoolean]],
  ['[]', [notObject]],
  ['[{"enabled":true}]', [notObject]],
  ['true', [notObject]],
  ['"enabled"', [notObject]],
  ['null', [notObject]],
  ['{"enabled":true', [notJson]],
  ['{"enabled":true}{}', [notJson]],
  ["{'enabled':true}", [notJson]],
  ['enabled=true', [notJson]],
  [' ', [notJson]],
  ['['.repeat(8000), [notJson]],
  [`${'['.repeat(8000)}${']'.repeat(8000)}`, [notObject]],
];

describeResponse('updateVerificationSetting', 400, (api, callAnew) => {
  const put = (body: string) => callAnew(settingPath, { headers: { 'content-type': 'application/json' }, body });

  const named = invalidBodies.map(([body, faults]) => [body.slice(0, 40), body, faults] as const);
  test.each(named)('names every fault of %s', async (_name, body, faults) => {
    const response = await put(body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({
      error_code: 'request.validation.failed',
      error_message: 'The request body is not valid.',
      error_details: { field: (faults[0] as typeof missing).field, errors: faults },
    });
  });

  test.each([
    ['as many faults as fit', `{${Array.from({ length: 2200 }, (_, at) => `"${at.toString(36)}":0`).join()}}`, 2201],
    ['the longest name', `{"enabled":true,"${'x'.repeat(16_363)}":0}`, 1],
    ['the longest escaped name', `{"enabled":true,"${'/'.repeat(16_363)}":0}`, 1],
  ])('keeps the bounds of the document for a body with %s', async (_name, body, faults) => {
    expect(Buffer.byteLength(body)).toBeGreaterThan(16_000);
    const response = await put(body);
    expect(response.status).toBe(400);
    expect((response.body as { error_details: { errors: object[] } }).error_details.errors).toHaveLength(faults);
  });

  test.each([
    ['no media type', {}],
    ['a JSON media type', { 'content-type': 'application/json' }],
    ['another media type', { 'content-type': 'text/plain' }],
  ])('responds with 400 to an absent body with %s', async (_name, headers) => {
    const response = await callAnew(settingPath, { headers: { ...headers, 'content-length': '0' } });
    const error_details = { field: '', errors: [{ field: '', message: 'a body is required', rule: 'required' }] };
    expect([response.status, response.body]).toMatchObject([400, { error_details }]);
  });

  test('changes nothing', async () => {
    const organisation = await addOrganisation(api.store);
    const key = await addApiKey(api.store, organisation, 'owner');
    await api.call('PUT', settingPath, { headers: { 'x-api-key': key }, body: { enabled: true, extra: 1 } });
    expect(await api.store.readVerificationSetting(organisation)).toBe(false);
    expect(await api.store.listAuditEntries({ organisationId: organisation, limit: 1 })).toEqual([]);
  });
});
