/** `npm run build`, its first step: bundles the program into dist/. */
import { bundleProgram } from './build/bundle.ts';

await bundleProgram('dist');
