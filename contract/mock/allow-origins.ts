import type { IncomingMessage, ServerResponse } from 'node:http';
import cors, { type CorsOptions } from 'cors';
import { InvalidArgumentError } from 'commander';
import { isPreflight } from '../oracle/request.ts';
import type { ApiDocument } from '../document/model.ts';

/** Responds to a preflight request, or adds CORS headers to the response of `next`. */
export type CrossOrigin = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Lets web pages of these origins read every documented header of the responses; `*` allows every origin. */
export function allowOrigins(origins: readonly string[], { operations }: ApiDocument): CrossOrigin {
  const responses = operations.flatMap((operation) => Object.values(operation.responses));
  const options: CorsOptions = {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: [...new Set(['HEAD', ...operations.map(({ method }) => method.toUpperCase())])],
    exposedHeaders: [...new Set([...responses.flatMap(({ headers }) => Object.keys(headers)), 'Preference-Applied'])],
    // With 204, the package would send a Content-Length, which RFC 9110 forbids there.
    optionsSuccessStatus: 200,
  };
  const answerPreflight = cors(options);
  const addHeaders = cors({ ...options, preflightContinue: true });
  return (request, response, next) => {
    (isPreflight(request) ? answerPreflight : addHeaders)(request, response, next);
  };
}

/** Collects the values of --cors. */
export function origin(text: string, others: readonly string[] = []): readonly string[] {
  const { protocol = '', origin: expected } = URL.parse(text) ?? {};
  const advice = /^https?:$/.test(protocol) ? `: write ${expected ?? ''}` : '';
  if (text !== '*' && (advice === '' || expected !== text))
    throw new InvalidArgumentError(`It must be an origin such as http://localhost:5173, or *${advice}.`);
  return [...others, text];
}
