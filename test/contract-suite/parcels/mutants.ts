/**
 * Fifty servers that break what openapi.yaml promises, each by one edit of server.ts: `[id, kind, what breaks, [text, new text]]`.
 * They were written before anything was run against them, from the document alone; docs/peers.md has what tools found of them.
 */
type Mutant = readonly [id: string, kind: string, breaks: string, edit: readonly [text: string, by: string]];

const wait = 'await new Promise((resolve) => setTimeout(resolve, 20));';

// oxfmt-ignore
export const mutants: readonly Mutant[] = [
  ['update-not-kept', 'state', 'the update is in its response alone', ['const parcel = find(call);\n  const match', 'const parcel = { ...find(call) };\n  const match']],
  ['delete-not-done', 'state', 'a deleted parcel can still be read', ['parcels = parcels.filter((each) => each !== parcel);', '']],
  ['delete-all', 'state', 'a deletion takes the other parcels too', ['(each) => each !== parcel', '(each) => each.account !== parcel.account']],
  ['create-not-kept', 'state', 'what was created cannot be read', ['parcels.push(parcel);', '']],
  ['update-loses-note', 'state', 'an update sets the note to null', ["tags: [], note: null, ...fields } as unknown as Parcel['fields']", "tags: [], ...fields, note: null } as unknown as Parcel['fields']"]],
  ['update-merges', 'state', 'an update leaves what it does not name', ['{ id, status, created_at, has_label, tags: [], note: null, ...fields }', '{ ...parcel.fields, id, status, created_at, has_label, ...fields }']],
  ['event-without-status', 'state', 'an event does not change the status', ["status: String(fields['status']) }", 'status: parcel.fields.status }']],
  ['label-not-told', 'state', 'has_label stays false', ['has_label: true', 'has_label: false']],
  ['label-as-text', 'state', 'the bytes of a label come back altered', ['bytes: call.body }', 'bytes: Buffer.from(call.body.toString()) }']],
  ['update-renews-time', 'state', 'an update changes created_at', ['const { id, status, created_at, has_label } = parcel.fields;', 'const { id, status, has_label } = parcel.fields;\n  const created_at = new Date(Date.now() + 1000).toISOString();']],

  ['maximum-refused', 'valid refused', 'a weight of 30000', ['weight = integer(1, 30000)', 'weight = integer(1, 29999)']],
  ['bytes-counted', 'valid refused', 'a text of as many characters as allowed, of two bytes each', ['Array.from(value).length <= max', 'Buffer.byteLength(value) <= max']],
  ['null-refused', 'valid refused', 'a note of null', ['note: nullable(text(0, 200))', 'note: text(0, 200)']],
  ['png-refused', 'valid refused', 'the second media type of an upload', ["types: ['application/pdf', 'image/png']", "types: ['application/pdf']"]],
  ['charset-refused', 'valid refused', 'application/json with a parameter', [".split(';')[0]?.trim()", '.trim()']],

  ['unknown-field', 'invalid accepted', 'a field that the schema does not have', ['Object.entries(value);', 'Object.entries(value).filter(([name]) => Object.hasOwn(properties, name));']],
  ['nested-required', 'invalid accepted', 'an address without its postcode', ["['street', 'postcode', 'country']", "['street', 'country']"]],
  ['duplicates', 'invalid accepted', 'a tag twice', ['tags(value) && unique(value)', 'tags(value)']],
  ['minimum', 'invalid accepted', 'a weight of 0', ['weight = integer(1, 30000)', 'weight = integer(0, 30000)']],
  ['pattern-end', 'invalid accepted', 'a postcode with more after it', ['text(5, 5, /^[0-9]{5}$/)', 'text(5, 100, /^[0-9]{5}/)']],
  ['limit-unbounded', 'invalid accepted', 'a limit of 51 events', ["call.query, 'limit', integer(1, 50)", "call.query, 'limit', integer(1, 5000)"]],
  ['if-match-optional', 'invalid accepted', 'an update without If-Match', ["call.headers['if-match'];", "call.headers['if-match'] ?? etagOf(parcel);"]],
  ['any-media-type', 'invalid accepted', 'an event as text/plain', ['types: json, handle: addEvent', 'handle: addEvent']],

  ['second-status', 'query', 'only the first of several statuses counts', ['wanted.includes(status)', 'wanted[0] === status']],
  ['some-tag', 'query', 'one of the tags is enough', ['tagged.every(', 'tagged.length === 0 || tagged.some(']],
  ['maximum-excluded', 'query', 'weight[max] leaves out that weight itself', ['grams <= max', 'grams < max']],
  ['sort-ignored', 'query', 'the order is always the same', ["sort === 'created_at' ? matching : matching.toReversed()", 'matching.toReversed()']],
  ['cursor-skips', 'query', 'the next page leaves one out', ['String(end) : null', 'String(end + 1) : null']],
  ['other-delimiter', 'query', 'countries are split at commas', ["'country', '|'", "'country', ','"]],

  ['foreign-parcel', 'security', "another account's parcel is found by its id", ['account === principal.account && fields.id', 'fields.id']],
  ['foreign-list', 'security', "the list has every account's parcels", ['.filter(({ account }) => account === principal.account)', '']],
  ['scope-of-delete', 'security', 'a token that may only read deletes', ['DELETE: { scope: write', 'DELETE: { scope: read']],
  ['no-credential', 'security', 'the account is told to anybody', ['GET: { scope: read, handle: getAccount', 'GET: { isPublic: true, handle: getAccount']],
  ['key-any-case', 'security', 'a key in capitals is accepted', ["keys.get(String(headers['x-parcel-key']))", "keys.get(String(headers['x-parcel-key']).toLowerCase())"]],
  ['other-scheme', 'security', 'a token after another word than Bearer is accepted', ['/^bearer ([^ ]+)$/i', '/bearer ([^ ]+)$/i']],
  ['foreign-reference', 'security', "another account's reference is refused as in use", ['each.account === account && each.fields.reference', 'each.fields.reference']],
  ['foreign-replay', 'security', "another account's idempotency key gives its response", ['`${principal.account} ${key}`', '`${key}`']],

  ['wrong-location', 'headers', 'Location leads nowhere', ['`/parcels/${parcel.fields.id}`', '`/parcels/${randomUUID()}`']],
  ['constant-etag', 'headers', 'ETag stays when the parcel changes', ['.update(JSON.stringify(fields))', '.update(fields.id)']],
  ['label-type', 'headers', 'a PNG is sent as a PDF', ["'content-type': label.type", "'content-type': 'application/pdf'"]],
  ['short-allow', 'headers', 'Allow leaves methods out', ["Object.keys(operations).join(', ')", "Object.keys(operations)[0] ?? ''"]],
  ['count-of-page', 'headers', 'X-Total-Count is that of the page', ['String(events.length)', 'String(Math.min(events.length, limit))']],

  ['problem-as-json', 'errors', 'an error is application/json', ["'content-type': 'application/problem+json'", "'content-type': 'application/json'"]],
  ['other-status', 'errors', "the body's status is not the response's", ["?? 'Error', status, detail", "?? 'Error', status: 400, detail"]],
  ['null-left-out', 'errors', 'detail is left out in place of null', ["?? 'Error', status, detail }", "?? 'Error', status, ...(detail !== null && { detail }) }"]],
  ['malformed-json', 'errors', 'a body that is no JSON ends in a 500', ["Refusal(400, 'The body is no JSON')", 'Refusal(500)']],

  ['lost-update', 'concurrency', 'two updates with one If-Match at once both succeed', ['throw new Refusal(412);', `throw new Refusal(412);\n  ${wait}`]],
  ['replay-at-once', 'concurrency', 'two requests with one idempotency key at once conflict', ['if (kept) return kept.reply;', `if (kept) return kept.reply;\n  ${wait}`]],
  ['reference-at-once', 'concurrency', 'two parcels of one reference are created at once', ["assertFreeReference(principal.account, fields['reference']);", `assertFreeReference(principal.account, fields['reference']);\n  ${wait}`]],
  ['oldest-forgotten', 'concurrency', 'the oldest parcel is gone after forty', ['parcels.push(parcel);', 'parcels = [...parcels, parcel].slice(-40);']],
];
