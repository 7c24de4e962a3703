/** A worker as a process of its own: takes what waits and completes it until it is ended, and tells each file. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';

const [place = ''] = process.argv.slice(2);
const store = place.startsWith('postgres:')
  ? await openPostgresStore({ url: place, poolSize: 2 }, 'uk')
  : openSqliteStore(place);
const text = { outcome: 'no_text', pages: null, characters: 0 } as const;
const ending = new AbortController();
process.on('SIGTERM', () => {
  ending.abort();
});
process.stdout.write('ready\n');
while (!ending.signal.aborted) {
  const at = new Date();
  const file = await store.takeAnalysis({ at: at.toISOString(), leaseMilliseconds: 60_000 });
  if (file?.analysis_status !== 'analysing') {
    await sleep(2);
    continue;
  }
  const completion = { result: { text, details: [], evidence: null }, cacheable: false, at: new Date().toISOString() };
  const ended = await store.completeAnalysis(file.lease, completion);
  process.stdout.write(`${ended ? 'completed' : 'lost'} ${file.file_id}\n`);
}
await store.close();
