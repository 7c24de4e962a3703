import { httpMethods } from '../../contract/document/model.ts';
import { breaking, byKey, byValue, type Change, compatible, type Json, object, sameButTexts } from './document.ts';
import { contentRules, schemaRules, unjudged } from './schema-rules.ts';

const requirements = ['x-required-permission', 'x-required-feature'];

/**
 * Judges changes that oasdiff does not: to servers, security schemes, permissions, features, error codes, the schemas
 * of headers, and some keywords of all schemas. Expects documents with resolved references.
 */
export function ownRules(before: Json, after: Json): Change[] {
  return [
    ...unjudged(before, after, ['info', 'servers', 'paths', 'components', 'tags', 'x-error-codes'], 'the document'),
    ...listedErrorRules(object(before['x-error-codes']), object(after['x-error-codes'])),
    ...serverRules(before, after, 'the document'),
    ...securitySchemeRules(schemesOf(before), schemesOf(after)),
    ...byKey(object(before['paths']), object(after['paths']), { both: pathRules }),
  ];
}

/** Judges the errors in `x-error-codes`, with which no operation responds. */
function listedErrorRules(before: Json, after: Json): Change[] {
  const [where, list] = ['the document', 'in x-error-codes'];
  return byKey(before, after, {
    added: (code) => compatible(where, `${code} ${list} is added`),
    removed: (code) => compatible(where, `${code} ${list} is removed`),
    both: (code, ...errors) => {
      const [old, current] = errors.map(({ status }) => String(status));
      return old === current ? [] : [breaking(where, `${code} ${list} changed its status from ${old} to ${current}`)];
    },
  });
}

function schemesOf(document: Json): Json {
  return object(object(document['components'])['securitySchemes']);
}

function securitySchemeRules(before: Json, after: Json): Change[] {
  return Object.keys(before)
    .filter((name) => !sameButTexts(before[name], after[name]))
    .map((name) => breaking('the document', `the security scheme \`${name}\` changed or is gone`));
}

function pathRules(path: string, before: Json, after: Json): Change[] {
  return [
    ...unjudged(before, after, [...httpMethods, 'servers', 'parameters'], path),
    ...serverRules(before, after, path),
    ...parameterRules(path, before, after),
    ...httpMethods
      .filter((method) => method in before && method in after)
      .flatMap((method) =>
        operationRules(`${method.toUpperCase()} ${path}`, object(before[method]), object(after[method])),
      ),
  ];
}

function operationRules(where: string, before: Json, after: Json): Change[] {
  const judged = ['operationId', 'tags', 'deprecated', 'security', 'parameters', 'requestBody', 'responses', 'servers'];
  const [oldBody, body] = [object(before['requestBody']), object(after['requestBody'])];
  return [
    ...unjudged(before, after, [...judged, ...requirements], where),
    ...serverRules(before, after, where),
    ...requirements.flatMap((key) => requirementRule(where, key, before[key] ?? null, after[key] ?? null)),
    ...parameterRules(where, before, after),
    ...unjudged(oldBody, body, ['content', 'required', 'x-max-body-bytes'], where),
    ...bodySizeRule(where, before, after),
    ...contentRules(oldBody, body, { where, what: 'the body', direction: 'request' }),
    ...responseRules(where, object(before['responses']), object(after['responses'])),
  ];
}

function requirementRule(where: string, key: string, old: unknown, current: unknown): Change[] {
  if (old === current) return [];
  const text = `${key} changed from ${JSON.stringify(old)} to ${JSON.stringify(current)}`;
  return [current === null ? compatible(where, text) : breaking(where, text)];
}

/** Judges changed parameters. oasdiff reports added and removed ones. */
function parameterRules(where: string, before: Json, after: Json): Change[] {
  return byKey(parametersOf(before), parametersOf(after), {
    both: (what, old, current) => [
      ...unjudged(old, current, ['name', 'in', 'required', 'schema', 'deprecated'], where),
      ...schemaRules(object(old['schema']), object(current['schema']), { where, what, direction: 'request' }),
    ],
  });
}

function parametersOf({ parameters = [] }: Json): Json {
  const named = (parameters as { in: string; name: string }[]).map((parameter) => [
    `the ${parameter.in} parameter \`${parameter.name}\``,
    parameter,
  ]);
  return Object.fromEntries(named) as Json;
}

/** Judges the servers of the document, a path or an operation. */
function serverRules(before: Json, after: Json, where: string): Change[] {
  return byKey(serversOf(before), serversOf(after), {
    added: (url) => compatible(where, `the server ${url} is added`),
    removed: (url) => breaking(where, `the server ${url} is removed`),
    both: (url, old, current) => unjudged(old, current, ['url'], `the server ${url}`),
  });
}

function serversOf({ servers = [] }: Json): Json {
  return Object.fromEntries((servers as { url: string }[]).map((server) => [server.url, server]));
}

/** Judges an operation's responses: error codes, headers and bodies. oasdiff reports added and removed statuses. */
function responseRules(where: string, before: Json, after: Json): Change[] {
  return byKey(before, after, {
    added: (status) => (status === 'default' ? compatible(where, 'a default response is added') : []),
    removed: (status) => (status === 'default' ? breaking(where, 'the default response is removed') : []),
    both: (status, old, current) => [
      ...unjudged(old, current, ['headers', 'content'], where),
      // The error codes of a response are those in its examples.
      ...byValue(
        where,
        [errorCodesOf(old), errorCodesOf(current)],
        (verb, code) => `status ${status} ${verb} the error code ${String(code)}`,
      ),
      ...headerRules(where, status, object(old['headers']), object(current['headers'])),
      ...contentRules(old, current, { where, what: `the body with status ${status}`, direction: 'response' }),
    ],
  });
}

function errorCodesOf(response: Json): string[] {
  const codes = Object.values(object(response['content']))
    .flatMap((media) => Object.values(object(object(media)['examples'])))
    .map((example) => object(object(example)['value'])['error_code']);
  return [...new Set(codes.filter((code) => typeof code === 'string'))];
}

/** Judges changed and added headers. oasdiff reports removed ones. */
function headerRules(where: string, status: string, before: Json, after: Json): Change[] {
  const what = (name: string) => `the header \`${name}\` with status ${status}`;
  return byKey(before, after, {
    added: (name) => compatible(where, `${what(name)} is added`),
    both: (name, old, current) => [
      ...unjudged(old, current, ['required', 'schema', 'deprecated'], where),
      ...schemaRules(object(old['schema']), object(current['schema']), {
        where,
        what: what(name),
        direction: 'response',
        unseen: true,
      }),
    ],
  });
}

/** Judges the size limit of a body. Stating one where 413 is documented already breaks no client. */
function bodySizeRule(where: string, before: Json, after: Json): Change[] {
  const [old, current] = [sizeOf(before), sizeOf(after)];
  if (old === current) return [];
  const shown = (size: number) => (Number.isFinite(size) ? `${size} bytes` : 'no bound');
  const text = `the largest body changed from ${shown(old)} to ${shown(current)}`;
  const isStatedNow = !Number.isFinite(old) && '413' in object(before['responses']);
  return [current > old || isStatedNow ? compatible(where, text) : breaking(where, text)];
}

function sizeOf({ requestBody }: Json): number {
  return Number(object(requestBody)['x-max-body-bytes'] ?? Number.POSITIVE_INFINITY);
}
