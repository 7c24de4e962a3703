import { lstat, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileFault } from '../cli/validated-file.ts';
import type { Report } from '../run/model.ts';
import { UsageError } from '../run/errors.ts';
import { htmlOf } from './html.ts';
import { junitOf } from './junit.ts';
import { markdownOf } from './markdown.ts';
import { sarifOf } from './sarif.ts';

/** The function that produces each format. */
export const reportForms = {
  junit: junitOf,
  json: (report: Report) => `${JSON.stringify(report, null, 2)}\n`,
  html: htmlOf,
  sarif: sarifOf,
  markdown: markdownOf,
};

/** The files to write, by report format. */
export type ReportFiles = Partial<Record<keyof typeof reportForms, string>>;

/**
 * Verifies before the run that the reports can be written, and removes those of an earlier run.
 * @throws {UsageError} if one cannot be written
 */
export async function prepareReports(files: ReportFiles): Promise<void> {
  for (const [form, file] of Object.entries(files))
    try {
      await mkdir(dirname(file), { recursive: true });
      await (await open(file, 'a')).close();
      if ((await lstat(file)).isFile()) await rm(file);
    } catch (error) {
      throw new UsageError(`the file ${file} of --${form} cannot be written: ${fileFault(error)}`);
    }
}

/** Writes the reports, and next to each the files that its curl commands name: what is too long for a line. */
export async function writeReports(report: Report, files: ReportFiles): Promise<void> {
  const attached = report.results.flatMap(({ failures }) => failures.flatMap((failure) => failure.files ?? []));
  for (const [form, file] of Object.entries(files) as [keyof typeof reportForms, string][]) {
    await writeFile(file, reportForms[form](report));
    for (const { name, base64 } of attached) await writeFile(join(dirname(file), name), Buffer.from(base64, 'base64'));
  }
}

/** The folder of the files that curl commands name; undefined if no report is written. */
export function folderOf(files: ReportFiles): string | undefined {
  const [first] = Object.values(files);
  return first === undefined ? undefined : dirname(first);
}
