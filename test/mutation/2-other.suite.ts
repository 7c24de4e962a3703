import { isLight, loadTests } from './load-tests.js';

await loadTests((file) => !isLight(file));
