import { posix } from 'node:path';

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
