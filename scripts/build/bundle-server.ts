/** `npm run build:server`: the program in dist/. */
import { bundleProgram } from './bundle.ts';

await bundleProgram('dist');
