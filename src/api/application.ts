import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { canonicaliseRequest } from './steps/canonical-request.ts';

/** The classes that a server makes its requests and responses of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** A listener, and the classes of which its server best makes what it is given. */
export type Application = RequestListener & MessageClasses;

/** An application that takes each request, in its canonical form, through these steps until one has answered it. */
export function createApplication(steps: (RequestHandler | ErrorRequestHandler)[]): Application {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // The steps of one route follow each other directly; given to `use`, each would be matched with the path.
  app.route(/^/).all(...steps);
  const listener: RequestListener = (request, response) => {
    canonicaliseRequest(request);
    app(request as express.Request, response as express.Response, () => response.destroy());
  };
  return Object.assign(listener, messageClassesOf(app));
}

/**
 * Express changes the prototype of each request and response to its own, which makes V8 give up what it knows of them.
 * Those of these classes have that prototype from the start.
 */
function messageClassesOf(app: express.Express): MessageClasses {
  class Request extends IncomingMessage {}
  class Response<Of extends IncomingMessage> extends ServerResponse<Of> {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as express.Request;
  app.response = Response.prototype as express.Response;
  return { IncomingMessage: Request, ServerResponse: Response };
}
