#!/usr/bin/env node
// Stands beside the build, so that npm links the command before there is one.
import { existsSync } from 'node:fs';

const program = new URL('./dist/main.js', import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  console.error('error: document-analysis-contract is not built: run npm run build');
  process.exitCode = 2;
}
