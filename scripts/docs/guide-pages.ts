import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type LinkTargets, rewriteLinks } from './guide-links.ts';
import type { SitePage } from './markdown.ts';

/** The page of a guide by its path in the repository; undefined if the path is not a guide's. */
function guideAddress(path: string): string | undefined {
  return /^docs\/[^/]+\.md$/.test(path) ? `/guides/${basename(path, '.md')}.html` : undefined;
}

/**
 * The page of the guide `docs/NAME.md` in a folder; its first heading is the title.
 * @throws {Error} if it does not begin with a heading
 */
export function guidePage(root: string, name: string, targets: Pick<LinkTargets, 'repository' | 'publish'>): SitePage {
  const path = `docs/${name}.md`;
  const { title, text } = readGuide(root, path);
  const titleOf = (other: string) =>
    guideAddress(other) !== undefined && existsSync(join(root, other)) ? readGuide(root, other).title : undefined;
  const markdown = rewriteLinks(text, path, { ...targets, pageOf: guideAddress, titleOf });
  return { path: `guides/${name}`, title, markdown };
}

/**
 * The title of the guide `docs/NAME.md` in a folder.
 * @throws {Error} if it does not begin with a heading
 */
export function guideTitle(root: string, name: string): string {
  return readGuide(root, `docs/${name}.md`).title;
}

function readGuide(root: string, path: string): { title: string; text: string } {
  const source = readFileSync(join(root, path), 'utf8');
  const [heading, title] = /^# (.+)\n/.exec(source) ?? [];
  if (heading === undefined || title === undefined) throw new Error(`${path} does not begin with a heading.`);
  return { title, text: source.slice(heading.length).trim() };
}
