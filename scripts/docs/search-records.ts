import type { ApiDocument, Operation, Schema } from '../../contract/document/model.ts';

/** A search result outside of the pages: a part of the reference, which is rendered in the browser. */
export interface SearchRecord {
  readonly url: string;
  readonly title: string;
  readonly content: string;
}

interface Field {
  readonly name: string;
  readonly description: string;
}

/** The address of an operation in the reference. */
export function operationAddress({ tags, operationId }: Operation): string {
  const [tag] = tags;
  return `/reference.html#${tag === undefined ? '' : `tag/${tag.replaceAll(' ', '-')}/`}operation/${operationId}`;
}

/** A record for each operation of a document, and for each of its parameters, headers and fields. */
export function searchRecords(document: ApiDocument): SearchRecord[] {
  return document.operations.flatMap((operation) => {
    const { method, path, summary, description } = operation;
    const url = operationAddress(operation);
    const fields = fieldsOf(operation);
    const place = `${method.toUpperCase()} ${path}`;
    return [
      {
        url,
        title: `${place}: ${summary}`,
        content: [summary, description, path, ...[...fields.keys()]].join(' '),
      },
      ...[...fields].map(([name, text]) => ({
        // The index keeps one record per address.
        url: url.replace('#', `?field=${encodeURIComponent(name)}#`),
        title: `${name} in ${place}`,
        content: `${name} ${name.replaceAll('_', ' ')}: ${text}`,
      })),
    ];
  });
}

function fieldsOf({ parameters, requestBody, responses }: Operation): Map<string, string> {
  const documented = Object.values(responses);
  const contents = [requestBody?.content ?? {}, ...documented.map(({ content }) => content)];
  const fields = [
    ...parameters,
    ...contents.flatMap((content) => Object.values(content).flatMap(({ schema }) => fieldsOfSchema(schema))),
    ...documented.flatMap(({ headers }) =>
      Object.entries(headers).map(([name, header]) => ({ name, description: header.description ?? '' })),
    ),
  ];
  return new Map(fields.map(({ name, description }) => [name, description]));
}

function fieldsOfSchema({ properties = {}, items }: Schema): Field[] {
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => [
      { name, description: typeof schema['description'] === 'string' ? schema['description'] : '' },
      ...fieldsOfSchema(schema),
    ]),
    ...(items ? fieldsOfSchema(items) : []),
  ];
}
