import { readFileSync } from 'node:fs';
import { type AgentOptions, globalAgent } from 'node:https';

/**
 * The options of agents that send traces through the proxy in the environment; undefined unless Node.js uses that proxy
 * (NODE_USE_ENV_PROXY). The exporter creates its own agents, which would bypass it.
 */
export function proxyAgentOptions(environment: NodeJS.ProcessEnv): AgentOptions | undefined {
  const { proxyEnv } = globalAgent.options as { proxyEnv?: NodeJS.ProcessEnv };
  if (proxyEnv === undefined) return undefined;
  const file = (name: string): Buffer | undefined => {
    const path = environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? environment[`OTEL_EXPORTER_OTLP_${name}`];
    return path === undefined ? undefined : readFileSync(path);
  };
  const options = {
    keepAlive: true,
    proxyEnv,
    ca: file('CERTIFICATE'),
    cert: file('CLIENT_CERTIFICATE'),
    key: file('CLIENT_KEY'),
  };
  return options;
}
