/** Relations of what descriptions say in words: what a merge moves, what a removal leaves, transitions, numbers by state, several at once, jobs. */
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

const states = ['open', 'pending', 'solved', 'closed'];
const allowed = new Set([
  'open pending',
  'open solved',
  'pending open',
  'pending solved',
  'solved open',
  'solved closed',
]);

interface Issue {
  id: string;
  state: string;
  subject: string;
  priority: string;
  assignee_id: string | null;
  labels: string[];
  solved_at: string | null;
  merged_into: string | null;
  removed: boolean;
}
type Fields = Issue & Record<'target_id' | 'body' | 'name' | 'text', string> & { issue_ids: string[] };

/** How a server does what the mutants do otherwise. */
const right = {
  rank: (each: string) => ['low', 'normal', 'high'].indexOf(each),
  ofNobody: (each: Issue) => each.assignee_id === null,
  isSeenByKey: (_each: Issue) => false,
  left: (_assignee: string): string | null => null,
  isCounted: (each: Issue) => each.state === 'open',
  isAgent: (isKnown: boolean) => isKnown,
  mayMove: (from: string, to: string) => allowed.has(`${from} ${to}`),
  solvedAt: (to: string, before: string | null, now: string) => (to === 'solved' ? now : to === 'open' ? null : before),
  isGrouped: (each: Issue) => !each.removed,
  movesComments: true,
  commentCount: (count: number, _isTarget: boolean) => count,
  joined: (own: string[], target: string[]) => [...new Set([...target, ...own])],
  kept: (_from: Issue, target: Issue) => target.subject,
  afterMerge: { state: 'closed' },
  mergedInto: (target: string) => target,
  mayComment: ({ state: now }: Issue) => now !== 'closed',
  isRemoved: ({ removed }: Issue) => removed,
  refuse: (_act: () => unknown): Reply => [422],
  conflict: (_one: Issue): Reply => [409],
  isChanged: (_place: number) => true,
  mayChange: (isOwn: boolean) => isOwn,
  cell: (each: string) => (/[",]/.test(each) ? `"${each.replaceAll('"', '""')}"` : each),
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  const targets = new Set<string>();
  return {
    caller({ authorization = '', 'x-key': byKey }, { operationId }) {
      const [, of] = /^Bearer (own|other)-token$/.exec(authorization) ?? [];
      const asKey = { 'own-key': 'own', 'own-key-2': 'another' }[String(byKey)];
      return of ?? (operationId === 'getIssue' ? asKey : undefined) ?? 401;
    },
    invalid: (_faults, _call, act) => ways.refuse(act),
    kinds: {
      agents: {
        shown({ id, name }, { all }) {
          const own = all('issues').filter((each) => each.assignee_id === id && !each.removed && ways.isCounted(each));
          return { id, name, open_issues: own.length };
        },
      },
      issues: {
        initial: () => ({
          ...{ state: 'open', priority: 'normal', assignee_id: null, labels: [], removed: false },
          ...{ solved_at: null, merged_into: null },
        }),
        refused: ({ assignee_id: agent }, { find }) =>
          ways.isAgent((agent ?? null) === null || find('agents', agent) !== undefined) ? undefined : 422,
        isSeen(each, { of, operation }, isOwn) {
          const isThere = !each.removed || ['restoreIssue', 'getStats'].includes(operation.operationId);
          return isThere && (isOwn || (of === 'another' && ways.isSeenByKey(each)));
        },
        shown({ removed: _removed, ...each }, { all, item }) {
          const one = all('issues').find(({ id }) => id === each.id) ?? item;
          return { ...each, comment_count: ways.commentCount(all('comments', one).length, targets.has(each.id)) };
        },
        listed(issues, { query }) {
          const [asked, sort] = [query.get('assignee_id'), query.get('sort')];
          const isFound = (each: Issue) =>
            asked === 'none' ? ways.ofNobody(each) : each.assignee_id === (asked ?? each.assignee_id);
          const found = issues.filter(isFound);
          if (sort !== null) found.sort((one, other) => ways.rank(one.priority) - ways.rank(other.priority));
          return sort === '-priority' ? found.reverse() : found;
        },
      },
      comments: { initial: () => ({ id: `cmt_${crypto.randomUUID().slice(0, 8)}` }) },
      exports: { shown: ({ id }) => ({ id }) },
    },
    acts: {
      removeAgent({ item, all, usual }) {
        for (const each of all('issues')) if (each.assignee_id === item.id) each.assignee_id = ways.left(item.id);
        return usual();
      },
      removeIssue({ item }) {
        item.removed = true;
        return 204;
      },
      restoreIssue: ({ item }) =>
        ways.isRemoved(item) ? Object.assign(item, { removed: false }) : ways.conflict(item),
      moveIssue({ item, sent: { state } }) {
        if (!ways.mayMove(item.state, state)) return ways.conflict(item);
        return Object.assign(item, {
          state,
          solved_at: ways.solvedAt(state, item.solved_at, new Date().toISOString()),
        });
      },
      mergeIssue({ item, sent: { target_id: id }, all, find, create, remove }) {
        const target = find('issues', id);
        if (!target || target === item) return 422;
        if ([item.state, target.state].includes('closed')) return 409;
        for (const each of ways.movesComments ? all('comments', item) : []) {
          remove(each);
          create('comments', each, target);
        }
        targets.add(id);
        Object.assign(item, ways.afterMerge, { merged_into: ways.mergedInto(id) });
        const labels = ways.joined(item.labels, target.labels);
        return Object.assign(target, { labels, subject: ways.kept(item, target) });
      },
      addComment: ({ item, usual }) => (ways.mayComment(item) ? usual() : 409),
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
    ['leaves issues with a removed agent', { left: (assignee) => assignee }, ['removeAgent.removed']],
    ['counts pending issues as open', { isCounted: (each) => each.state !== 'closed' }, ['getAgent.aggregated']],
    ['assigns to nobody known', { isAgent: () => true }, ['addIssue.referring', 'changeIssue.referring']],
    [
      'opens what is closed',
      { mayMove: (from, to) => from === 'closed' || right.mayMove(from, to) },
      ['moveIssue.transitions'],
    ],
    [
      'does not solve what is pending',
      { mayMove: (from, to) => from !== 'pending' && right.mayMove(from, to) },
      ['moveIssue.transitions'],
    ],
    ['does not say when it was solved', { solvedAt: () => null }, ['moveIssue.transitions']],
    [
      'keeps when it was solved',
      { solvedAt: (to, before, now) => (to === 'solved' ? now : before) },
      ['moveIssue.transitions'],
    ],
    ['counts what is removed', { isGrouped: () => true }, ['getStats.aggregated']],
    ['moves no comments', { movesComments: false }, ['mergeIssue.acted']],
    [
      'does not count what is moved',
      { commentCount: (count, isTarget) => (isTarget ? 0 : count) },
      ['mergeIssue.acted'],
    ],
    ['adds no labels', { joined: (_own, target) => target }, ['mergeIssue.acted']],
    ['takes over the subject', { kept: (from) => from.subject }, ['mergeIssue.acted']],
    ['leaves a merged issue open', { afterMerge: { state: 'open' } }, ['mergeIssue.acted']],
    ['names no target', { mergedInto: () => 'iss_00000000' }, ['mergeIssue.acted']],
    ['comments on what is closed', { mayComment: () => true }, ['moveIssue.transitions']],
    [
      'does what it refuses',
      { refuse: (act) => (act(), [422]) },
      ['addIssue.refused', 'changeIssue.refused', 'conformance.listIssues.200.body', 'conformance.getIssue.200.body'],
    ],
    ['changes what it refuses to move', { conflict: (one) => ((one.priority = 'high'), [409]) }, ['moveIssue.refused']],
    ['restores what is not removed', { isRemoved: () => true }, ['restoreIssue.acted']],
    ['changes the first of several', { isChanged: (place) => place === 0 }, ['changeIssues.changed-several']],
    ['changes what is of others', { mayChange: () => true }, ['changeIssues.changed-several']],
    ['exports commas without quotes', { cell: (each) => each }, ['readExport.exported']],
  ],
  secrets,
);
