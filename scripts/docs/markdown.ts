/** A page of the site, as Starlight reads it. */
export interface SitePage {
  /** Its path without extension, such as `errors/request.forbidden`. */
  readonly path: string;
  readonly title: string;
  /** Its name in the navigation; by default the title. */
  readonly label?: string;
  readonly description?: string;
  readonly markdown: string;
}

/** The source file of a page: front matter and text. */
export function sourceOf({ path, title, label, description, markdown }: SitePage): string {
  // The slug is explicit, because Starlight would remove the dots of a name.
  const data = { title, slug: path, description, ...(label !== undefined && { sidebar: { label } }) };
  const lines = Object.entries(data).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`],
  );
  return `---\n${lines.join('\n')}\n---\n\n${markdown}\n`;
}

/** A table, whose cells are Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** A code block, whose code may contain fences. */
export function fence(language: string, code: string): string {
  const ticks = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${ticks}${language}\n${code.trimEnd()}\n${ticks}`;
}
