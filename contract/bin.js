#!/usr/bin/env node
// Kept outside the build, so that npm can link the command before the first build.
import { existsSync } from 'node:fs';

const program = new URL('./dist/main.js', import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  console.error('error: document-analysis-contract is not built: run npm run build');
  process.exitCode = 2;
}
