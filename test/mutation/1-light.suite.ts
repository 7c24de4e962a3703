import { isLight, loadTests } from './load-tests.ts';

await loadTests(isLight);
