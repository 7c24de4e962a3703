#!/usr/bin/env node
import { program } from './cli/program.ts';
import { runProcess } from './cli/run-process.ts';

await runProcess(program);
