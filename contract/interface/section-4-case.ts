import type { Check } from '../run/model.ts';
import { operatorOf } from './audit.ts';
import { isSameCase, knownCases, needsOf, readKnownCase } from './cases.ts';
import { expectRefused, expectResponse, expectThat, shown, shownApart } from './expect.ts';
import { bearer, readCase, unknownCaseId } from './requests.ts';
import { ruleCheck } from './rule-check.ts';

const clockToleranceMs = 60_000;

const ownCase = { id: 'case_id', token: 'access_token' } as const;
const emptyCase = { id: 'empty_case_id', token: 'access_token' } as const;

const foreign: [id: 'case_id' | 'empty_case_id' | 'other_case_id', token: 'access_token' | 'other_access_token'][] = [
  ['other_case_id', 'access_token'],
  ['case_id', 'other_access_token'],
  ['empty_case_id', 'other_access_token'],
];

const spellings: [name: string, spell: (id: string) => string][] = [
  ['as-it-is', (id) => id],
  ['in-capitals', (id) => id.toUpperCase()],
  ['percent-encoded', (id) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
];

/** Section 4.3. */
export const caseChecks: readonly Check[] = [
  ...knownCases.map((known) =>
    ruleCheck({
      id: `4.3-P1.${known.id.replaceAll('_', '-')}`,
      title: `the path of ${known.id} always returns that case`,
      rules: ['4.3-O1', '4.3-P1', 'D21'],
      needs: needsOf(known),
      run: async (context) => {
        const first = await readKnownCase(context, known);
        const asked = context.credential(known.id);
        const came = String(first['case_id']);
        expectThat(came.toLowerCase() === asked.toLowerCase(), `case_id ${asked}`, came);
        const second = await readKnownCase(context, known);
        expectThat(isSameCase(first, second), 'the same case twice', 'two different cases');
      },
    }),
  ),
  ...knownCases.map((known) =>
    ruleCheck({
      id: `4.3-O1.as-stored-${known.id.replaceAll('_', '-')}`,
      title: `${known.id} is returned as stored`,
      rules: ['4.3-O1', 'D8', '2.3-F3'],
      needs: [...needsOf(known), 'operator'],
      run: async (context) => {
        const expected = await operatorOf(context).readCase(context.credential(known.id));
        const came = await readKnownCase(context, known);
        const [promised, found] = shownApart(expected, came);
        expectThat(isSameCase(came, expected), `the case ${promised}`, found);
      },
    }),
  ),
  ruleCheck({
    id: '2.3-F9.no-time-to-come',
    title: 'no time of a case is in the future',
    rules: ['2.3-F8', '2.3-F9'],
    needs: needsOf(ownCase),
    run: async (context) => {
      const request = readCase(context.credential('case_id'), bearer(context.credential('access_token')));
      const { headers, text } = await context.call(request);
      const now = Date.parse(headers['date'] ?? '') || Date.now();
      const { created_at: created, updated_at: updated } = JSON.parse(text) as Record<string, string>;
      for (const time of [created, updated])
        expectThat(Date.parse(time ?? '') <= now + clockToleranceMs, 'a time that has come', shown(time));
    },
  }),
  ruleCheck({
    id: 'D16.identifier-in-capitals',
    title: 'case identifiers are case-insensitive (RFC 9562, section 4)',
    rules: ['D16'],
    needs: needsOf(ownCase),
    run: async (context) => {
      const id = context.credential('case_id').toUpperCase();
      const response = await context.call(readCase(id, bearer(context.credential('access_token'))));
      expectThat(response.status === 200, `200 for ${id}`, String(response.status));
    },
  }),
  ruleCheck({
    id: '2.3-F10.own-files-alone',
    title: 'no file is listed in two cases',
    rules: ['2.3-F10', '4.3-P1', 'D8'],
    needs: [...needsOf(ownCase), 'other_case_id', 'other_access_token'],
    run: async (context) => {
      const own = await readKnownCase(context, ownCase);
      const other = await readKnownCase(context, { id: 'other_case_id', token: 'other_access_token' });
      const ids = new Set(own.files.map(({ file_id: id }) => id));
      const shared = other.files.map(({ file_id: id }) => id).filter((id) => ids.has(id));
      expectThat(shared.length === 0, 'no file in both cases', `${shown(shared)} in both`);
      expectThat(own.files.length > 0, 'files in case_id', 'none');
    },
  }),
  ruleCheck({
    id: '2.3-F11.empty-case',
    title: 'a case without files has an empty list and the count 0',
    rules: ['2.3-F10', '2.3-F11'],
    needs: needsOf(emptyCase),
    run: async (context) => {
      const { files, total_files: total } = await readKnownCase(context, emptyCase);
      expectThat(
        files.length === 0 && total === 0,
        'no file in empty_case_id',
        `${files.length}, counted ${shown(total)}`,
      );
    },
  }),
  ruleCheck({
    id: '7.2-C4.unknown-case',
    title: 'a case that does not exist has its own error code',
    rules: ['7.2-C4'],
    needs: ['access_token'],
    run: async (context) => {
      const response = await context.call(readCase(unknownCaseId, bearer(context.credential('access_token'))));
      expectRefused(response, 'reading an unknown case');
      expectResponse(response, 'reading an unknown case', response.status, 'request.cases.case.not-found');
    },
  }),
  ...foreign.flatMap(([id, token]) =>
    spellings.map(([spelling, spell]) =>
      ruleCheck({
        id: `D21.${token}-reading-${id}-${spelling}`.replaceAll('_', '-'),
        title: `${token} cannot read ${id}, with the identifier spelt ${spelling.replaceAll('-', ' ')}`,
        rules: ['D21', 'D16'],
        needs: [id, token],
        run: async (context) => {
          const path = spell(context.credential(id));
          const response = await context.call(readCase(path, bearer(context.credential(token))));
          expectResponse(response, `${token} reading ${id}`, 404, 'request.cases.case.not-found');
        },
      }),
    ),
  ),
  // Which status it is, D21 decides; that it is no success, anybody who reads the interface document expects.
  ...foreign.map(([id, token]) =>
    ruleCheck({
      id: `5-S2.${token}-reading-${id}`.replaceAll('_', '-'),
      title: `${token} is no credential for ${id}, which another organisation owns`,
      rules: ['5-S2'],
      needs: [id, token],
      run: async (context) => {
        const request = readCase(context.credential(id), bearer(context.credential(token)));
        expectRefused(await context.call(request), `${token} reading ${id}`);
      },
    }),
  ),
];
