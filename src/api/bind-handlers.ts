/**
 * Binds handlers to operationIds with openapi-backend, which knows the operations of the document. It does so once, at
 * start: its own routing compiles a pattern for each path with each request and lets a request pass whose caller is unknown. So Express routes the requests.
 */
import { type Document, type Handler, OpenAPIBackend } from 'openapi-backend';

/** @throws {Error} if handlers and operationIds of the document are not the same set */
export async function bindHandlers<Bound extends (...input: never[]) => unknown>(
  document: object,
  handlers: Readonly<Record<string, Bound>>,
): Promise<ReadonlyMap<string, Bound>> {
  const api = new OpenAPIBackend({
    definition: structuredClone(document) as Document,
    handlers: handlers as unknown as Record<string, Handler>,
    strict: true,
    // The document is checked when it is linted, not at each start.
    quick: true,
    validate: false,
  });
  await api.init();
  return new Map(
    api.router.getOperations().map(({ operationId = '' }) => {
      if (!Object.hasOwn(handlers, operationId)) throw new Error(`The operation ${operationId} has no handler.`);
      return [operationId, api.handlers[operationId] as unknown as Bound];
    }),
  );
}
