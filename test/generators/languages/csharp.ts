import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../command.ts';
import { callers, outputFolder } from '../folders.ts';
import type { Language } from '../language.ts';
import { lacksMono, nswagFolder } from '../mono.ts';
import { callWithProgram } from '../program.ts';

const json = 'Newtonsoft.Json.dll';
const assemblies = [json, 'System.Net.Http', 'System.ComponentModel.DataAnnotations', 'System.Runtime.Serialization'];

export const csharp: Language = {
  lacks: lacksMono,
  async compile(name) {
    const client = join(outputFolder, name);
    await copyFile(join(nswagFolder, json), join(client, json));
    const references = assemblies.map((assembly) => `-r:${assembly}`);
    const sources = ['Client.cs', join(callers, 'csharp/Caller.cs')];
    await runCommand(['mcs', '-nologo', '-warn:0', '-out:caller.exe', ...references, ...sources], { cwd: client });
  },
  call(name, target) {
    return callWithProgram(['mono', join(outputFolder, name, 'caller.exe')], target);
  },
};
