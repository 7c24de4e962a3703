/** An operator that responds as its argument says: by method, a JSON-RPC response, or what it does instead. */
import { createInterface } from 'node:readline';

export type OperatorScript = Record<string, { result?: unknown; error?: object } | 'hang' | 'exit' | 'babble'>;

const script = JSON.parse(process.argv[2] ?? '{}') as OperatorScript;
for await (const line of createInterface(process.stdin)) {
  const { id, method } = JSON.parse(line) as { id: number; method: string };
  const response = script[method];
  if (response === 'exit') {
    console.error('out of order');
    process.exit(7);
  }
  if (response === 'babble') console.log('Listening on port 8080');
  else if (response !== 'hang') console.log(JSON.stringify({ jsonrpc: '2.0', id, ...response }));
}
