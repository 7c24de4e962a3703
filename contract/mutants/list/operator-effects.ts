/** Cached results and audit entries, which only an operator sees, after requests whose responses are right. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Mutant } from '../mutant.ts';
import { breaking, type Edits, row } from '../rows.ts';
import { change, type Entry, type Store, write } from '../store-edits.ts';

const isChanged = ({ before, after }: Entry) => before !== after;
const isUnchanged = (entry: Entry) => !isChanged(entry);

/** Changes the store only after such updates. */
const after = (isMeant: (entry: Entry) => boolean, store: Store): Edits => ({
  store: (database, entry) => {
    if (isMeant(entry)) store(database, entry);
  },
});

const restore: Store = (database, { organisation_id: id, occurred_at: time, cleared }) => {
  const insert = database.prepare("INSERT INTO cached_analysis_result VALUES (?, ?, '{}', ?)");
  for (let restored = 0; restored < cleared; restored += 1) insert.run(id, randomBytes(32), time);
};
const clear: Store = (database, { organisation_id: id }) => {
  database.prepare('DELETE FROM cached_analysis_result WHERE organisation_id = ?').run(id);
};
const clearAll: Store = (database) => {
  database.exec('DELETE FROM cached_analysis_result');
};
const remove: Store = (database, { id }) => {
  database.prepare('DELETE FROM audit_entry WHERE id = ?').run(id);
};
const changed = (edit: (entry: Entry) => Partial<Entry>): Edits => ({
  store: (database, entry) => {
    change(database, entry, edit(entry));
  },
});
const newInBefore = changed((entry) => ({ before: entry.after }));
const otherRequest = changed(() => ({ request_id: randomUUID() }));
const oneMore = changed((entry) => ({ cleared: entry.cleared + 1 }));
const otherZone = changed((entry) => ({ occurred_at: entry.occurred_at.replace('Z', '+01:00') }));

export const operatorEffectMutants: readonly Mutant[] = [
  ...breaking('explored.*.effects*', [
    row('a change clears no cached results', 'update 200', { store: restore }),
    row('updates without a change clear results', 'update 200', after(isUnchanged, clear)),
    row('no audit entry is written', 'update 200', { store: remove }),
    row('no entry of an update without a change', 'update 200', after(isUnchanged, remove)),
    row('the entry has the new value in before', 'update 200', newInBefore),
    row("the entry has another request's id", 'update 200', otherRequest),
    row('the entry reports one cleared result too many', 'update 200', oneMore),
    row('the time of an entry is in another zone', 'update 200', otherZone),
    row('a change clears the results of all organisations', 'update 200', after(isChanged, clearAll)),
  ]),
  ...breaking('4.1-R1.first-value explored.*.effects*', [
    row('an update changes the entry before it', 'update 200', {
      store: (database, { sequence }) => {
        database.prepare('UPDATE audit_entry SET after = before WHERE sequence = ?').run(sequence - 1);
      },
    }),
    row('an update removes the entries before it', 'update 200', {
      store: (database, { sequence }) => {
        database.prepare('DELETE FROM audit_entry WHERE sequence < ?').run(sequence);
      },
    }),
  ]),
  ...breaking('explored.*', [
    row('a refused update clears cached results', 'update 4..', { store: clearAll }),
    row('reading clears cached results', 'read 200', { store: clearAll }),
    row('an update without a valid key has an audit entry', 'update 401', { store: write }),
    row('an update without permission has an audit entry', 'update 403', { store: write }),
    row('an invalid update has an audit entry', 'update 400', { store: write }),
    row('an update that is too large has an audit entry', 'update 413', { store: write }),
    row('an update of another media type has an entry', 'update 415', { store: write }),
    row('an update beyond the limit has an audit entry', 'update 429', { store: write }),
    row('reading has an audit entry', 'read 200', { store: write }),
    row('reading a case has an audit entry', 'case 200', { store: write }),
    row('HEAD has an audit entry', '* 200 HEAD', { store: write }),
  ]),
];
