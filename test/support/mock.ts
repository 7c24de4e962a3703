import { type RunningServer, serve } from '../../contract/cli/serve.ts';
import { createMock } from '../../contract/mock/app.ts';
import { afterwards } from './afterwards.ts';

export async function startMock(options: Parameters<typeof createMock>[0]): Promise<RunningServer> {
  const mock = await serve(createMock(options), { host: '127.0.0.1', port: 0 });
  afterwards(() => mock.close());
  return mock;
}
