import { globSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../command.ts';
import { callers, folder, installedFile, outputFolder } from '../folders.ts';
import type { Language } from '../language.ts';
import { callWithProgram, isHere } from '../program.ts';

/** It contains the libraries that its clients need: Jackson, with its module for times, and Swagger's annotations. */
const libraries = installedFile('@openapitools/openapi-generator-cli/bin/openapi-generator.jar');
const classes = (name: string) => join(outputFolder, name, 'classes');

export const java: Language = {
  async lacks() {
    return (await isHere('javac', '-version')) ? undefined : 'JDK (Debian: default-jdk-headless)';
  },
  async compile(name) {
    const sources = globSync(join(outputFolder, name, 'src/main/**/*.java'));
    const options = ['-d', classes(name), '-cp', libraries, '-proc:none', '-nowarn'];
    await runCommand(['javac', ...options, ...sources, join(callers, 'java/Caller.java')], { cwd: folder });
  },
  call(name, target) {
    return callWithProgram(['java', '-cp', `${classes(name)}:${libraries}`, 'Caller'], target);
  },
};
