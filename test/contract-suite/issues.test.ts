/** Relations of filters with a word, of orders of words, of references, of numbers by state, of several at once, of refusals, and of jobs. */
import { fileURLToPath } from 'node:url';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour, Reply } from '../support/resource-server.ts';

const [token, key] = [schemeEntry('token'), schemeEntry('key')];
const secrets = {
  ...{ [token]: 'own-token', [entryOf('other', token)]: 'other-token' },
  ...{ [key]: 'own-key', [entryOf('other', key)]: 'own-key-2' },
};
const api = await loadDocument(fileURLToPath(new URL('./documents/issues.yaml', import.meta.url)));

const states = ['open', 'closed'];

interface Issue {
  id: string;
  state: string;
  subject: string;
  priority: string;
  assignee_id: string | null;
  removed: boolean;
}
type Fields = Issue & Record<'name' | 'text', string> & { issue_ids: string[] };

/** How a server does what the mutants do otherwise. */
const right = {
  rank: (each: string) => ['low', 'normal', 'high'].indexOf(each),
  ofNobody: (each: Issue) => each.assignee_id === null,
  isSeenByKey: (_each: Issue) => false,
  isAgent: (isKnown: boolean) => isKnown,
  isGrouped: (each: Issue) => !each.removed,
  refuse: (_act: () => unknown): Reply => [422],
  conflict: (_one: Issue): Reply => [409],
  isChanged: (_place: number) => true,
  mayChange: (isOwn: boolean) => isOwn,
  cell: (each: string) => (/[",]/.test(each) ? `"${each.replaceAll('"', '""')}"` : each),
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  return {
    caller({ authorization = '', 'x-key': byKey }, { operationId }) {
      const [, of] = /^Bearer (own|other)-token$/.exec(authorization) ?? [];
      const asKey = { 'own-key': 'own', 'own-key-2': 'another' }[String(byKey)];
      return of ?? (operationId === 'getIssue' ? asKey : undefined) ?? 401;
    },
    invalid: (_faults, _call, act) => ways.refuse(act),
    kinds: {
      agents: {},
      issues: {
        initial: () => ({ state: 'open', priority: 'normal', assignee_id: null, removed: false }),
        refused: ({ assignee_id: agent }, { find }) =>
          ways.isAgent((agent ?? null) === null || find('agents', agent) !== undefined) ? undefined : 422,
        isSeen(each, { of, operation }, isOwn) {
          const isThere = !each.removed || operation.operationId === 'getStats';
          return isThere && (isOwn || (of === 'another' && ways.isSeenByKey(each)));
        },
        shown: ({ removed: _removed, ...each }) => each,
        listed(issues, { query }) {
          const [asked, sort] = [query.get('assignee_id'), query.get('sort')];
          const isFound = (each: Issue) =>
            asked === 'none' ? ways.ofNobody(each) : each.assignee_id === (asked ?? each.assignee_id);
          const found = issues.filter(isFound);
          if (sort !== null) found.sort((one, other) => ways.rank(one.priority) - ways.rank(other.priority));
          return sort === '-priority' ? found.reverse() : found;
        },
      },
      exports: { shown: ({ id }) => ({ id }) },
    },
    acts: {
      removeIssue({ item }) {
        item.removed = true;
        return 204;
      },
      moveIssue: ({ item, sent: { state } }) =>
        item.state === state ? ways.conflict(item) : Object.assign(item, { state }),
      changeIssues({ sent: { issue_ids: ids, priority }, all, ofAnybody }) {
        const isUpdated = (id: string, place: number) => {
          const isFound = (each: Fields) => each.id === id && ways.mayChange(all('issues').includes(each));
          const one = ofAnybody('issues').find((each) => !each.removed && isFound(each));
          if (one && ways.isChanged(place)) one.priority = priority;
          return one !== undefined;
        };
        const updated = ids.filter(isUpdated);
        return [200, { updated, failed: ids.filter((each) => !updated.includes(each)) }];
      },
      getStats({ all }) {
        const known = all('issues').filter((each) => ways.isGrouped(each));
        const numberOf = (is: string) => known.filter(({ state }) => state === is).length;
        return [200, { by_state: Object.fromEntries(states.map((is) => [is, numberOf(is)])) }];
      },
      startExport({ sent: { state }, all, create, shown }) {
        const found = all('issues').filter((each) => (state || each.state) === each.state);
        const rows = found.map((each) => `${each.id},${ways.cell(each.subject)}\r\n`);
        const made = create('exports', { text: ['id,subject\r\n', ...rows].join('') });
        return [202, shown(made), { Location: `/exports/${made.id}` }];
      },
      readExport: ({ item }) => [200, item.text],
    },
  };
}

testFaults(
  api,
  right,
  behaviour,
  [
    ['sorts priorities by their letters', { rank: (each) => each.charCodeAt(0) }, ['listIssues.sorted']],
    ['takes `none` for all', { ofNobody: () => true }, ['listIssues.filtered.assignee_id']],
    ['shows what is of another key', { isSeenByKey: () => true }, ['getIssue.other-tenant']],
    ['assigns to nobody known', { isAgent: () => true }, ['addIssue.referring']],
    ['counts what is removed', { isGrouped: () => true }, ['getStats.aggregated']],
    [
      'does what it refuses',
      { refuse: (act) => (act(), [422]) },
      ['addIssue.refused', 'changeIssue.refused', 'conformance.listIssues.200.body', 'conformance.getIssue.200.body'],
    ],
    ['changes what it refuses to move', { conflict: (one) => ((one.priority = 'high'), [409]) }, ['moveIssue.refused']],
    ['changes the first of several', { isChanged: (place) => place === 0 }, ['changeIssues.changed-several']],
    ['changes what is of others', { mayChange: () => true }, ['changeIssues.changed-several']],
    ['exports commas without quotes', { cell: (each) => each }, ['readExport.exported']],
  ],
  secrets,
);
