import { existsSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import type { SitePage } from './markdown.ts';

/** The targets of a guide's links on the site. */
export interface LinkTargets {
  /** The address of the repository's files, if known. */
  readonly repository?: string | undefined;
  /** The page of a guide by its path in the repository; undefined if the site has none. */
  readonly pageOf: (path: string) => string | undefined;
  /** The title of a guide by its path in the repository; undefined if the site has no such guide. */
  readonly titleOf: (path: string) => string | undefined;
  /** Publishes a file of the repository with the site and returns its address. */
  readonly publish: (path: string) => string;
}

/** Files that are published with the site, by folder or type; links to all others lead to the repository. */
const published = [/\.(svg|png)$/, /^docs\/examples\//];

/** Rewrites the relative links and pictures of a guide for the site, except in code. */
export function rewriteLinks(markdown: string, guide: string, targets: LinkTargets): string {
  const code = /^(`{3,}|~{3,})[^]*?^\1|`[^`\n]+`(?!\])/gm;
  let result = '';
  let end = 0;
  for (const match of markdown.matchAll(code)) {
    result += rewriteText(markdown.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + rewriteText(markdown.slice(end));

  function rewriteText(text: string): string {
    return text.replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
      (link, mark: string, label: string, to: string) => {
        if (/^([a-z]+:|#)/.test(to)) return link;
        const address = addressOf(to);
        // If the text of a link is a guide's file name, it is replaced with the title.
        const text = titleOf(to, label) ?? label;
        return address === undefined ? text : `${mark}[${text}](${address})`;
      },
    );
  }

  function titleOf(link: string, label: string): string | undefined {
    return label === posix.basename(label) && link.split('#')[0] === label ? targets.titleOf(pathOf(label)) : undefined;
  }

  function pathOf(link: string): string {
    return posix.normalize(posix.join(posix.dirname(guide), link));
  }

  function addressOf(link: string): string | undefined {
    const [relative = '', anchor] = link.split('#');
    const path = pathOf(relative);
    const hash = anchor === undefined ? '' : `#${anchor}`;
    if (path === 'openapi/openapi.yaml') return '/openapi.yaml';
    const page = targets.pageOf(path);
    if (page !== undefined) return page + hash;
    if (published.some((pattern) => pattern.test(path))) return targets.publish(path);
    return targets.repository && `${targets.repository}/blob/main/${path}${hash}`;
  }
}

/** The guides of the site in the order of its navigation; each is `docs/NAME.md`. */
export const guideGroups: readonly { readonly label: string; readonly guides: readonly string[] }[] = [
  { label: 'Call the API', guides: ['concepts', 'client', 'generated-clients'] },
  { label: 'Check a server', guides: ['contract-testing', 'mock-and-proxy', 'other-documents', 'operator'] },
  { label: 'Run the service', guides: ['operating', 'analysis', 'observability', 'performance'] },
  {
    label: 'Change the API',
    guides: ['tour', 'architecture', 'adding-an-operation', 'releasing', 'publishing-documentation', 'decisions'],
  },
  { label: 'How it is tested', guides: ['robustness', 'peers'] },
];

/** The navigation of the guides in a project's folder: groups of links, with the title and the address of each. */
export function guideLinks(root: string) {
  return guideGroups
    .map(({ label, guides }) => ({
      label,
      links: guides
        .filter((name) => existsSync(join(root, `docs/${name}.md`)))
        .map((name) => ({ title: readGuide(root, `docs/${name}.md`).title, address: `guides/${name}.html` })),
    }))
    .filter(({ links }) => links.length > 0);
}

/** The page of a guide by its path in the repository; undefined if the path is not a guide's. */
function guideAddress(path: string): string | undefined {
  return /^docs\/[^/]+\.md$/.test(path) ? `/guides/${basename(path, '.md')}.html` : undefined;
}

/** The page of the guide `docs/NAME.md` in a folder; its first heading is the title. Throws if it has none. */
export function guidePage(root: string, name: string, targets: Pick<LinkTargets, 'repository' | 'publish'>): SitePage {
  const path = `docs/${name}.md`;
  const { title, text } = readGuide(root, path);
  const titleOf = (other: string) =>
    guideAddress(other) !== undefined && existsSync(join(root, other)) ? readGuide(root, other).title : undefined;
  const markdown = rewriteLinks(text, path, { ...targets, pageOf: guideAddress, titleOf });
  return { path: `guides/${name}`, title, markdown };
}

function readGuide(root: string, path: string): { title: string; text: string } {
  const source = readFileSync(join(root, path), 'utf8');
  const [heading, title] = /^# (.+)\n/.exec(source) ?? [];
  if (heading === undefined || title === undefined) throw new Error(`${path} does not begin with a heading.`);
  return { title, text: source.slice(heading.length).trim() };
}

/** The address of the project's repository: that of the workflow that builds it, else that of package.json, if any. */
export function repositoryAddress(
  root: string,
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (server !== undefined && name !== undefined) return `${server}/${name}`;
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    repository?: string | { url: string };
  };
  const url = typeof repository === 'object' ? repository.url : repository;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}
