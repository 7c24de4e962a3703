/** Relations of what descriptions say in words: what a merge moves, what a removal leaves, transitions, numbers by state, several at once, jobs. */
import { fileURLToPath } from 'node:url';
import { test } from '@jest/globals';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, type Reply } from '../support/planted-faults.ts';

const run = eachRun();
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
const [notRemoved, ofNew] = [
  { removed: false },
  { state: 'open', priority: 'normal', solved_at: null, merged_into: null },
];

interface Issue {
  id: string;
  of: string;
  state: string;
  subject: string;
  priority: string;
  assignee_id: string | null;
  labels: string[];
  solved_at: string | null;
  merged_into: string | null;
  removed: boolean;
}
type Part = { id: string; of: string; text: string };
type Sent = Partial<Issue> & Record<'target_id' | 'body' | 'name', string> & { issue_ids?: string[] };

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

function issueServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const [issues, targets] = [[] as Issue[], new Set<string>()];
  const [agents, comments, exported]: [Part[], Part[], Part[]] = [[], [], []];
  const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
  const added = (all: Part[], prefix: string, of: string, text: string): Part => {
    all.push({ id: newId(prefix), of, text });
    return all.at(-1) as Part;
  };
  const shown = ({ of: _of, removed: _removed, ...each }: Issue) => {
    const { length } = comments.filter(({ of }) => of === each.id);
    return { ...each, comment_count: ways.commentCount(length, targets.has(each.id)) };
  };
  const shownAgent = ({ id, text: name }: Part) => {
    const own = issues.filter((each) => each.assignee_id === id && !each.removed && ways.isCounted(each));
    return { id, name, open_issues: own.length };
  };
  const shownComment = ({ id, text: body }: Part) => ({ id, body });
  const become = (one: Issue, changes: Partial<Issue>): Reply => [200, shown(Object.assign(one, changes))];

  const ofIssue: Record<string, (one: Issue, sent: Sent) => Reply> = {
    getIssue: (one) => [200, shown(one)],
    changeIssue: become,
    removeIssue(one) {
      one.removed = true;
      return [204];
    },
    restoreIssue: (one) => (ways.isRemoved(one) ? become(one, notRemoved) : ways.conflict(one)),
    moveIssue: (one, { state = '' }) =>
      ways.mayMove(one.state, state)
        ? become(one, { state, solved_at: ways.solvedAt(state, one.solved_at, new Date().toISOString()) })
        : ways.conflict(one),
    mergeIssue(one, { target_id: id }) {
      const target = issues.find((each) => each.id === id && each.of === one.of && !each.removed && each !== one);
      if (!target || [one.state, target.state].includes('closed')) return [target ? 409 : 422];
      for (const each of ways.movesComments ? comments : []) if (each.of === one.id) each.of = id;
      targets.add(id);
      become(one, { ...ways.afterMerge, merged_into: ways.mergedInto(id) });
      return become(target, { labels: ways.joined(one.labels, target.labels), subject: ways.kept(one, target) });
    },
    listComments: (one) => [200, comments.filter((each) => each.of === one.id).map(shownComment)],
    addComment: (one, { body }) =>
      ways.mayComment(one) ? [201, shownComment(added(comments, 'cmt', one.id, body))] : [409],
  };

  const ofAll: Record<string, (of: string, sent: Sent, query: URLSearchParams, id: string) => Reply> = {
    listAgents: (of) => [200, agents.filter((each) => each.of === of).map(shownAgent)],
    addAgent: (of, { name }) => [201, shownAgent(added(agents, 'agt', of, name))],
    getAgent: (of, _sent, _query, id) => [
      200,
      agents.filter((each) => each.id === id && each.of === of).map(shownAgent)[0],
    ],
    removeAgent(of, _sent, _query, id) {
      for (const each of issues) if (each.assignee_id === id && each.of === of) each.assignee_id = ways.left(id);
      agents.splice(
        agents.findIndex((each) => each.id === id),
        1,
      );
      return [204];
    },
    listIssues(of, _sent, query) {
      const [asked, sort] = [query.get('assignee_id'), query.get('sort')];
      const isFound = (each: Issue) =>
        asked === 'none' ? ways.ofNobody(each) : each.assignee_id === (asked ?? each.assignee_id);
      const found = issues.filter((each) => each.of === of && !each.removed && isFound(each));
      if (sort !== null) found.sort((one, other) => ways.rank(one.priority) - ways.rank(other.priority));
      return [200, (sort === '-priority' ? found.reverse() : found).map(shown)];
    },
    addIssue(of, { subject = '', ...sent }) {
      issues.push({ id: newId('iss'), of, ...notRemoved, ...ofNew, assignee_id: null, labels: [], subject, ...sent });
      return [201, shown(issues.at(-1) as Issue)];
    },
    changeIssues(of, { issue_ids: ids = [], priority = '' }) {
      const isUpdated = (id: string, place: number) => {
        const one = issues.find((each) => each.id === id && ways.mayChange(each.of === of) && !each.removed);
        if (one && ways.isChanged(place)) one.priority = priority;
        return one !== undefined;
      };
      const updated = ids.filter(isUpdated);
      return [200, { updated, failed: ids.filter((each) => !updated.includes(each)) }];
    },
    getStats(of) {
      const known = issues.filter((each) => each.of === of && ways.isGrouped(each));
      return [
        200,
        { by_state: Object.fromEntries(states.map((is) => [is, known.filter(({ state }) => state === is).length])) },
      ];
    },
    startExport(of, { state }) {
      const found = issues.filter((each) => each.of === of && !each.removed && (state ?? each.state) === each.state);
      const rows = found.map((each) => `${each.id},${ways.cell(each.subject)}\r\n`);
      const { id } = added(exported, 'exp', of, ['id,subject\r\n', ...rows].join(''));
      return [202, { id }, { Location: `/exports/${id}` }];
    },
    getExport: (_of, _sent, _query, id) => [200, { id }],
    readExport: (_of, _sent, _query, id) => [200, exported.find((each) => each.id === id)?.text],
  };

  return describedServer(api, ({ operationId, id, query, sent: given, headers, faults: [fault] }) => {
    const sent = given as Sent;
    const one = issues.find((each) => each.id === id);
    const [, of = ''] = /^Bearer (own|other)-token$/.exec(headers.authorization ?? '') ?? [];
    const byKey = operationId === 'getIssue' && /^own-key/.test(String(headers['x-key']));
    if (of === '' && byKey)
      return one && (headers['x-key'] === 'own-key' || ways.isSeenByKey(one)) ? [200, shown(one)] : [404];
    const { assignee_id: assignee = null } = sent;
    const isKnown = assignee === null || agents.some((each) => each.id === assignee && each.of === of);
    const isThere = [...agents, ...exported].some((each) => each.id === id && each.of === of);
    if (of === '') return [401];
    const { [operationId]: act } = ofIssue;
    if (one?.of === of && (!one.removed || operationId === 'restoreIssue') && act)
      return fault || !ways.isAgent(isKnown) ? ways.refuse(() => act(one, sent)) : act(one, sent);
    if (act || (id !== '' && id !== 'bulk' && !isThere)) return [404];
    const actOnAll = () => ofAll[operationId]?.(of, sent, query, id) ?? [404];
    return fault || !ways.isAgent(isKnown) ? ways.refuse(actOnAll) : actOnAll();
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
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
  ['does not count what is moved', { commentCount: (count, isTarget) => (isTarget ? 0 : count) }, ['mergeIssue.acted']],
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
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(issueServer(wrong)), api, failed, secrets);
});
