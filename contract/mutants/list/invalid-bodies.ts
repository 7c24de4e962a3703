import type { Mutant, ProxiedRequest } from '../mutant.ts';
import { isUpdate, jsonOf, withBody, withHeader } from '../requests.ts';

type Fields = Record<string, unknown>;

/** Bodies that are accepted although they violate the schema or are not JSON. */
export const invalidBodyMutants = [
  reading('true-as-text-accepted', '"true" and "false" are accepted as booleans', ({ enabled }) =>
    enabled === 'true' || enabled === 'false' ? { enabled: enabled === 'true' } : undefined,
  ),
  reading('any-text-accepted', 'any string is accepted as true', ({ enabled }) =>
    typeof enabled === 'string' ? { enabled: enabled !== '' } : undefined,
  ),
  reading('number-accepted', '0 and 1 are accepted as booleans', ({ enabled }) =>
    enabled === 0 || enabled === 1 ? { enabled: enabled === 1 } : undefined,
  ),
  reading('null-accepted', 'null is accepted as false', ({ enabled }) =>
    enabled === null ? { enabled: false } : undefined,
  ),
  reading('missing-accepted', 'a missing field is accepted as false', (fields) =>
    'enabled' in fields ? undefined : { enabled: false },
  ),
  reading('list-of-one-accepted', 'an array of one boolean is accepted as the boolean', ({ enabled }) =>
    Array.isArray(enabled) ? { enabled: enabled[0] as unknown } : undefined,
  ),
  reading('extra-fields-stripped', 'unknown fields are ignored', ({ enabled, ...rest }) =>
    typeof enabled === 'boolean' && Object.keys(rest).length > 0 ? { enabled } : undefined,
  ),
  reading('known-extra-field-accepted', 'organisation_id in the body is accepted', ({ enabled, organisation_id: id }) =>
    id === undefined ? undefined : { enabled },
  ),
  reading('prototype-accepted', '__proto__ is ignored', (fields) =>
    Object.hasOwn(fields, '__proto__') ? { enabled: fields['enabled'] } : undefined,
  ),
  reading('constructor-accepted', 'constructor is ignored', (fields) =>
    Object.hasOwn(fields, 'constructor') ? { enabled: fields['enabled'] } : undefined,
  ),
  reading('field-in-any-case', 'field names are case-insensitive', (fields) =>
    renamed(fields, (name) => name.toLowerCase()),
  ),
  reading('field-name-trimmed', 'spaces around a field name are ignored', (fields) =>
    renamed(fields, (name) => name.trim()),
  ),
  reading('last-of-extra-accepted', 'a single unknown field is accepted', (fields) =>
    Object.keys(fields).length === 2 && typeof fields['enabled'] === 'boolean'
      ? { enabled: fields['enabled'] }
      : undefined,
  ),
  reinterpreting('list-accepted', 'an array of one object is accepted as the object', (request) =>
    Array.isArray(jsonOf(request)) ? JSON.stringify((jsonOf(request) as unknown[])[0] ?? { enabled: true }) : undefined,
  ),
  reinterpreting('bare-boolean-accepted', 'a bare boolean is accepted as the setting', (request) =>
    typeof jsonOf(request) === 'boolean' ? JSON.stringify({ enabled: jsonOf(request) }) : undefined,
  ),
  reinterpreting('null-body-accepted', 'null is accepted as an update', (request) =>
    jsonOf(request) === null ? '{"enabled":false}' : undefined,
  ),
  reinterpreting('empty-body-accepted', 'an empty body is accepted as an update', (request) =>
    request.body.length === 0 ? '{"enabled":false}' : undefined,
  ),
  reinterpreting('malformed-json-accepted', 'malformed JSON is repaired', (request) =>
    request.body.length > 0 && jsonOf(request) === undefined ? '{"enabled":true}' : undefined,
  ),
  reinterpreting('truncated-json-accepted', 'a truncated body is completed', (request) =>
    jsonOf(request) === undefined && /^\{[^}]+$/.test(request.body.toString()) ? '{"enabled":true}' : undefined,
  ),
];

/** Reads a refused update in another way, if possible. */
function reinterpreting(name: string, breaks: string, read: (request: ProxiedRequest) => string | undefined): Mutant {
  const start: Mutant['start'] =
    ({ forward }) =>
    async (request) => {
      const response = await forward(request);
      const body = isUpdate(request) && [400, 415].includes(response.status) ? read(request) : undefined;
      return body === undefined
        ? response
        : forward(withHeader(withBody(request, body), 'Content-Type', 'application/json'));
    };
  return { name, breaks, start };
}

function reading(name: string, breaks: string, read: (fields: Fields) => Fields | undefined): Mutant {
  return reinterpreting(name, breaks, (request) => {
    const value = jsonOf(request);
    const fields =
      typeof value === 'object' && value !== null && !Array.isArray(value) ? read(value as Fields) : undefined;
    return fields && JSON.stringify(fields);
  });
}

function renamed(fields: Fields, rename: (name: string) => string): Fields | undefined {
  const entries = Object.entries(fields).map(([name, value]) => [rename(name), value] as const);
  return entries.every(([name]) => Object.hasOwn(fields, name)) ? undefined : Object.fromEntries(entries);
}
