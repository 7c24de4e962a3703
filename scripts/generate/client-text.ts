/** A value as TypeScript. Properties that are undefined are left out. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A name as a property of an object. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** A doc comment of its own lines, which a description cannot end early. */
export function comment(text: string, indent = 0): string {
  const margin = ' '.repeat(indent);
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${margin}/** ${lines.join('')} */\n`;
  return `${margin}/**\n${lines.map((line) => `${margin} * ${line}`.trimEnd()).join('\n')}\n${margin} */\n`;
}
