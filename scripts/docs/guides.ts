import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { SitePage } from './markdown.ts';

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

/**
 * The page of the guide `docs/NAME.md`, whose first heading is the title.
 * @param publish publishes a file of the repository with the site, and returns its address
 */
export function guidePage(name: string, publish: (path: string) => string): SitePage {
  const { title, text } = readGuide(name);
  return { path: `guides/${name}`, title, markdown: rewriteLinks(text, publish) };
}

function readGuide(name: string): { title: string; text: string } {
  const source = readFileSync(`docs/${name}.md`, 'utf8');
  const [heading, title] = /^# (.+)\n/.exec(source) ?? [];
  if (heading === undefined || title === undefined) throw new Error(`docs/${name}.md does not begin with a heading.`);
  return { title, text: source.slice(heading.length).trim() };
}

/** Rewrites the relative links and pictures of a guide for the site, except in code. */
function rewriteLinks(markdown: string, publish: (path: string) => string): string {
  const codeOrLink = /^(`{3,}|~{3,})[^]*?^\1|`[^`\n]+`(?!\])|(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/gm;
  return markdown.replaceAll(codeOrLink, (found, _fence, mark: string, label: string, link: string | undefined) => {
    if (link === undefined || /^([a-z]+:|#)/.test(link)) return found;
    const address = siteAddress(link, publish);
    const [, guide] = /^([^/]+)\.md$/.exec(label) ?? [];
    // If the text of a link is a guide's file name, it is replaced with the title.
    const text = guide !== undefined && link.split('#')[0] === label ? readGuide(guide).title : label;
    return address === undefined ? text : `${mark}[${text}](${address})`;
  });
}

/** The address on the site of what a guide links to: a page, a published file, or a file in the repository, if known. */
function siteAddress(link: string, publish: (path: string) => string): string | undefined {
  const [relative = '', anchor] = link.split('#');
  const path = posix.join('docs', relative);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === 'openapi/openapi.yaml') return '/openapi.yaml';
  const [, guide] = /^docs\/([^/]+)\.md$/.exec(path) ?? [];
  if (guide !== undefined) return `/guides/${guide}.html${hash}`;
  if (/\.svg$|^docs\/examples\//.test(path)) return publish(path);
  const repository = repositoryAddress();
  return repository && `${repository}/blob/main/${path}${hash}`;
}

/** The address of the project's repository: that of the workflow that builds it, else that of package.json, if any. */
export function repositoryAddress(): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  if (server !== undefined && name !== undefined) return `${server}/${name}`;
  const { repository } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    repository?: string | { url: string };
  };
  const url = typeof repository === 'object' ? repository.url : repository;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}
