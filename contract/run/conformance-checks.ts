/** The checks of the layer `conformance`: one for each operation, status and promise of the document. */
import { nameOf } from '../oracle/response.ts';
import { isJson } from '../oracle/body.ts';
import { hasRelations } from '../own-api/decided-responses.ts';
import type { ApiDocument, DocumentedResponse } from '../document/model.ts';
import { isOwnApi } from '../document/own-document.ts';
import { responseRules } from '../own-api/response-rules.ts';
import type { CheckResult } from './model.ts';

type Described = CheckResult['check'];

/** What follows from the interface document, or from decisions: of a case, the relations within it. */
const promisedElsewhere: Record<string, Pick<Described, 'source' | 'rules'>> = {
  relation: { source: 'decision', rules: ['D8', 'D28', 'D29', 'D180'] },
  'saved-value': { source: 'interface', rules: ['4.1-O1', '3.1-S1', '3.1-S2'] },
};

const titles: Record<string, string> = {
  status: 'no status is returned but those of the document',
  'media-type': 'the media type is documented',
  body: 'the body matches its schema',
  'error-code': 'the error code belongs to the status',
  relation: 'the fields of the body agree with one another',
  'saved-value': 'enabled is what was saved last, throughout the run',
};

/** The responses that a document describes, by the operation that gives them; `service` stands for none. */
export function documentedResponses({ operations, serviceResponses }: ApiDocument): {
  readonly operation: string;
  readonly isService: boolean;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}[] {
  return [
    ...operations.map(({ operationId, responses }) => ({ operation: operationId, isService: false, responses })),
    { operation: nameOf(undefined), isService: true, responses: serviceResponses },
  ];
}

/** What the document promises of a response, as the ids of checks name it. @param isOwn whether decisions hold for it */
export function promisesOf(
  operation: string,
  status: string,
  { headers, content }: DocumentedResponse,
  isOwn: boolean,
): string[] {
  const isSuccess = /^2/.test(status);
  const json = Object.entries(content).find(([mediaType]) => isJson(mediaType))?.[1];
  const examples = isOwn ? Object.values(json?.examples ?? {}) : [];
  const hasCodes = examples.some(({ value }) => typeof value === 'object' && value !== null && 'error_code' in value);
  return [
    ...Object.keys(headers).map((name) => `header.${name}`),
    ...(Object.keys(content).length > 0 ? ['media-type'] : []),
    'body',
    ...(hasCodes && !isSuccess ? ['error-code'] : []),
    ...(isSuccess && isOwn && hasRelations(operation) ? ['relation'] : []),
    ...(isSuccess && isOwn && operation === 'getVerificationSetting' ? ['saved-value'] : []),
  ];
}

/** @param place as in `getCase.404`; of the promise `status`, the operation */
export function conformanceCheck(place: string, promise: string): Described {
  const { source, rules } = promisedElsewhere[promise] ?? { source: 'document', rules: [] };
  const title = titles[promise] ?? `the header ${promise.replace(/^header\./, '')} is as documented`;
  const [operation = ''] = place.split('.');
  return {
    id: `conformance.${place}.${promise}`,
    layer: 'conformance',
    ...(operation !== 'service' && { operation }),
    source,
    title: `${place.replace('.', ' ')}: ${title}`,
    rules,
  };
}

/** The checks of what holds of all responses of a kind, by the names of those rules. */
export function responseRuleChecks(document: ApiDocument): [name: string, check: Described][] {
  if (!isOwnApi(document)) return [];
  return Object.entries(responseRules).map(([name, { source, rules, title }]) => [
    name,
    { id: `conformance.rules.${name}`, layer: 'conformance', source, rules, title },
  ]);
}

/** Every check of the layer that a run against the document can have. */
export function conformanceChecks(document: ApiDocument): Described[] {
  const ofResponses = documentedResponses(document).flatMap(({ operation, responses }) => [
    conformanceCheck(operation, 'status'),
    ...Object.entries(responses).flatMap(([status, response]) =>
      promisesOf(operation, status, response, isOwnApi(document)).map((promise) =>
        conformanceCheck(`${operation}.${status}`, promise),
      ),
    ),
  ]);
  return [...ofResponses, ...responseRuleChecks(document).map(([, check]) => check)];
}
