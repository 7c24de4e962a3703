import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { runCommand } from './command.ts';
import { folder, type Generator, outputFolder } from './generators.ts';
import { type CallTarget, type Observed, unknownCaseId, unknownKey } from './observed.ts';

const callers = join(folder, 'callers');

/**
 * Calls the server with a generated client.
 * @throws {Error} if the client sees anything else than a plain request does
 */
export async function call({ name, language }: Generator, target: CallTarget): Promise<void> {
  const observed = await (language === 'Python' ? callWithPython(name, target) : callWithTypeScript(name, target));
  deepStrictEqual(essence(observed), await expected(target));
}

async function callWithTypeScript(name: string, target: CallTarget): Promise<Observed> {
  // Generated code imports as bundlers resolve, not as Node.js does.
  const bundled = join(outputFolder, `${name}.mjs`);
  await build({
    entryPoints: [join(callers, `${name}.ts`)],
    outfile: bundled,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  const caller = (await import(pathToFileURL(bundled).href)) as { call: (target: CallTarget) => Promise<Observed> };
  return caller.call(target);
}

async function callWithPython(name: string, target: CallTarget): Promise<Observed> {
  const input = JSON.stringify({ ...target, unknown_case_id: unknownCaseId, unknown_key: unknownKey });
  const command = ['python3', join(callers, `${name.replaceAll('-', '_')}.py`), join(outputFolder, name)];
  return JSON.parse(await runCommand(command, { cwd: folder, input })) as Observed;
}

async function expected({ case_base_url, case_id, access_token }: CallTarget): Promise<Observed> {
  const headers = { Authorization: `Bearer ${access_token}` };
  const found = (await (await fetch(`${case_base_url}/cases/${case_id}`, { headers })).json()) as Observed['case'] &
    Pick<Observed, 'files'>;
  return essence({
    enabled: [false, true, true],
    case: found,
    files: found.files,
    unknownCase: [404, 'request.cases.case.not-found'],
    unknownKey: [401, 'request.authentication.invalid-token'],
  });
}

/** Only the fields that every caller reports. */
function essence({ case: found, files, ...others }: Observed): Observed {
  const { case_id, label, locked_at, file_analysis_status, total_files } = found;
  return {
    ...others,
    case: { case_id, label, locked_at, file_analysis_status, total_files },
    files: files.map(({ file_id, analysis_status, analysis_completed_at }) => {
      return { file_id, analysis_status, analysis_completed_at };
    }),
  };
}
