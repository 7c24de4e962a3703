/** Relations of what belongs to an item: comments without a path of their own, files, tags, counts, jobs, and who it is about. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';

const [token, key] = [schemeEntry('token'), schemeEntry('key')];
const secrets = {
  ...{ [token]: 'own-token', [entryOf('other', token)]: 'other-token', [entryOf('lesser', token)]: 'own-reader' },
  ...{ [key]: 'own-key', [entryOf('lesser', key)]: 'own-reader-key' },
};

const api = await loadDocument(fileURLToPath(new URL('./documents/tickets.yaml', import.meta.url)));

type Ticket = Record<'id' | 'subject' | 'priority' | 'status' | 'requester_id', string> & {
  number: number;
  due: string | null;
  tags: string[];
};
type Fields = Ticket & { text: string; bytes: Buffer; score: number; target_id: string };

/** How a server does what the mutants do otherwise. */
const right = {
  mayWrite: (isReader: boolean, _isByKey: boolean, _path: string) => !isReader,
  counted: (comments: number) => comments,
  tagsWithout: (tags: string[], tag: string) => tags.filter((each) => each !== tag),
  total: (now: number, _ever: number) => now,
  linked: (query: string) => query,
  ranks: ['low', 'normal', 'high'],
  any: (asked: string[]) => asked,
  alsoChanges: (_other: Fields, _one: Fields) => false,
  isTarget: (isOwn: boolean) => isOwn,
  isJobOf: (isOwn: boolean) => isOwn,
  stored: (bytes: Buffer) => bytes,
  digest: (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex'),
  length: (text: string) => Array.from(text).length,
  accepts: (_score: number) => false,
  headLength: (length: number) => length,
  tagMark: (tags: string[]) => tags.join(),
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  let ever = 0;
  return {
    caller({ authorization, 'x-key': byKey }, { method, path }) {
      const secret = authorization?.replace('Bearer ', '') ?? String(byKey);
      const [, of, kind] = /^(own|other)-(token|reader|key|reader-key)$/.exec(secret) ?? [];
      if (of === undefined || kind === undefined) return 401;
      return method === 'get' || ways.mayWrite(kind.startsWith('reader'), secret.endsWith('key'), path) ? of : 403;
    },
    invalid: (_faults, { operation, sent }, act) =>
      operation.operationId === 'rateTicket' && ways.accepts(sent.score) ? act() : 400,
    kinds: {
      customers: {},
      tickets: {
        initial: () => ({ number: (ever += 1), priority: 'low', status: 'open', due: null, tags: [] }),
        refused({ subject, requester_id: requester }, { find }, item) {
          if (!find('customers', requester) || ways.length(subject) > 40) return 400;
          return item?.status === 'closed' ? 409 : undefined;
        },
        shown: (each, { all }) => ({ ...each, comment_count: ways.counted(all('comments', each).length) }),
        etag: ({ subject, due, status, tags }) =>
          `"${right.digest(Buffer.from(JSON.stringify([subject, due, status, ways.tagMark(tags)])))}"`,
        listed(tickets, { query, shown }) {
          const [limit, page] = [Number(query.get('limit') ?? 50), Number(query.get('page') ?? 1)];
          const [sort, asked] = [query.get('sort') ?? '-number', query.get('priority')?.split(',')];
          const found = tickets.filter((each) => !asked || ways.any(asked).includes(each.priority));
          const scale = (each: Ticket) => (sort.endsWith('number') ? each.number : ways.ranks.indexOf(each.priority));
          const sorted = found.sort((a, b) => (sort.startsWith('-') ? scale(b) - scale(a) : scale(a) - scale(b)));
          const next = new URLSearchParams({
            ...{ ...(asked && { priority: asked.join() }), sort, limit: String(limit), page: String(page + 1) },
          });
          const link = { Link: `</tickets?${ways.linked(next.toString())}>; rel="next"` };
          const shownNow = sorted.slice((page - 1) * limit, page * limit).map(shown);
          return [200, shownNow, page * limit < found.length ? link : {}];
        },
      },
      comments: { shown: (each, { item }) => ({ ...each, ticket_id: item.id }) },
      files: { shown: ({ id, bytes }) => ({ id, size: bytes.length, sha256: ways.digest(bytes) }) },
      jobs: { isSeen: (_each, _call, isOwn) => ways.isJobOf(isOwn) },
    },
    acts: {
      getTicket({ method, item, shown, usual }) {
        const length = Buffer.byteLength(JSON.stringify(shown(item)));
        return method === 'HEAD' && ways.headLength(length) !== length
          ? [200, undefined, { 'Content-Length': 0 }]
          : usual();
      },
      changeTicket({ item, sent, all, usual }) {
        const changed = usual();
        if ('due' in sent && changed === item)
          for (const each of all('tickets')) if (ways.alsoChanges(each, item)) each.due = item.due;
        return changed;
      },
      rateTicket: ({ item }) => (item.status === 'open' ? 409 : 200),
      mergeTicket({ item, sent, all, ofAnybody }) {
        const isTarget = (each: Fields) => each.id === sent.target_id && ways.isTarget(all('tickets').includes(each));
        return ofAnybody('tickets').find((each) => each !== item && isTarget(each)) ?? 400;
      },
      addTag({ item, texts: [, tag = ''] }) {
        item.tags = [...new Set([...item.tags, tag])];
        return 204;
      },
      removeTag({ item, texts: [, tag = ''] }) {
        if (!item.tags.includes(tag)) return 404;
        item.tags = ways.tagsWithout(item.tags, tag);
        return 204;
      },
      addFile({ item, body, create, shown }) {
        return [201, { ...shown(create('files', { bytes: ways.stored(body) }, item)), size: body.length }];
      },
      readFile: ({ item }) => [200, item.bytes],
      getFigures: ({ all }) => [200, { total: ways.total(all('tickets').length, ever) }],
      closeTickets({ create }) {
        const job = create('jobs', { status: 'done' });
        return [202, job, { Location: `/jobs/${job.id}` }];
      },
    },
  };
}

testFaults(
  api,
  right,
  behaviour,
  [
    ['counts a comment twice', { counted: (comments) => 2 * comments }, ['getTicket.aggregated']],
    ['counts tickets that are gone', { total: (_now, ever) => ever }, ['getFigures.aggregated']],
    [
      'removes tags that begin alike',
      { tagsWithout: (tags, tag) => tags.filter((each) => !each.startsWith(tag)) },
      ['addTag.put'],
    ],
    ['keeps its ETag when a tag is added', { tagMark: () => '' }, ['addTag.put']],
    ['leaves filters out of Link', { linked: (query) => query.replace(/priority=[^&]*&/, '') }, ['listTickets.paged']],
    ['sorts priorities by their letters', { ranks: ['high', 'low', 'normal'] }, ['listTickets.sorted']],
    ['heeds the first two of several values', { any: (asked) => asked.slice(0, 2) }, ['listTickets.filtered.priority']],
    [
      'changes the due dates of other tickets',
      { alsoChanges: (other, one) => other.requester_id === one.requester_id },
      ['changeTicket.changed'],
    ],
    ['merges with tickets of others', { isTarget: () => true }, ['mergeTicket.acted']],
    ['shows jobs of others', { isJobOf: () => true }, ['getJob.other-tenant']],
    ['cuts off files', { stored: (bytes) => bytes.subarray(0, 65_536) }, ['addFile.uploaded']],
    ['has a wrong digest', { digest: (bytes) => right.digest(bytes.subarray(1)) }, ['addFile.uploaded']],
    ['counts units of UTF-16', { length: (text) => text.length }, ['addTicket.edges']],
    ['accepts half a point', { accepts: (score) => score > 1 && score < 5 }, ['explored.rateTicket.body']],
    [
      'lets keys that may only read rate',
      { mayWrite: (isReader, isByKey, path) => !isReader || (isByKey && path.endsWith('rating')) },
      ['rateTicket.lesser'],
    ],
    ['has another length for HEAD', { headLength: () => 0 }, ['getTicket.head']],
  ],
  secrets,
);
