import { isLight, loadTests } from './load-tests.js';

await loadTests(isLight);
