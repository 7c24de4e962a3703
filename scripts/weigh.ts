/**
 * `node scripts/weigh.ts`: compares the size of tracked files with the budget in `scripts/weight.json`. It fails if a
 * figure is above it, or if the budget was raised without a new line `- Weight: REASON` in the changelog.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path/posix';

const budgetFile = 'scripts/weight.json';
const codeFile = /\.([mc]?ts|tsx|[mc]?js|sql|py|sh|css|eta|astro|html|svelte|vue)$/;
const generatedFile = /(^|\/)generated\/|package-lock\.json$|^(openapi\/released|bench\/results)\//;
const testFile = /^test\/|\.test\.[cm]?tsx?$/;
const importedFile = /(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;
const smallLines = 40;

type Weights = Record<'files' | 'code' | 'test' | 'docWords' | 'small' | 'scripts', number>;

/** The lines of code and of tests that are not empty, the words of documents, and the files. What is generated is not counted. */
function weigh(): Weights {
  const tracked = git('ls-files', '-z').split('\0').filter(existsSync);
  const counted = tracked
    .filter((file) => !generatedFile.test(file))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const source = counted
    .filter(({ file, text }) => codeFile.test(file) || (extname(file) === '' && text.startsWith('#!')))
    .map(({ file, text }) => ({ file, text, lines: text.split('\n').filter((line) => line.trim() !== '').length }));
  const code = source.filter(({ file }) => !testFile.test(file));
  const importers = Map.groupBy(
    code.flatMap(({ file, text }) => [
      ...new Set([...text.matchAll(importedFile)].map(([, path = '']) => join(dirname(file), path))),
    ]),
    (imported) => imported,
  );
  const linesOf = (files: typeof source) => files.reduce((sum, { lines }) => sum + lines, 0);
  const documents = counted.filter(({ file }) => file.endsWith('.md'));
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  return {
    files: tracked.length,
    code: linesOf(code),
    test: linesOf(source.filter(({ file }) => testFile.test(file))),
    docWords: documents.reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0),
    // Files that one other file alone imports could be part of it.
    small: code.filter(({ file, lines }) => lines < smallLines && importers.get(file)?.length === 1).length,
    scripts: Object.keys(scripts).length,
  };
}

/** The figures of the budget that were raised since the merge base with `origin/main`, or on it since the commit before. */
function raised(budget: Weights): string[] {
  const head = git('rev-parse', 'HEAD');
  const fork = attempt('merge-base', 'HEAD', 'origin/main') ?? head;
  const base = fork === head ? attempt('rev-parse', '--verify', '--quiet', 'HEAD~') : fork;
  if (base === undefined) {
    console.log('not run: whether the budget of weights was raised: the clone has no commit to compare with');
    return [];
  }
  const before = attempt('show', `${base}:${budgetFile}`);
  if (before === undefined) return [];
  const reasons = (changelog: string) => changelog.split('\n').filter((line) => line.startsWith('- Weight:'));
  const known = reasons(attempt('show', `${base}:CHANGELOG.md`) ?? '');
  if (reasons(readFileSync('CHANGELOG.md', 'utf8')).some((line) => !known.includes(line))) return [];
  return above(budget, JSON.parse(before) as Weights).map(
    (figure) => `${budgetFile} is raised, and CHANGELOG.md has no new line "- Weight: REASON": ${figure}`,
  );
}

function above(weights: Weights, limits: Weights): string[] {
  const names = Object.keys(weights) as (keyof Weights)[];
  return names
    .filter((name) => !(weights[name] <= limits[name]))
    .map((name) => `${name}: ${weights[name]} instead of at most ${limits[name]}`);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'ignore'] }).trimEnd();
}

function attempt(...args: string[]): string | undefined {
  try {
    return git(...args);
  } catch {
    return undefined;
  }
}

const weights = weigh();
const budget = JSON.parse(readFileSync(budgetFile, 'utf8')) as Weights;
console.log(JSON.stringify(weights));
const problems = [...above(weights, budget).map((figure) => `above the budget: ${figure}`), ...raised(budget)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
