import { isLight, loadTests } from './load-tests.ts';

await loadTests((file) => !isLight(file));
