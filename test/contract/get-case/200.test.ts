import { expect, test } from '@jest/globals';
import { describeResponse } from '../../support/describe-response.ts';
import { addAccessToken, addCase, addOrganisation, buildCase } from '../../support/tenants.ts';
import type { StoredCase } from '../../../src/domain/case.ts';

describeResponse('getCase', 200, (api) => {
  const read = async (added: StoredCase, path = `/cases/${added.case_id}`, scheme = 'Bearer') => {
    const organisation = await addOrganisation(api.store);
    await addCase(api.store, organisation, added);
    const token = await addAccessToken(api.store, organisation);
    return api.call('GET', path, { headers: { authorization: `${scheme} ${token}` } });
  };

  test('responds with the stored facts and every file', async () => {
    const added = buildCase(['analysis_complete', 'waiting_for_upload']);
    const { status, body } = await read(added);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...added,
      is_locked: false,
      file_analysis_status: 'waiting_for_file_analysis',
      file_analysis_completed_at: null,
      total_files: 2,
    });
  });

  test.each([
    [[], 'waiting_for_file_analysis', null],
    [['waiting_for_upload'], 'waiting_for_file_analysis', null],
    [['analysis_complete', 'waiting_for_analysis'], 'waiting_for_file_analysis', null],
    [['analysis_complete', 'analysing'], 'waiting_for_file_analysis', null],
    [['analysis_complete', 'quarantined'], 'waiting_for_file_analysis', null],
    [['analysis_complete'], 'file_analysis_complete', '2026-03-02T10:00:00.000Z'],
    [['analysis_failed'], 'file_analysis_complete', '2026-03-02T10:00:00.000Z'],
    [['analysis_complete', 'analysis_failed'], 'file_analysis_complete', '2026-03-02T10:01:00.000Z'],
  ])('derives the status of a case with files %j', async (statuses, status, completedAt) => {
    const derived = { file_analysis_status: status, file_analysis_completed_at: completedAt };
    expect((await read(buildCase(statuses))).body).toMatchObject({ ...derived, total_files: statuses.length });
  });

  test('shows a locked case with the time of its lock', async () => {
    const { body } = await read(buildCase([], { locked_at: '2026-03-03T08:00:00.000Z', label: null, metadata: {} }));
    expect(body).toMatchObject({ is_locked: true, locked_at: '2026-03-03T08:00:00.000Z', label: null, metadata: {} });
  });

  test.each([60, 2500])('is complete with %i files, and HEAD tells how long it is', async (length) => {
    const added = buildCase(Array<string>(length).fill('waiting_for_upload'));
    added.files.forEach((file, index) => {
      file.uploaded_at = new Date(Date.UTC(2026, 2, 2, 9, 0, index)).toISOString();
    });
    const { body, headers, text } = await read(added);
    expect(body).toMatchObject({ files: added.files, total_files: length });
    const bytes = String(Buffer.byteLength(text));
    expect(headers['content-length']).toBe(bytes);
    const token = await addAccessToken(api.store, await api.store.findOwnerOfCase(added.case_id));
    const head = await api.call('HEAD', `/cases/${added.case_id}`, { headers: { authorization: `Bearer ${token}` } });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', bytes]);
  });

  test('knows a UUID in either letter case and percent-encoded', async () => {
    const [added, other] = [buildCase([]), buildCase([])];
    const encoded = `%${other.case_id.charCodeAt(0).toString(16)}${other.case_id.slice(1)}`;
    expect((await read(added, `/cases/${added.case_id.toUpperCase()}`)).status).toBe(200);
    expect((await read(other, `/cases/${encoded}`)).status).toBe(200);
  });

  test.each(['bearer', 'Bearer   '])('knows a token behind the scheme word %j', async (scheme) => {
    expect((await read(buildCase([]), undefined, scheme)).status).toBe(200);
  });

  test('keeps any JSON metadata and every character of a label as they are', async () => {
    const metadata = { '': null, nested: { list: [1.5, 'ß"😀', { deep: true }] }, __proto_: 'x', 'quote"': '\u2028' };
    const label = '"\\/\b\f\n\r\t\u0001\u001f\u007f\u2028ß😀{}[],';
    const added = buildCase(['analysing'], { metadata, label });
    const files = added.files.map((file) => ({ ...file, label }));
    expect((await read({ ...added, files })).body).toMatchObject({ metadata, label, files });
  });
});
