/**
 * OpenTelemetry traces: a span for each request, with a child span for each call of the store. Spans are created
 * explicitly, because patching modules is brittle with ES modules. This file is loaded only if traces are enabled; the
 * OTEL_ variables configure the destination, sampling and batches.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { type OperationId, operations, version } from '../../generated/operations.ts';
import { whenCompleted } from '../api/steps/request-log.ts';
import type { TraceContext } from '../api/steps/arrival.ts';
import type { StoreObserver } from '../store/store.ts';
import { readFileSync } from 'node:fs';
import { type AgentOptions, globalAgent } from 'node:https';

/** How long a batch may take to be delivered, so that an absent collector cannot keep the process from ending. */
const deliveryMilliseconds = 5000;

/** Starts to make traces and send them, with these headers. A collector that cannot be reached costs the service nothing but a log line. */
export function startTracing(logger: Logger, headers: Readonly<Record<string, string>>) {
  const service = { 'service.name': 'document-analysis', 'service.version': version };
  const resource = defaultResource()
    .merge(resourceFromAttributes(service))
    .merge(detectResources({ detectors: [envDetector] }));
  const httpAgentOptions = proxyAgentOptions(process.env);
  const exporter = new OTLPTraceExporter({
    timeoutMillis: deliveryMilliseconds,
    headers,
    ...(httpAgentOptions && { httpAgentOptions }),
  });
  const processor = new BatchSpanProcessor(reportDelivery(exporter, logger));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const tracer = provider.getTracer('document-analysis');
  const current = new AsyncLocalStorage<Context>();

  return {
    /** A step that makes the span of a request, which the request's log line then names. */
    observeRequest: ((request, response, next) => {
      const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, callerOf(request.trace));
      request.trace = span.spanContext();
      whenCompleted(request, response, ({ requestId, method, operationId, status, credentialId }) => {
        const route = operationId && operations[operationId as OperationId].path;
        if (route !== undefined) span.updateName(`${method} ${route}`);
        span.setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'document_analysis.operation_id': operationId,
          'document_analysis.request_id': requestId,
          'document_analysis.credential_id': credentialId,
        });
        if (status === undefined || status >= 500) fail(span, status === undefined ? 'aborted' : String(status));
        span.end();
      });
      current.run(trace.setSpan(ROOT_CONTEXT, span), next);
    }) satisfies RequestHandler,

    observeStoreCall: ((method) => {
      const span = tracer.startSpan(`store.${method}`, { kind: SpanKind.INTERNAL }, current.getStore());
      return (failed) => {
        if (failed) fail(span, 'store');
        span.end();
      };
    }) satisfies StoreObserver,

    /** Sends what is left, for up to five seconds. */
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function callerOf(caller: TraceContext | undefined): Context {
  return caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT;
}

function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Options of agents for the proxy that Node.js uses (NODE_USE_ENV_PROXY), which the exporter's own would bypass. */
function proxyAgentOptions(environment: NodeJS.ProcessEnv): AgentOptions | undefined {
  const { proxyEnv } = globalAgent.options as { proxyEnv?: NodeJS.ProcessEnv };
  if (proxyEnv === undefined) return undefined;
  const file = (name: string): Buffer | undefined => {
    const path = environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? environment[`OTEL_EXPORTER_OTLP_${name}`];
    return path === undefined ? undefined : readFileSync(path);
  };
  const [ca, cert, key] = [file('CERTIFICATE'), file('CLIENT_CERTIFICATE'), file('CLIENT_KEY')];
  const options = { keepAlive: true, proxyEnv, ca, cert, key };
  return options;
}

/** The same exporter, which also logs once when traces can no longer be delivered, and once when they can again. */
function reportDelivery(exporter: SpanExporter, logger: Logger): SpanExporter {
  let delivered = true;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        const now = (result.code as number) === 0;
        if (now !== delivered)
          if (now) logger.info('traces are delivered again');
          else logger.warn({ reason: result.error?.message }, 'traces cannot be delivered and are discarded');
        delivered = now;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
