/** Relations of what belongs to an item: comments without a path of their own, files, tags, counts, jobs, and who it is about. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { test } from '@jest/globals';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { eachRun } from '../support/contract.ts';
import { expectFailed, type Reply } from '../support/planted-faults.ts';
import { loadDocument } from '../../contract/document/index.ts';

const run = eachRun();
const [token, key] = [schemeEntry('token'), schemeEntry('key')];
const secrets = {
  ...{ [token]: 'own-token', [entryOf('other', token)]: 'other-token', [entryOf('lesser', token)]: 'own-reader' },
  ...{ [key]: 'own-key', [entryOf('lesser', key)]: 'own-reader-key' },
};

const api = await loadDocument(fileURLToPath(new URL('./documents/tickets.yaml', import.meta.url)));

interface Ticket {
  id: string;
  of: string;
  number: number;
  subject: string;
  priority: string;
  status: string;
  requester_id: string;
  due: string | null;
  tags: string[];
}
type Part = { id: string; of: string; ticket: string; text: string; bytes: Buffer };

/** How a server does what the mutants do otherwise. */
const right = {
  mayWrite: (isReader: boolean, _isByKey: boolean, _path: string) => !isReader,
  counted: (comments: number) => comments,
  tagsWithout: (tags: string[], tag: string) => tags.filter((each) => each !== tag),
  total: (now: number, _ever: number) => now,
  linked: (query: string) => query,
  ranks: ['low', 'normal', 'high'],
  any: (asked: string[]) => asked,
  goesWith: true,
  alsoChanges: (_other: Ticket, _one: Ticket) => false,
  isTarget: (target: Ticket, of: string) => target.of === of,
  isJobOf: (job: Part, of: string) => job.of === of,
  stored: (bytes: Buffer<ArrayBuffer>) => bytes,
  digest: (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex'),
  length: (text: string) => Array.from(text).length,
  isScore: (score: unknown) => Number.isInteger(score),
  headLength: (length: number) => length,
  tagMark: (tags: string[]) => tags.join(),
};

function ticketServer(wrong: Partial<typeof right>): RequestListener {
  const ways = { ...right, ...wrong };
  const tickets: Ticket[] = [];
  const [customers, comments, files, jobs]: [Part[], Part[], Part[], Part[]] = [[], [], [], []];
  let ever = 0;
  const shown = ({ of: _of, ...each }: Ticket) => {
    return { ...each, comment_count: ways.counted(comments.filter(({ ticket }) => ticket === each.id).length) };
  };
  const part = (of: string, ticket: string, text = '', bytes = Buffer.alloc(0)): Part => {
    return { id: crypto.randomUUID(), of, ticket, text, bytes };
  };
  const markOf = ({ subject, due, status, tags }: Ticket) =>
    `"${right.digest(Buffer.from(JSON.stringify([subject, due, status, ways.tagMark(tags)])))}"`;
  const isText = (value: unknown, most: number) =>
    typeof value === 'string' && /\S/.test(value) && ways.length(value) <= most;
  const isDate = (value: unknown) =>
    value === null ||
    (typeof value === 'string' &&
      /^\d{4}-\d\d-\d\d$/.test(value) &&
      !Number.isNaN(Date.parse(value)) &&
      new Date(value).toISOString().startsWith(value));

  function respond(
    method: string,
    { pathname, searchParams: query }: URL,
    body: Buffer<ArrayBuffer>,
    headers: IncomingHttpHeaders,
  ): Reply {
    const secret = headers.authorization?.replace('Bearer ', '') ?? String(headers['x-key']);
    const [, of = '', kind = ''] = /^(own|other)-(token|reader|key|reader-key)$/.exec(secret) ?? [];
    if (kind === '') return [401];
    if (method !== 'GET' && !ways.mayWrite(kind.startsWith('reader'), secret.endsWith('key'), pathname)) return [403];
    const [, collection = '', id = '', below = '', name = ''] = pathname.split('/');
    const isJson = headers['content-type']?.startsWith('application/json') === true;
    const sent = isJson ? objectIn(body.toString()) : {};
    if (!sent) return [400];
    const one = tickets.find((each) => each.id === id && each.of === of);
    const ofTicket = (each: Part) => each.ticket === id && each.of === of;
    switch (`${method} ${collection}${id === '' ? '' : '/'}${below}${name === '' ? '' : '/'}`) {
      case 'GET customers':
        return [200, customers.filter((each) => each.of === of).map((each) => ({ id: each.id, name: each.text }))];
      case 'POST customers':
        if (!isText(sent['name'], 40)) return [400];
        customers.push(part(of, '', String(sent['name'])));
        return [201, { id: customers.at(-1)?.id, name: sent['name'] }];
      case 'GET tickets':
        return listed(of, query);
      case 'POST tickets': {
        const { subject, requester_id: requester, priority = 'low' } = sent;
        const isCustomer = customers.some((each) => each.id === requester && each.of === of);
        if (!isText(subject, 40) || !isCustomer || !right.ranks.includes(String(priority))) return [400];
        const known = { requester_id: String(requester), subject: String(subject), priority: String(priority) };
        tickets.push({
          id: crypto.randomUUID(),
          of,
          number: (ever += 1),
          status: 'open',
          due: null,
          tags: [],
          ...known,
        });
        return [201, shown(tickets.at(-1) as Ticket)];
      }
      case 'GET tickets/':
        return one ? [200, shown(one), { ETag: markOf(one) }] : [404];
      case 'PATCH tickets/': {
        const { subject = 'x', due = null, status = 'open' } = sent;
        if (!one) return [404];
        if (!isText(subject, 40) || !isDate(due) || !['open', 'solved', 'closed'].includes(String(status)))
          return [400];
        if (one.status === 'closed') return [409];
        Object.assign(one, sent);
        for (const each of tickets) if (sent['due'] !== undefined && ways.alsoChanges(each, one)) each.due = one.due;
        return [200, shown(one)];
      }
      case 'DELETE tickets/':
        if (!one) return [404];
        tickets.splice(tickets.indexOf(one), 1);
        for (const all of [comments, ...(ways.goesWith ? [files] : [])])
          all.splice(0, all.length, ...all.filter((each) => each.ticket !== id));
        return [204];
      case 'PUT tickets/rating': {
        const { score } = sent;
        if (!ways.isScore(score) || Number(score) < 1 || Number(score) > 5) return [400];
        return [!one ? 404 : one.status === 'open' ? 409 : 200];
      }
      case 'POST tickets/merge': {
        const target = tickets.find(
          (each) => each.id === sent['target_id'] && each.id !== id && ways.isTarget(each, of),
        );
        return !one ? [404] : target ? [200, shown(target)] : [400];
      }
      case 'GET tickets/comments':
        return one
          ? [200, comments.filter(ofTicket).map((each) => ({ id: each.id, ticket_id: id, text: each.text }))]
          : [404];
      case 'POST tickets/comments':
        if (!one) return [404];
        if (!isText(sent['text'], 50)) return [400];
        comments.push(part(of, id, String(sent['text'])));
        return [201, { id: comments.at(-1)?.id, ticket_id: id, text: sent['text'] }];
      case 'PUT tickets/tags/':
        if (!one || !/^[a-z0-9-]{1,30}$/.test(name)) return [one ? 400 : 404];
        one.tags = [...new Set([...one.tags, name])];
        return [204];
      case 'DELETE tickets/tags/':
        if (!one?.tags.includes(name)) return [404];
        one.tags = ways.tagsWithout(one.tags, name);
        return [204];
      case 'GET tickets/files':
        return one ? [200, files.filter(ofTicket).map(fileOf)] : [404];
      case 'POST tickets/files':
        if (!one) return [404];
        files.push(part(of, id, '', ways.stored(body)));
        return [201, { ...fileOf(files.at(-1) as Part), size: body.length }];
      case 'GET files/': {
        const found = files.find((each) => each.id === id && each.of === of);
        return found ? [200, found.bytes] : [404];
      }
      case 'GET figures':
        return [200, { total: ways.total(tickets.filter((each) => each.of === of).length, ever) }];
      case 'POST closings': {
        const ids = sent['ticket_ids'] as string[] | undefined;
        if (!Array.isArray(ids) || ids.length === 0 || ids.length > 9) return [400];
        jobs.push(part(of, ''));
        return [202, { id: jobs.at(-1)?.id, status: 'done' }, { Location: `/jobs/${jobs.at(-1)?.id}` }];
      }
      case 'GET jobs/': {
        const job = jobs.find((each) => each.id === id && ways.isJobOf(each, of));
        return job ? [200, { id, status: 'done' }] : [404];
      }
      default:
        return [404];
    }
  }

  const fileOf = ({ id, bytes }: Part) => ({ id, size: bytes.length, sha256: ways.digest(bytes) });

  function listed(of: string, query: URLSearchParams): Reply {
    const [limit, page, sort] = [
      Number(query.get('limit') ?? 50),
      Number(query.get('page') ?? 1),
      query.get('sort') ?? '-number',
    ];
    const asked = query.get('priority')?.split(',');
    const areKnown = asked?.every((each) => right.ranks.includes(each)) ?? true;
    if (!(limit >= 1 && limit <= 50 && page >= 1) || !areKnown || !/^-?(number|priority)$/.test(sort)) return [400];
    const found = tickets.filter((each) => each.of === of && (!asked || ways.any(asked).includes(each.priority)));
    const scale = (each: Ticket) => (sort.endsWith('number') ? each.number : ways.ranks.indexOf(each.priority));
    const sorted = found.sort((a, b) => (sort.startsWith('-') ? scale(b) - scale(a) : scale(a) - scale(b)));
    const next = new URLSearchParams({
      ...(asked && { priority: asked.join() }),
      sort,
      limit: String(limit),
      page: String(page + 1),
    });
    const link = page * limit < found.length ? { Link: `</tickets?${ways.linked(next.toString())}>; rel="next"` } : {};
    return [200, sorted.slice((page - 1) * limit, page * limit).map(shown), link];
  }

  return (request, response) => {
    void buffer(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
      const [code, value, headers = {}] = respond(method, url, body, request.headers);
      const content = Buffer.isBuffer(value) ? value : Buffer.from(value === undefined ? '' : JSON.stringify(value));
      const type = Buffer.isBuffer(value) ? 'application/octet-stream' : 'application/json';
      const length = request.method === 'HEAD' ? ways.headLength(content.length) : content.length;
      response.writeHead(code, { 'Content-Type': type, ...(code !== 204 && { 'Content-Length': length }), ...headers });
      response.end(request.method === 'HEAD' ? undefined : content);
    });
  };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) && value ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
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
  ['keeps the files of a ticket that is gone', { goesWith: false }, ['removeTicket.removed']],
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
  ['accepts half a point', { isScore: (score) => Number.isFinite(score) }, ['explored.rateTicket.body']],
  [
    'lets keys that may only read rate',
    { mayWrite: (isReader, isByKey, path) => !isReader || (isByKey && path.endsWith('rating')) },
    ['rateTicket.lesser'],
  ],
  ['has another length for HEAD', { headLength: () => 0 }, ['getTicket.head']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(ticketServer(wrong)), api, failed, secrets);
});
