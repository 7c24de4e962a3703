/** What descriptions say in words. */

/** A pattern of a name and its plural. */
export function pluralOrOne(name: string): string {
  return name.endsWith('y') ? `${name.slice(0, -1)}(?:y|ies)` : `${name}s?`;
}

/** Whether a text names the items of a resource. */
export function names(text: string, { name }: { readonly name: string }): boolean {
  return new RegExp(`\\b${pluralOrOne(name)}\\b`, 'i').test(text);
}

/** Says that a request may have a field that changes nothing, as in "`status` is ignored", or any but those before. */
const [ignoring, others] = [/`(\w+)` (?:is|are) ignored/g, /^.*?(?=\bignor\w+ (?:everything|anything|all) else\b)/is];

/** The fields of a request that the server heeds, as far as its description says. */
export function heeded(fields: readonly string[], { description = '' } = {}): string[] {
  const ignored = Array.from(description.matchAll(ignoring), ([, name]) => name);
  const [before] = others.exec(description) ?? [];
  const isNamed = (name: string) => before === undefined || before.includes(`\`${name}\``);
  return fields.filter((name) => !ignored.includes(name) && isNamed(name));
}
