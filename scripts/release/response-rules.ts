import { breaking, type Change, compatible } from './change.ts';
import { type Json, keysOf, object } from './document.ts';
import { contentRules, schemaRules } from './schema-rules.ts';
import { unjudged } from './unjudged.ts';

/** Judges an operation's responses: error codes, headers and bodies. oasdiff reports added and removed statuses. */
export function responseRules(where: string, before: Json, after: Json): Change[] {
  return keysOf(before, after).flatMap((status): Change[] => {
    const [old, current] = [object(before[status]), object(after[status])];
    if (!(status in after)) return status === 'default' ? [breaking(where, 'the default response is removed')] : [];
    if (!(status in before)) return status === 'default' ? [compatible(where, 'a default response is added')] : [];
    const what = `the body with status ${status}`;
    return [
      ...unjudged(old, current, ['headers', 'content'], where),
      ...errorCodeRules(where, status, old, current),
      ...headerRules(where, status, object(old['headers']), object(current['headers'])),
      ...contentRules(old, current, { where, what, direction: 'response' }),
    ];
  });
}

/** Judges the error codes of a response, which are those in its examples. */
function errorCodeRules(where: string, status: string, before: Json, after: Json): Change[] {
  const [old, current] = [errorCodesOf(before), errorCodesOf(after)];
  const lost = old.filter((code) => !current.includes(code));
  const got = current.filter((code) => !old.includes(code));
  return [
    ...lost.map((code) => breaking(where, `status ${status} lost the error code ${code}`)),
    ...got.map((code) => compatible(where, `status ${status} got the error code ${code}`)),
  ];
}

function errorCodesOf(response: Json): string[] {
  const codes = Object.values(object(response['content']))
    .flatMap((media) => Object.values(object(object(media)['examples'])))
    .map((example) => object(object(example)['value'])['error_code']);
  return [...new Set(codes.filter((code) => typeof code === 'string'))];
}

/** Judges changed and added headers. oasdiff reports removed ones. */
function headerRules(where: string, status: string, before: Json, after: Json): Change[] {
  return Object.keys(after).flatMap((name): Change[] => {
    const what = `the header \`${name}\` with status ${status}`;
    const [old, current] = [object(before[name]), object(after[name])];
    if (!(name in before)) return [compatible(where, `${what} is added`)];
    const place = { where, what, direction: 'response', unseen: true } as const;
    return [
      ...unjudged(old, current, ['required', 'schema', 'deprecated'], where),
      ...schemaRules(object(old['schema']), object(current['schema']), place),
    ];
  });
}
