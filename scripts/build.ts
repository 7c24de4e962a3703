/** `npm run build`, its first step: bundles the program and the client into dist/. */
import { bundleClient } from './build/bundle-client.ts';
import { bundleProgram } from './build/bundle.ts';

await bundleProgram('dist');
await bundleClient('dist/client');
