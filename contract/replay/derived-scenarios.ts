/** Scenarios that provoke documented responses, derived only from the document and the credentials. */
import type { Baseline } from '../checks/baseline.ts';
import { parameterTexts } from '../checks/properties/parameter.ts';
import { mutationsOf } from '../checks/schema/mutations.ts';
import type { NotProvokable, Scenario } from './scenario.ts';
import { withTexts } from './with-texts.ts';
import type { ReplayCase } from './replay-case.ts';

const unknownId = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

/** The scenario of a documented response; undefined if it has to be written. */
export function derivedScenario(
  baseline: Baseline,
  { status, examples }: ReplayCase,
): Scenario | NotProvokable | undefined {
  const { success, operation, isPublic, schemes } = baseline;
  const withExample = (scenario: Scenario | undefined): Scenario | undefined => {
    const example = exampleOf(scenario, examples);
    return scenario && { ...scenario, ...(example !== undefined && { example }) };
  };
  switch (status) {
    case String(success):
      return {};
    case '400':
      return invalidRequest(baseline);
    case '401':
      return isPublic ? undefined : withExample(unauthenticated(baseline));
    case '403':
      return withExample(forbidden(baseline));
    case '404':
      return withExample(notFound(baseline));
    case '413':
      return withExample(tooLarge(baseline));
    case '415':
      return withExample(operation.requestBody && { contentType: 'application/x-unknown' });
    case '428':
      return withExample(withoutHeaders(baseline));
    case '429':
      return withExample({ ...leastNeeded(baseline), given: 'exhausted-quota' });
    case '500':
    case '503':
      if (isPublic || schemes.length === 0)
        return { notProvokable: 'a public operation that reads no credential cannot be made to fail' };
      return withExample({ given: status === '500' ? 'broken-store' : 'disconnected-store' });
    case 'default':
      return { notProvokable: 'the document does not say which status this is' };
    default:
      return undefined;
  }
}

/** The only example, or the one for a permission or a feature. */
function exampleOf(scenario: Scenario | undefined, examples: ReplayCase['examples']): string | undefined {
  const names = Object.keys(examples);
  if (names.length === 1) return names[0];
  const wanted =
    scenario?.credential === 'feature_off_key'
      ? /feature/
      : scenario?.credential === 'viewer_key'
        ? /forbidden/
        : undefined;
  return wanted && named(examples, wanted).example;
}

function named(examples: ReplayCase['examples'], code: RegExp): Pick<Scenario, 'example'> {
  const found = Object.entries(examples).find(([, body]) =>
    code.test((body as { error_code?: string }).error_code ?? ''),
  );
  return found ? { example: found[0] } : {};
}

function invalidRequest({ json, operation }: Baseline): Scenario | undefined {
  const mutation =
    json &&
    mutationsOf(json.schema, json.valid).find(
      ({ value, lacks }) => lacks === undefined && json.faultsOf(value).length > 0,
    );
  if (mutation) return { body: JSON.stringify(mutation.value) };
  for (const parameter of operation.parameters) {
    const invalid = parameterTexts(parameter).find(({ valid }) => !valid);
    if (invalid) return withTexts(parameter, invalid.texts);
    if (parameter.required && parameter.in === 'query') return { query: '' };
  }
  return operation.requestBody?.required === true ? { body: '' } : undefined;
}

function unauthenticated({ schemes: [scheme], operation }: Baseline): Scenario {
  if (operation.method !== 'get') return { secret: '' };
  return scheme?.refused === undefined ? { secret: 'made-up' } : { credential: scheme.refused };
}

/** Keys have roles: the viewer's has no permission, and another organisation's lacks the feature. */
function forbidden({ schemes: [scheme], operation }: Baseline): Scenario | undefined {
  if (scheme?.credential !== 'owner_key') return undefined;
  const { requiredPermission, requiredFeature, method } = operation;
  if (requiredPermission !== null && (requiredFeature === null || method !== 'get'))
    return { credential: 'viewer_key' };
  return requiredFeature === null ? undefined : { credential: 'feature_off_key' };
}

function notFound({ operation }: Pick<Baseline, 'operation'>): Scenario | undefined {
  const [parameter] = operation.parameters.filter((each) => each.in === 'path');
  return parameter && { path: { [parameter.name]: unknownId } };
}

/** Without the required headers, such as If-Match (RFC 6585, section 3). */
function withoutHeaders({ operation }: Baseline): Scenario | undefined {
  const required = operation.parameters.filter((each) => each.in === 'header' && each.required);
  return required.length === 0 ? undefined : { without: required.map(({ name }) => name) };
}

function tooLarge({ json, operation }: Baseline): Scenario | undefined {
  const { requestBody } = operation;
  return requestBody && { body: (json?.text ?? '').padEnd(requestBody.maxBytes + 1) };
}

/** Uses up the limit of the credential that other checks need least, and only with requests that change nothing. */
function leastNeeded({ schemes: [scheme], operation }: Baseline): Scenario {
  const missing = notFound({ operation }) ?? {};
  if (scheme?.credential === 'access_token') return { ...missing, credential: 'other_access_token' };
  if (!scheme) return missing;
  return { ...missing, credential: operation.method === 'get' ? 'member_key' : 'viewer_key' };
}
