/**
 * Scenarios that provoke documented responses of another API, derived only from its document and the tester's values.
 */
import type { Baseline } from '../checks/baseline.ts';
import { identifierParametersOf } from '../checks/expect-not-found.ts';
import { parameterTexts } from '../checks/properties/parameter.ts';
import { plainlyInvalidBodies } from '../checks/plainly-invalid-bodies.ts';
import { malformedIdentifier, unknownIdentifier } from '../checks/unknown-identifier.ts';
import { withTexts } from './with-texts.ts';
import type { NotProvokable, Scenario } from './scenario.ts';

/**
 * The scenario of a documented response. If the server responds with another documented refusal, the check is not run.
 */
export function documentedScenario(baseline: Baseline, status: string): Scenario | NotProvokable {
  const { success, refusals, operation, isPublic } = baseline;
  const provoked = (statuses: readonly number[], scenario: Scenario | undefined): Scenario | NotProvokable =>
    scenario && statuses.includes(Number(status))
      ? { ...scenario, insteadOf: statuses.filter((each) => each !== Number(status)) }
      : notTold;
  if ([String(success), ...(isNamed(operation, success) ? [] : ['2XX', 'default'])].includes(status))
    return { status: success };
  switch (status) {
    case '400':
    case '422': {
      const scenario = invalidRequest(baseline);
      // An identifier that is invalid is also unknown.
      return provoked([...refusals.invalid, ...(scenario?.path ? refusals.unknown : [])], scenario);
    }
    case '401':
    case '403':
      return provoked(refusals.credential, isPublic || baseline.schemes.length === 0 ? undefined : { secret: '' });
    case '404':
    case '410':
      // PUT may create the resource.
      return provoked([...refusals.unknown, ...(operation.method === 'put' ? [success] : [])], unknownThing(baseline));
    case '415':
      return provoked(refusals.mediaType, operation.requestBody && { contentType: 'application/x-unknown' });
    case '429':
      // A limit is used up only with reads: hundreds of added resources would remain.
      return operation.method === 'get' ? { given: 'exhausted-quota' } : notTold;
    default:
      return notTold;
  }
}

const notTold: NotProvokable = { notProvokable: 'the document does not state what causes it' };

function isNamed({ responses }: Baseline['operation'], status: number): boolean {
  return responses[String(status)] !== undefined;
}

function invalidRequest({ json, form, operation }: Baseline): Scenario | undefined {
  const [mutated] = plainlyInvalidBodies({ json, form });
  if (mutated) return { body: mutated.text };
  if (json?.required === true) return { body: json.text.slice(0, -1) };
  for (const parameter of operation.parameters) {
    if (parameter.in === 'path' || parameter.in === 'cookie') continue;
    const invalid = parameterTexts(parameter).find((each) => each.isPlainlyInvalid);
    if (invalid) return withTexts(parameter, invalid.texts);
  }
  for (const parameter of operation.parameters) {
    const malformed = parameter.in === 'path' ? malformedIdentifier(parameter) : undefined;
    if (malformed !== undefined) return { path: { [parameter.name]: malformed } };
  }
  return undefined;
}

/** The last path parameter identifies the resource itself. */
function unknownThing({ operation }: Baseline): Scenario | undefined {
  const parameter = identifierParametersOf(operation).at(-1);
  const text = parameter && unknownIdentifier(parameter);
  return text === undefined ? undefined : { path: { [parameter?.name ?? '']: text } };
}
