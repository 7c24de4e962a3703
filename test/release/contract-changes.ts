import { type Kind, type Json, object } from '../../scripts/release/document.ts';

/** A change of the document, and what kind of change it is. */
export type ContractChange = readonly [title: string, kind: Kind, ...steps: Step[]];

type Step = (document: Json) => void;

/** Does something at a place: the keys on the way to it, separated by spaces, of which the last is a key of its parent. */
const at =
  (place: string, act: (parent: Json, key: string, document: Json) => void): Step =>
  (document) => {
    const keys = place.split(' ');
    const key = keys.pop() ?? '';
    act(
      keys.reduce((node, name) => object(node[name]), document),
      key,
      document,
    );
  };

const set = (place: string, value: unknown) => at(place, (parent, key) => (parent[key] = value));

/** Removes a key or an item of a list. */
const remove = (place: string) =>
  at(place, (parent, key) => {
    if (!(key in parent)) throw new Error(`There is nothing at ${place}.`);
    if (Array.isArray(parent)) parent.splice(Number(key), 1);
    else Reflect.deleteProperty(parent, key);
  });

/** Adds an item to the list at a place. */
const append = (place: string, item: unknown) => at(place, (parent, key) => (parent[key] as unknown[]).push(item));

const move = (place: string, target: string) =>
  at(place, (parent, key, document) => {
    set(target, parent[key])(document);
    remove(place)(document);
  });

const read = 'paths /organisations/features/verification get';
const update = 'paths /organisations/features/verification put';
const readCase = 'paths /cases/{id} get';
const fields = 'components schemas Case properties';
const sent = 'components schemas VerificationSettingUpdate';
const response = 'components responses';
const text = { type: 'string' };

const ofOperations: ContractChange[] = [
  ['a path is removed', 'breaking', remove('paths /cases/{id}')],
  ['an operationId is another', 'breaking', set(`${update} operationId`, 'x')],
  ['an operation moves to another tag', 'breaking', set(`${update} tags`, ['Cases'])],
  ['a server is removed', 'breaking', remove('servers 1')],
  ['a server of a path is another', 'breaking', set('paths /cases/{id} servers 0 url', 'https://other.example')],
  ['a server is added', 'compatible', append('servers', { url: 'https://api.us.document-analysis.example' })],
  ['another credential is needed', 'breaking', set(`${readCase} security`, [{ apiKey: [] }])],
  ['no credential is needed', 'breaking', set(`${readCase} security`, [])],
  ['a credential has another header', 'breaking', set('components securitySchemes apiKey name', 'x-key')],
  ['a credential is of another type', 'breaking', set('components securitySchemes apiKey type', 'http')],
  ['another permission is required', 'breaking', set(`${read} x-required-permission`, 'settings:read')],
  ['a permission is required', 'breaking', set(`${readCase} x-required-permission`, 'cases:read')],
  ['a permission is no longer required', 'compatible', set(`${read} x-required-permission`, null)],
  ['a feature is required', 'breaking', set(`${readCase} x-required-feature`, 'verification')],
  ['an extension that no rule knows is added', 'breaking', set(`${readCase} x-unknown`, true)],
  ['the document is of another OpenAPI version', 'breaking', set('openapi', '3.1.0')],
];

const ofRequests: ContractChange[] = [
  ['a field must be sent', 'breaking', set(`${sent} properties reason`, text), append(`${sent} required`, 'reason')],
  ['further fields may be sent', 'compatible', remove(`${sent} additionalProperties`)],
  ['a parameter is shorter', 'breaking', set(`${readCase} parameters 0 schema maxLength`, 36)],
  ['a parameter has a format', 'breaking', set(`${readCase} parameters 0 schema format`, 'uuid')],
  ['a parameter matches a pattern', 'breaking', set(`${readCase} parameters 0 schema pattern`, '^[0-9a-f-]+$')],
  [
    'a path parameter has another name',
    'breaking',
    set(`${readCase} parameters 0 name`, 'case_id'),
    move('paths /cases/{id}', 'paths /cases/{case_id}'),
  ],
];

const other = { value: { error_code: 'request.not-found', error_message: 'Not here.' } };
const forbiddenExamples = `${response} OrganisationForbidden content application/json examples`;

const ofResponses: ContractChange[] = [
  ['a refusal is removed', 'breaking', remove(`${update} responses 413`)],
  ['the response to a failure is removed', 'breaking', remove(`${update} responses 503`)],
  ['success has another status', 'breaking', move(`${update} responses 200`, `${update} responses 201`)],
  ['an error code leaves its status', 'breaking', remove(`${forbiddenExamples} permission-missing`)],
  ['a status gets an error code', 'compatible', set(`${forbiddenExamples} other`, other)],
  ['a header is removed', 'breaking', remove(`${response} RateLimitExceeded headers Retry-After`)],
  ['an optional header is removed', 'breaking', remove(`${response} InternalError headers RateLimit`)],
  ['a header becomes optional', 'breaking', set('components headers Retry-After required', false)],
  ['a header has another type', 'breaking', set('components headers Retry-After schema', text)],
  ['a header may be lower', 'breaking', set('components headers Retry-After schema minimum', 0)],
  [
    'a header matches another pattern',
    'breaking',
    set(`${response} InvalidApiKey headers WWW-Authenticate schema pattern`, '^Key$'),
  ],
  ['a response of the service is removed', 'breaking', remove('x-service-responses 405')],
  ['a response of the service loses a header', 'breaking', remove('x-service-responses 405 headers Allow')],
  ['a response of the service is added', 'compatible', set('x-service-responses 414', { description: 'Too long.' })],
];

const ofBodies: ContractChange[] = [
  ['a field is removed', 'breaking', remove(`${fields} label`), remove('components schemas Case required 1')],
  ['a field is added', 'compatible', set(`${fields} priority`, text)],
  ['a field has no format', 'breaking', remove(`${fields} case_id format`)],
  ['a field has another format', 'breaking', set(`${fields} created_at format`, 'date')],
  ['a text is longer', 'breaking', set(`${fields} label maxLength`, 300)],
  ['a text has no bound', 'breaking', remove(`${fields} label maxLength`)],
  ['a text is shorter', 'compatible', set(`${fields} label maxLength`, 100)],
  ['a number may be lower', 'breaking', remove(`${fields} total_files minimum`)],
  ['a list is capped', 'compatible', set(`${fields} files maxItems`, 100)],
  ['a list holds something else', 'breaking', set(`${fields} files items`, text)],
  [
    'an open enumeration gets a value',
    'compatible',
    append('components schemas Error properties error_code x-extensible-enum', 'request.conflict'),
  ],
  [
    'an open enumeration loses a value',
    'breaking',
    remove('components schemas Error properties error_code x-extensible-enum 0'),
  ],
  [
    'an open enumeration is gone',
    'breaking',
    remove('components schemas FileSummary properties analysis_status x-extensible-enum'),
  ],
  ['further fields are excluded', 'compatible', set('components schemas Case additionalProperties', false)],
  ['further fields have a type', 'compatible', set(`${fields} metadata additionalProperties`, text)],
  [
    'a schema has another name',
    'breaking',
    move('components schemas FileSummary', 'components schemas File'),
    set(`${fields} files items`, { $ref: '#/components/schemas/File' }),
  ],
  [
    'a keyword that no rule knows is added',
    'breaking',
    set('components schemas Case oneOf', [{ required: ['label'] }]),
  ],
];

const ofTexts: ContractChange[] = [
  ['nothing', 'none'],
  [
    'the message of an error that nobody gets yet',
    'text',
    set('x-error-codes request.cases.case.already-locked error_message', 'Locked.'),
  ],
  ['the version', 'none', set('info version', '9.9.9')],
  ['a description', 'text', set(`${read} description`, 'Other words.')],
  ['an example of a field', 'text', set(`${fields} label example`, 'Other')],
  ['a code sample', 'text', set(`${read} x-codeSamples`, [])],
  ['the contact', 'text', set('info contact email', 'other@document-analysis.example')],
];

/** Changes of the document, each with its verdict, by its part: of those that oasdiff alone judges, one of each part. */
export const contractChanges = [
  ['operations, servers, credentials', ofOperations],
  ['requests', ofRequests],
  ['statuses and headers of responses', ofResponses],
  ['bodies of responses', ofBodies],
  ['texts', ofTexts],
] as const;
