/** The scenario of each documented response: a valid request with the one change that the oracle refuses with its status. */
import type { Baseline } from '../plan/baseline.ts';
import { queryOf } from '../plan/parameters.ts';
import { parameterTexts } from '../dimensions/parameter-texts.ts';
import { mutationsOf, plainlyInvalidBodies } from '../dimensions/values.ts';
import { identifierParametersOf, malformedIdentifier, unknownIdentifier } from '../dimensions/identifiers.ts';
import type { Operation, Parameter } from '../document/model.ts';
import type { ReplayCase } from './replay-case.ts';
import type { NotProvokable, Scenario } from './scenario.ts';

/** What is wrong with a request, and the statuses that tell it. */
interface Change {
  readonly tells: readonly string[];
  /** The statuses with which the oracle lets it be refused. */
  readonly allowed: readonly number[];
  readonly scenario: Scenario | undefined;
}

const untold: NotProvokable = { notProvokable: 'the document does not state what causes it' };

/**
 * The scenario of a documented response; undefined if it has to be written, which is so only for this API. If a server may refuse
 * with another documented status, the check is not run.
 */
export function scenarioOf(baseline: Baseline, { status, examples }: ReplayCase): Scenario | NotProvokable | undefined {
  const { success, operation, isOwn, isPublic, schemes } = baseline;
  const isSuccess = [String(success), ...(operation.responses[success] ? [] : ['2XX', 'default'])].includes(status);
  if (isSuccess && !(isOwn && status === 'default')) return { status: success };
  if (status === 'default') return { notProvokable: 'the document does not say which status this is' };
  if (isOwn && /^50[03]$/.test(status) && (isPublic || schemes.length === 0))
    return { notProvokable: 'a public operation that reads no credential cannot be made to fail' };
  const change = changesOf(baseline).find(
    ({ tells, allowed, scenario }) => scenario && tells.includes(status) && allowed.includes(Number(status)),
  );
  if (!change?.scenario) return isOwn ? undefined : untold;
  const insteadOf = change.allowed.filter((each) => each !== Number(status));
  // Of several examples of a 400, the one is written.
  const example = isOwn && status !== '400' ? exampleOf(change.scenario, examples) : undefined;
  return { ...change.scenario, insteadOf, ...(example !== undefined && { example }) };
}

function changesOf(baseline: Baseline): Change[] {
  const { operation, refusals, success, isOwn, isPublic, schemes } = baseline;
  const invalid = invalidRequest(baseline);
  const isRead = operation.method === 'get';
  const unknown = identifierParametersOf(operation).at(-1);
  const text = unknown && unknownIdentifier(unknown);
  const nothing = text === undefined ? undefined : { path: { [unknown?.name ?? '']: text } };
  const row = (tells: string[], allowed: readonly number[], scenario: Scenario | undefined): Change => ({
    ...{ tells, allowed, scenario },
  });
  const ofAny = [
    // An identifier that is invalid is also unknown.
    row(['400', '422'], [...refusals.invalid, ...(invalid?.path ? refusals.unknown : [])], invalid),
    row(['401', '403'], refusals.credential, isPublic || schemes.length === 0 ? undefined : unauthenticated(baseline)),
    // PUT may create the resource.
    row(['404', '410'], [...refusals.unknown, ...(!isOwn && operation.method === 'put' ? [success] : [])], nothing),
    row(['415'], refusals.mediaType, operation.requestBody && { contentType: 'application/x-unknown' }),
  ];
  // A limit of others is used up only with reads: hundreds of added resources would remain.
  if (!isOwn) return [...ofAny, row(['429'], [429], isRead ? { given: 'exhausted-quota' } : undefined)];
  return [
    ...ofAny,
    row(['403'], [403], forbidden(baseline)),
    row(['413'], [413], tooLarge(baseline)),
    row(['428'], [428], withoutHeaders(operation)),
    row(['429'], [429], { ...leastNeeded(baseline, nothing), given: 'exhausted-quota' }),
    row(['500'], [500], { given: 'broken-store' }),
    row(['503'], [503], { given: 'disconnected-store' }),
  ];
}

/** The only example, or the one for a permission or a feature. */
function exampleOf({ credential }: Scenario, examples: ReplayCase['examples']): string | undefined {
  const names = Object.keys(examples);
  if (names.length === 1) return names[0];
  const wanted = { feature_off_key: /feature/, viewer_key: /forbidden/ }[String(credential)];
  return wanted && names.find((name) => wanted.test((examples[name] as { error_code?: string }).error_code ?? ''));
}

function invalidRequest({ json, form, operation, isOwn }: Baseline): Scenario | undefined {
  const [mutated] = plainlyInvalidBodies(json ?? form);
  if (mutated) return { body: mutated.text };
  const faulty = isOwn && json ? mutationsOf(json.schema, json.valid) : [];
  const refused = faulty.find(({ value, lacks }) => lacks === undefined && (json?.faultsOf(value).length ?? 0) > 0);
  if (refused) return { body: JSON.stringify(refused.value) };
  if (json?.required === true) return { body: json.text.slice(0, -1) };
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path' || parameter.in === 'cookie') continue;
    const invalid = parameterTexts(parameter).find(({ valid, isPlainlyInvalid }) =>
      isOwn ? !valid : isPlainlyInvalid,
    );
    if (invalid) return withTexts(parameter, invalid.texts);
    if (isOwn && parameter.required && parameter.in === 'query') return { query: '' };
  }
  if (isOwn && operation.requestBody?.required === true) return { body: '' };
  for (const parameter of identifierParametersOf(operation)) {
    const malformed = malformedIdentifier(parameter);
    if (malformed !== undefined) return { path: { [parameter.name]: malformed } };
  }
  return undefined;
}

/** A scenario that sends a parameter with these texts. */
function withTexts({ name, in: place }: Parameter, texts: readonly string[]): Scenario {
  return place === 'header' ? { headers: { [name]: texts.join(',') } } : { query: queryOf([{ name, texts }]) };
}

function unauthenticated({ schemes: [scheme], operation, isOwn }: Baseline): Scenario {
  if (!isOwn || operation.method !== 'get') return { secret: '' };
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

/** Without the required headers, such as If-Match (RFC 6585, section 3). */
function withoutHeaders({ parameters }: Operation): Scenario | undefined {
  const required = parameters.filter((each) => each.in === 'header' && each.required);
  return required.length === 0 ? undefined : { without: required.map(({ name }) => name) };
}

function tooLarge({ json, operation: { requestBody } }: Baseline): Scenario | undefined {
  return requestBody && { body: (json?.text ?? '').padEnd(requestBody.maxBytes + 1) };
}

/** Uses up the limit of the credential that other checks need least, and only with requests that change nothing. */
function leastNeeded({ schemes: [scheme], operation }: Baseline, nothing: Scenario = {}): Scenario {
  if (scheme?.credential === 'access_token') return { ...nothing, credential: 'other_access_token' };
  return scheme ? { ...nothing, credential: operation.method === 'get' ? 'member_key' : 'viewer_key' } : nothing;
}
