import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { guideTitle } from './guide-pages.ts';

/** The guides of the site in the order of its navigation; each is `docs/NAME.md`. */
export const guideGroups: readonly { readonly label: string; readonly guides: readonly string[] }[] = [
  { label: 'Call the API', guides: ['concepts', 'client', 'generated-clients'] },
  { label: 'Check a server', guides: ['contract-testing', 'mock-and-proxy', 'other-documents', 'operator'] },
  { label: 'Run the service', guides: ['operating', 'analysis', 'observability', 'performance'] },
  {
    label: 'Change the API',
    guides: ['tour', 'architecture', 'adding-an-operation', 'releasing', 'publishing-documentation', 'decisions'],
  },
  { label: 'How it is tested', guides: ['robustness', 'mutants', 'peers'] },
];

/** A group of the navigation with its links. */
export interface LinkGroup {
  readonly label: string;
  readonly links: readonly { readonly title: string; readonly address: string }[];
}

/** The navigation of the guides in a project's folder, with the title of each. */
export function guideLinks(root: string): LinkGroup[] {
  return guideGroups
    .map(({ label, guides }) => ({
      label,
      links: guides
        .filter((name) => existsSync(join(root, `docs/${name}.md`)))
        .map((name) => ({ title: guideTitle(root, name), address: `guides/${name}.html` })),
    }))
    .filter(({ links }) => links.length > 0);
}
