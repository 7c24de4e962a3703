import type { ApiDocument, Operation, Parameter } from '../../contract/document/model.ts';
import {
  bodyFormOf,
  schemaTypeOf,
  pathParametersOf,
  successesOf,
  codesByStatus,
  comment,
  propertyName,
} from './client-endpoint.ts';

/** Names that an argument cannot have: those of the other arguments, and the keywords of ECMAScript. */
const takenNames =
  /^(?:body|options|parameters|arguments|eval|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield)$/;

/** The method of an operation in `Operations`, with the document's descriptions. */
export function methodOf(document: ApiDocument, operation: Operation): string {
  const { operationId, requestBody } = operation;
  const pathParameters = pathParametersOf(operation);
  const further = operation.parameters.filter((parameter) => parameter.in === 'query' || parameter.in === 'header');
  const isBodyRequired = requestBody?.required === true;
  const inputs = [
    ...pathParameters.map(
      ({ name }) => `${argumentName(name)}: operations['${operationId}']['parameters']['path']['${name}']`,
    ),
    ...(further.length > 0 ? [furtherParameters(operation, further, isBodyRequired)] : []),
    ...(requestBody ? [`${isBodyRequired ? 'body' : 'body?'}: ${requestType(document, operation)}`] : []),
    'options?: Options',
  ];
  return `${comment(docOf(operation, pathParameters, further), 2)}  ${operationId}(${inputs.join(', ')}): Call<${resultType(document, operation)}>;`;
}

function docOf(operation: Operation, pathParameters: Parameter[], further: Parameter[]): string {
  const { summary, description, requestBody, responses, codeSamples } = operation;
  const headers = new Set(successesOf(operation).flatMap(([, response]) => Object.keys(response.headers)));
  const sample = codeSamples.find(({ lang }) => lang === 'TypeScript');
  return [
    `${summary}.`,
    '',
    ...description.trim().split('\n'),
    ...(headers.size > 0 ? ['', `Headers of the response: ${[...headers].join(', ')}.`] : []),
    ...pathParameters.map(({ name, description: text }) => `@param ${argumentName(name)} ${oneLine(text)}`),
    ...further.map(({ name, description: text }) => `@param parameters.${name} ${oneLine(text)}`),
    ...(requestBody ? [`@param body ${oneLine(requestBody.description)}`] : []),
    ...codesByStatus(responses)
      .filter(({ codes }) => codes.length > 0)
      .map(({ status, codes }) => `@throws {ApiError} ${status}: ${codes.join(', ')}`),
    ...(sample ? ['@example', '```ts', ...sample.source.trim().split('\n'), '```'] : []),
  ].join('\n');
}

function furtherParameters({ operationId }: Operation, parameters: Parameter[], isBodyRequired: boolean): string {
  const properties = parameters.map((parameter) => {
    const { name, required } = parameter;
    const type = `${parameter.in === 'query' ? 'Query' : 'Header'}<'${operationId}'>['${name}']`;
    return `${comment(parameter.description, 6)}      readonly ${propertyName(name)}${required ? `: ${type}` : `?: ${type} | undefined`};\n`;
  });
  const type = `{\n${properties.join('')}    }`;
  if (parameters.some(({ required }) => required)) return `parameters: ${type}`;
  return isBodyRequired ? `parameters: ${type} | undefined` : `parameters?: ${type}`;
}

function requestType(document: ApiDocument, { operationId, requestBody }: Operation): string {
  const content = requestBody?.content ?? {};
  const form = bodyFormOf(content);
  if (form?.as === 'bytes') {
    const [mediaType = '', ...others] = form.mediaTypes;
    const isChosenByCaller = others.length > 0 || mediaType.includes('*');
    return isChosenByCaller ? 'Blob' : 'Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>';
  }
  return form ? schemaTypeOf(document, content, form, `Body<'${operationId}'>`, 'Writable') : 'never';
}

/** The result of the call: the body of a success with any status. */
function resultType(document: ApiDocument, operation: Operation): string {
  const types = successesOf(operation).map(([status, response]) => {
    const form = bodyFormOf(response.content);
    if (!form) return 'undefined';
    const place = `operations['${operation.operationId}']['responses'][${status}]`;
    return form.as === 'bytes' ? 'Blob' : schemaTypeOf(document, response.content, form, place, 'Readable');
  });
  const union = [...new Set(types)].join(' | ');
  return union === 'undefined' ? 'void' : union;
}

/** A path parameter's name as an argument name: \`case-id\` becomes \`caseId\`. */
function argumentName(name: string): string {
  const camelCase = name.replaceAll(/[^\w$]+(\w?)/g, (_all, letter: string) => letter.toUpperCase());
  return takenNames.test(camelCase) || /^\d/.test(camelCase) ? `_${camelCase}` : camelCase;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
