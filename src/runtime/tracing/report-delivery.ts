import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';

/** The same exporter, which also logs once when traces can no longer be delivered, and once when they can again. */
export function reportDelivery(exporter: SpanExporter, logger: Logger): SpanExporter {
  let delivered = true;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        const now = (result.code as number) === 0;
        if (now !== delivered)
          if (now) logger.info('traces are delivered again');
          else logger.warn({ reason: result.error?.message }, 'traces cannot be delivered and are thrown away');
        delivered = now;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
