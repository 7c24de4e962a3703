import { afterResponse, afterUpdate, clear, restore } from '../store-effects.ts';
import { isOperation, isUpdate } from '../requests.ts';

/** Cached analysis results that are cleared wrongly, or not at all. */
export const cacheMutants = [
  afterUpdate('cache-not-cleared', 'a change clears no cached results', (database, entry) => {
    restore(database, entry, entry.cleared);
  }),
  afterUpdate('cache-one-left', 'a change leaves one cached result', (database, entry) => {
    if (entry.cleared > 0) restore(database, entry, 1);
  }),
  afterUpdate('cache-not-cleared-when-off', 'switching off clears no cached results', (database, entry) => {
    if (entry.after.includes('false')) restore(database, entry, entry.cleared);
  }),
  afterUpdate('cache-not-cleared-when-on', 'switching on clears no cached results', (database, entry) => {
    if (entry.after.includes('true')) restore(database, entry, entry.cleared);
  }),
  afterUpdate('cache-cleared-unchanged', 'an update to the saved value clears cached results', (database, entry) => {
    if (entry.before === entry.after) clear(database, entry.organisation_id);
  }),
  afterUpdate('cache-cleared-for-all', 'a change clears the results of all organisations', (database, entry) => {
    if (entry.before !== entry.after) database.exec('DELETE FROM cached_analysis_result');
  }),
  afterResponse(
    'cache-cleared-when-refused',
    'a refused update clears cached results',
    (request, response) => isUpdate(request) && response.status >= 400,
    (database) => {
      database.exec('DELETE FROM cached_analysis_result');
    },
  ),
  afterResponse(
    'cache-cleared-when-read',
    'reading clears cached results',
    (request, response) => isOperation('getVerificationSetting', request) && response.status === 200,
    (database) => {
      database.exec('DELETE FROM cached_analysis_result');
    },
  ),
];
