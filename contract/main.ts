#!/usr/bin/env node
import { program } from './cli/program.ts';
import { runProcess } from './cli/shell.ts';

await runProcess(program);
