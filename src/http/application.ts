import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { canonicaliseRequest } from './canonical-request.js';

/** An application that takes each request, in its canonical form, through these steps until one has answered it. */
export function createApplication(steps: (RequestHandler | ErrorRequestHandler)[]): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  for (const step of steps) app.use(step);
  return (request, response) => {
    canonicaliseRequest(request);
    void app(request, response);
  };
}
