/**
 * The text of generated/client.ts: what the client knows of the document. Types carry as much of it as they can, so
 * that a page loads little; the text of the document becomes what an editor shows beside each method.
 */

interface Server {
  url: string;
  'x-region'?: string;
}

interface Parameter {
  name: string;
  in: string;
  description: string;
}

interface Content {
  content?: { 'application/json'?: { schema: { $ref?: string }; examples?: Record<string, { value: unknown }> } };
}

interface ClientOperation {
  operationId: string;
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Content & { description: string };
  responses: Record<string, Content | Reference>;
  'x-codeSamples': { lang: string; source: string }[];
}

interface Reference {
  $ref: string;
}

interface SecurityScheme {
  type: string;
  in?: string;
  name?: string;
  scheme?: string;
  description: string;
}

/** What is read of the bundled document. */
export interface ClientDocument {
  servers: Server[];
  paths: Record<string, Record<string, ClientOperation> & { servers?: Server[] }>;
  components: {
    securitySchemes: Record<string, SecurityScheme>;
    schemas: Record<string, { description: string }>;
    [kind: string]: Record<string, unknown>;
  };
  'x-service-responses': Record<string, Content | Reference>;
}

/**
 * Writes the client's part of the document as TypeScript.
 * @throws if the document holds what the client has no form for
 */
export function clientSource(document: ClientDocument, methods: readonly string[]): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, item, operation: item[method] }] : [])),
  );
  const endpoints = operations.map(({ path, method, item, operation }) => [
    operation.operationId,
    {
      method,
      path,
      base: item.servers ? 'caseBaseUrl' : 'baseUrl',
      credential: Object.keys(operation.security[0] ?? {})[0],
      hasRequestBody: operation.requestBody !== undefined,
      errorStatuses: errorsOf(document, operation).map(({ status }) => status),
    },
  ]);
  return `import type { components, operations } from './types.ts';

/** Where each region is served: the organisation operations at \`baseUrl\`, the case operations at \`caseBaseUrl\`. */
export const servers = ${literal(serversOf(document))} as const;

/** How each credential is sent: the header, and what stands before the secret. */
export const credentialHeaders = ${literal(mapValues(document.components.securitySchemes, headerOf))} as const;

/** What the client has to know at run time of each operation. */
export const endpoints = ${literal(Object.fromEntries(endpoints))} as const;

/** A region of the platform. */
export type Region = keyof typeof servers;

/** An operationId of the document. */
export type OperationId = keyof typeof endpoints;

/** Every operation of the document, as a method. */
export interface Operations<Options> {
${operations.map(({ operation }) => methodOf(document, operation)).join('\n')}
}

/** The credentials that the operations ask for; \`Credential\` is the form they are given in. */
export interface Credentials<Credential> {
${Object.entries(document.components.securitySchemes)
  .map(([name, { description }]) => `  /** ${comment(description)} */\n  readonly ${name}?: Credential | undefined;`)
  .join('\n')}
}

/** The error codes that the document gives each operation, by status; \`default\` is every status from 500. */
export interface ErrorCodes {
${operations.map(({ operation }) => errorCodesOf(document, operation)).join('\n')}
}

${Object.entries(document.components.schemas)
  .filter(([name]) => name !== 'Error')
  .map(
    ([name, { description }]) =>
      `/** ${comment(description)} */\nexport type ${name} = components['schemas']['${name}'];\n`,
  )
  .join('\n')}`;
}

/** The base addresses by region. Those of cases are one further pair a region, whichever paths they serve (D2). */
function serversOf({ servers, paths }: ClientDocument): Record<string, { baseUrl: string; caseBaseUrl: string }> {
  const [own = [], ...others] = Object.values(paths).flatMap((item) => (item.servers ? [item.servers] : []));
  if (others.some((other) => literal(other) !== literal(own)))
    throw new Error('paths with servers of their own must have the same ones: the client knows two addresses a region');
  const entries = servers.map(({ url, 'x-region': region }) => {
    const caseServer = own.find((server) => server['x-region'] === region);
    if (region === undefined || !caseServer)
      throw new Error(`${url}: x-region is absent, or no server of cases has it`);
    return [region, { baseUrl: url, caseBaseUrl: caseServer.url }];
  });
  return Object.fromEntries(entries) as Record<string, { baseUrl: string; caseBaseUrl: string }>;
}

function headerOf({ type, in: place, name, scheme }: SecurityScheme) {
  if (type === 'apiKey' && place === 'header' && name !== undefined) return { header: name, prefix: '' };
  if (type === 'http' && scheme === 'bearer') return { header: 'authorization', prefix: 'Bearer ' };
  throw new Error(`the client has no form for the security scheme ${literal({ type, place, scheme })}`);
}

function methodOf(document: ClientDocument, operation: ClientOperation): string {
  const { operationId: id, summary, description, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const foreign = parameters.find((parameter) => parameter.in !== 'path');
  if (foreign) throw new Error(`${id}: the client has no form for the ${foreign.in} parameter ${foreign.name}`);
  const sample = operation['x-codeSamples'].find(({ lang }) => lang === 'TypeScript')?.source ?? '';
  const lines = [
    `${summary}.`,
    '',
    ...description.trim().split('\n'),
    ...parameters.map(({ name, description: text }) => `@param ${name} ${text}`),
    ...(requestBody ? [`@param body ${requestBody.description}`] : []),
    ...codesByStatus(document, operation.responses).map(
      ({ status, codes }) => `@throws {ApiError} ${status}: ${codes.join(', ')}`,
    ),
    '@example',
    '```ts',
    ...sample.trim().split('\n'),
    '```',
  ];
  const inputs = [
    ...parameters.map(({ name }) => `${name}: operations['${id}']['parameters']['path']['${name}']`),
    ...(requestBody ? [`body: ${schemaOf(id, requestBody)}`] : []),
    'options?: Options',
  ];
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1] ?? {};
  return `  /**
${lines.map((line) => `   * ${comment(line)}`.trimEnd()).join('\n')}
   */
  ${id}(${inputs.join(', ')}): Promise<${schemaOf(id, resolve<Content>(document, success))}>;`;
}

function errorCodesOf(document: ClientDocument, operation: ClientOperation): string {
  const statuses = errorsOf(document, operation).map(
    ({ status, codes }) => `    ${status}: ${codes.map((code) => `'${code}'`).join(' | ')};`,
  );
  return `  ${operation.operationId}: {\n${statuses.join('\n')}\n  };`;
}

/** The errors of the operation, and those of the service, which can meet any request. */
function errorsOf(document: ClientDocument, { responses }: ClientOperation) {
  return codesByStatus(document, responses, document['x-service-responses']);
}

function codesByStatus(document: ClientDocument, ...answers: Record<string, Content | Reference>[]) {
  const statuses = [...new Set(answers.flatMap((answer) => Object.keys(answer)))].sort();
  return statuses
    .filter((status) => !status.startsWith('2'))
    .map((status) => ({ status, codes: answers.flatMap((answer) => codesOf(document, answer[status] ?? {})) }));
}

function codesOf(document: ClientDocument, answer: Content | Reference): string[] {
  const examples = resolve<Content>(document, answer).content?.['application/json']?.examples ?? {};
  return [...new Set(Object.values(examples).map(({ value }) => (value as { error_code: string }).error_code))];
}

function schemaOf(operationId: string, { content }: Content): string {
  const name = content?.['application/json']?.schema.$ref?.split('/').at(-1);
  if (name === undefined) throw new Error(`${operationId}: the client needs bodies whose schema is a component`);
  return name;
}

function resolve<T extends object>(document: ClientDocument, node: T | Reference): T {
  if (!('$ref' in node)) return node;
  const [kind = '', name = ''] = node.$ref.split('/').slice(2);
  return document.components[kind]?.[name] as T;
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function comment(text: string): string {
  return text.replaceAll('*/', '*\\/');
}
