import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../command.ts';
import { callers, outputFolder } from '../folders.ts';
import type { Language } from '../language.ts';
import { callWithProgram, isHere } from '../program.ts';

/** Where Debian puts the sources of Go's packages; the generated client needs one of them. */
const installed = '/usr/share/gocode';
const needed = 'golang.org/x/oauth2';

export const go: Language = {
  async lacks() {
    const isComplete = (await isHere('go', 'version')) && (await isHere('ls', join(installed, 'src', needed)));
    return isComplete ? undefined : `Go with ${needed} (Debian: golang-go, golang-golang-x-oauth2-dev)`;
  },
  async compile(name) {
    const workspace = join(outputFolder, `${name}-workspace`);
    await mkdir(join(workspace, 'src'), { recursive: true });
    await symlink(join(outputFolder, name), join(workspace, 'src/openapi'));
    // Without modules, so that nothing is downloaded.
    const environment = { GO111MODULE: 'off', GOPATH: `${workspace}:${installed}` };
    await runCommand(['go', 'build', '-o', join(workspace, 'caller'), join(callers, 'go/caller.go')], {
      cwd: workspace,
      environment,
    });
  },
  call(name, target) {
    return callWithProgram([join(outputFolder, `${name}-workspace`, 'caller')], target);
  },
};
