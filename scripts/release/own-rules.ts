import { httpMethods } from '../../contract/document/model.ts';
import { bodySizeRule } from './body-size-rule.ts';
import { breaking, type Change, compatible } from './change.ts';
import { type Json, keysOf, object, sameButTexts } from './document.ts';
import { responseRules } from './response-rules.ts';
import { contentRules, schemaRules } from './schema-rules.ts';
import { serverRules } from './server-rules.ts';
import { unjudged } from './unjudged.ts';

const requirements = ['x-required-permission', 'x-required-feature'];

/**
 * Judges changes that oasdiff does not: to servers, security schemes, permissions, features, error codes, the schemas
 * of headers, and some keywords of all schemas. Expects documents with resolved references.
 */
export function ownRules(before: Json, after: Json): Change[] {
  const paths = object(after['paths']);
  return [
    ...unjudged(before, after, ['info', 'servers', 'paths', 'components', 'tags', 'x-error-codes'], 'the document'),
    ...listedErrorRules(object(before['x-error-codes']), object(after['x-error-codes'])),
    ...serverRules(before, after, 'the document'),
    ...securitySchemeRules(schemesOf(before), schemesOf(after)),
    ...Object.entries(object(before['paths']))
      .filter(([path]) => path in paths)
      .flatMap(([path, item]) => pathRules(path, object(item), object(paths[path]))),
  ];
}

/** Judges the errors in `x-error-codes`, with which no operation responds. */
function listedErrorRules(before: Json, after: Json): Change[] {
  return keysOf(before, after).flatMap((code): Change[] => {
    const text = `${code} in x-error-codes`;
    if (!(code in before)) return [compatible('the document', `${text} is added`)];
    if (!(code in after)) return [compatible('the document', `${text} is removed`)];
    const [old, current] = [before, after].map((errors) => String(object(errors[code])['status']));
    return old === current ? [] : [breaking('the document', `${text} changed its status from ${old} to ${current}`)];
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
  const current = parametersOf(after);
  return Object.entries(parametersOf(before))
    .filter(([what]) => what in current)
    .flatMap(([what, parameter]) => {
      const [old, next] = [object(parameter), object(current[what])];
      return [
        ...unjudged(old, next, ['name', 'in', 'required', 'schema', 'deprecated'], where),
        ...schemaRules(object(old['schema']), object(next['schema']), { where, what, direction: 'request' }),
      ];
    });
}

function parametersOf({ parameters = [] }: Json): Json {
  const named = (parameters as { in: string; name: string }[]).map((parameter) => [
    `the ${parameter.in} parameter \`${parameter.name}\``,
    parameter,
  ]);
  return Object.fromEntries(named) as Json;
}
