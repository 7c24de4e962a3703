#!/usr/bin/env node
import { program, runProcess } from './cli/program.ts';

await runProcess(program);
