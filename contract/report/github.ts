import { appendFile } from 'node:fs/promises';
import { type Output, count, print } from '../cli/run-command.ts';
import type { Report } from '../run/model.ts';
import { markdownOf } from './markdown.ts';
import { failedChecks } from './overview.ts';

/** The maximum number of annotations that GitHub shows for a step. */
const mostAnnotations = 10;

/** In a GitHub workflow: adds an annotation for each failed check, and the step summary. Elsewhere does nothing. */
export async function reportToGitHub(report: Report, stdout: Output, environment: NodeJS.ProcessEnv): Promise<void> {
  if (!isOnGitHub(environment)) return;
  const failed = failedChecks(report);
  const told = failed.slice(0, failed.length > mostAnnotations ? mostAnnotations - 1 : mostAnnotations);
  const rest = count(failed.length - told.length, 'more check');
  const annotations = [
    ...report.problems.slice(0, 1).map((problem) => ['the run itself', problem]),
    ...told.map(({ check, failures: [first] }) => [check.id, `${check.title}: ${first?.message ?? ''}`]),
    ...(failed.length > told.length ? [['and more', `${rest} failed; the log and the reports list them`]] : []),
  ];
  await print(stdout, annotations.map(([title = '', message = '']) => errorLine(title, message)).join(''));
  const file = environment['GITHUB_STEP_SUMMARY'];
  if (file) await appendFile(file, markdownOf(report));
}

/** Prevents the GitHub runner from interpreting text that a server sent as a workflow command. */
export function withoutCommands(text: string, environment: NodeJS.ProcessEnv): string {
  if (!isOnGitHub(environment)) return text;
  return text.replace(/^(\s*):(?=:)/gm, '$1\\u003a').replaceAll('##[', '##\\u005b');
}

function isOnGitHub(environment: NodeJS.ProcessEnv): boolean {
  return environment['GITHUB_ACTIONS'] === 'true';
}

/** Escapes as GitHub's own toolkit does. */
function errorLine(title: string, message: string): string {
  const escaped = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  return `::error title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(message)}\n`;
}
