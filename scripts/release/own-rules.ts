import { breaking, type Change, compatible } from './change.ts';
import { type Json, object, sameButTexts } from './document.ts';
import { responseRules } from './response-rules.ts';
import { contentRules, schemaRules } from './schema-rules.ts';
import { serverRules } from './server-rules.ts';
import { unjudged } from './unjudged.ts';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const requirements = ['x-required-permission', 'x-required-feature'];

/**
 * Judges what oasdiff does not: servers, ways to send a credential, permissions, features, error codes, the schemas of
 * headers, and some keywords of all schemas. It expects documents without references.
 */
export function ownRules(before: Json, after: Json): Change[] {
  const paths = object(after['paths']);
  return [
    ...unjudged(before, after, ['info', 'servers', 'paths', 'components', 'tags'], 'the document'),
    ...serverRules(before, after, 'the document'),
    ...securitySchemeRules(schemesOf(before), schemesOf(after)),
    ...Object.entries(object(before['paths']))
      .filter(([path]) => path in paths)
      .flatMap(([path, item]) => pathRules(path, object(item), object(paths[path]))),
  ];
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
    ...unjudged(before, after, [...methods, 'servers', 'parameters'], path),
    ...serverRules(before, after, path),
    ...parameterRules(path, before, after),
    ...methods
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
    ...unjudged(oldBody, body, ['content', 'required'], where),
    ...contentRules(oldBody, body, { where, what: 'the body', direction: 'request' }),
    ...responseRules(where, object(before['responses']), object(after['responses'])),
  ];
}

function requirementRule(where: string, key: string, old: unknown, current: unknown): Change[] {
  if (old === current) return [];
  const text = `${key} changed from ${JSON.stringify(old)} to ${JSON.stringify(current)}`;
  return [current === null ? compatible(where, text) : breaking(where, text)];
}

/** Judges parameters that were there before. Of added and removed ones oasdiff tells. */
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
