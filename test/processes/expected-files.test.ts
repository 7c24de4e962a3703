/** A file that is expected, uploaded and analysed by real processes, of which one is killed, as the API shows it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AnalysisSite } from '../support/analysis-site.ts';
import { describePostgres } from '../support/describe-postgres.ts';
import { hostilePdfs } from '../support/hostile-pdfs.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

function tellStory(databaseUrl: () => Promise<string | undefined>): void {
  let site: AnalysisSite;
  beforeAll(async () => {
    site = await AnalysisSite.open(await databaseUrl());
  });
  afterAll(() => site.close());

  test('a file waits for its upload, also after one that was killed, and is analysed when it has its content', async () => {
    await site.serve();
    const { file_id: id } = JSON.parse(await site.run(['file', 'expect', site.caseId, 'letter', '--json'])) as {
      file_id: string;
    };
    const expected = await site.readCase();
    expect(expected).toMatchObject({
      file_analysis_status: 'waiting_for_file_analysis',
      files: [{ file_id: id, label: 'letter', analysis_status: 'waiting_for_upload', analysis_completed_at: null }],
      total_files: 1,
    });
    expect(
      (await fetch(String(expected.files[0]?.thumbnail_url).replace(/^.*?(?=\/thumbnails)/, site.url))).status,
    ).toBe(404);

    const path = await site.write('letter.txt', 'Registered in England, company number 01234567\n');
    const incoming = join(path, '..', 'document-analysis-uk-files', 'incoming');
    const copied = () => existsSync(incoming) && readdirSync(incoming, { recursive: true }).length > 1;
    const slow = await site.write('slow.pdf', hostilePdfs['a thousand million forms']());
    const killed = site.start(['file', 'add', '--for', id, slow]);
    await until('the file is copied, and is being drawn', copied, 5);
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    expect(await site.readCase()).toEqual(expected);

    await site.run(['file', 'add', '--for', id, path]);
    await site.until(id, 'analysis_complete');
    const analysed = await site.readCase();
    expect(analysed).toMatchObject({
      file_analysis_status: 'file_analysis_complete',
      files: [{ file_id: id, label: 'letter', mime_type: 'text/plain', analysis_status: 'analysis_complete' }],
      total_files: 1,
    });
    const thumbnail = String(analysed.files[0]?.thumbnail_url).replace(/^.*?(?=\/thumbnails)/, site.url);
    expect((await fetch(thumbnail)).status).toBe(200);
  });
}

describe('with the embedded store', () => {
  tellStory(() => Promise.resolve(undefined));
});

describePostgres('with PostgreSQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  tellStory(() => database.freshUrl());
});
