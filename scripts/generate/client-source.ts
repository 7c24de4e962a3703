/**
 * Generates the files of client/generated from the document. Most of the information is in types, so that a page loads
 * little code. Editors show the document's descriptions with each method.
 */
import type { ApiDocument, SecurityScheme } from '../../contract/document/model.ts';
import { hasOneWayFields } from '../../contract/document/schemas.ts';
import { isExported, endpointOf, errorCodesOf, comment, literal, propertyName } from './client-endpoint.ts';
import { methodOf } from './client-method.ts';

/** The TypeScript sources for a document without faults (rules.ts), by file name. */
export function clientSource(document: ApiDocument): Record<'client.ts' | 'schemas.ts', string> {
  return { 'client.ts': tablesAndTypes(document), 'schemas.ts': schemaTypes(document) };
}

function tablesAndTypes(document: ApiDocument): string {
  const { operations, securitySchemes } = document;
  const endpoints = operations.map((operation) => [operation.operationId, endpointOf(document, operation)]);
  const headers = Object.fromEntries(Object.entries(securitySchemes).map(([name, scheme]) => [name, headerOf(scheme)]));
  const methods = operations.map((operation) => methodOf(document, operation)).join('\n');
  const types = ['operations', ...['Readable', 'Writable'].filter((name) => methods.includes(`${name}<`))];
  return `${methods.includes('schemas.') ? "import type * as schemas from './schemas.ts';\n" : ''}import type { ${types.join(', ')} } from './types.ts';

/**
 * The base addresses of each region: \`caseBaseUrl\` for paths with servers of their own, \`baseUrl\` for all others.
 */
export const servers = ${literal(serversOf(document))} as const;

/** How each credential is sent: the header, and the prefix of the secret. */
export const credentialHeaders = ${literal(headers)} as const;

/** What the client knows about each operation at run time. */
export const endpoints = ${literal(Object.fromEntries(endpoints))} as const;

/** A region of the platform. */
export type Region = keyof typeof servers;

/** An operationId of the document. */
export type OperationId = keyof typeof endpoints;

/** A call in flight: resolves with the body of the response. */
export interface Call<Data> extends Promise<Data> {
  /** Resolves with the body, the status and the headers. */
  withResponse(): Promise<{ readonly data: Data; readonly status: number; readonly headers: Headers }>;
}

/** Every operation of the document, as a method. */
export interface Operations<Options> {
${methods}
}

/** The credentials that the operations require; \`Credential\` is their type. */
export interface Credentials<Credential> {
${Object.entries(securitySchemes)
  .map(
    ([name, { description }]) => `${comment(description, 2)}  readonly ${propertyName(name)}?: Credential | undefined;`,
  )
  .join('\n')}
}

/** The error codes that the document lists for each operation, by status. */
export interface ErrorCodes {
${operations.map((operation) => errorCodesOf(document, operation)).join('\n')}
}

/** The query parameters of an operation. */
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

/** The header parameters of an operation. */
export type Header<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['header']>;

/** The request body of an operation. */
export type Body<Id extends keyof operations> = NonNullable<operations[Id]['requestBody']>;
`;
}

function schemaTypes({ schemas }: ApiDocument): string {
  const exported = Object.entries(schemas).filter(([name]) => isExported(name));
  const types = exported.map(([name, schema]) => {
    const { description } = schema;
    const type = `components['schemas']['${name}']`;
    return `${comment(typeof description === 'string' ? description : name)}export type ${name} = ${hasOneWayFields(schema) ? `Readable<${type}>` : type};\n`;
  });
  const names = exported.some(([, schema]) => hasOneWayFields(schema)) ? 'components, Readable' : 'components';
  return [`import type { ${names} } from './types.ts';\n`, ...types].join('\n');
}

/** The base addresses by region. Paths with servers of their own share one further address per region (D2). */
function serversOf({ servers, operations }: ApiDocument): Record<string, { baseUrl: string; caseBaseUrl: string }> {
  const own = operations.flatMap(({ servers: ofPath = [] }) => ofPath);
  return Object.fromEntries(
    servers.map(({ url, region = '' }) => {
      const ofCases = own.find((server) => server.region === region);
      return [region, { baseUrl: url, caseBaseUrl: ofCases?.url ?? url }];
    }),
  );
}

function headerOf(scheme: SecurityScheme): { header: string; prefix: string } {
  return scheme.type === 'apiKey'
    ? { header: scheme.name, prefix: '' }
    : { header: 'authorization', prefix: 'Bearer ' };
}
