import { join } from 'node:path';
import { runCommand } from '../command.ts';
import { callers, folder, outputFolder } from '../folders.ts';
import type { Language } from '../language.ts';
import { callWithProgram, isHere } from '../program.ts';

const modules = ['certifi', 'dateutil', 'six', 'urllib3'];

export const python: Language = {
  async lacks() {
    return (await isHere('python3', '-c', `import ${modules.join(', ')}`))
      ? undefined
      : `Python 3 with ${modules.join(', ')}`;
  },
  async compile(name) {
    await runCommand(['python3', '-m', 'compileall', '-q', join(outputFolder, name)], { cwd: folder });
  },
  call(name, target) {
    const caller = join(callers, `${name.replaceAll('-', '_')}.py`);
    return callWithProgram(['python3', caller, join(outputFolder, name)], target);
  },
};
