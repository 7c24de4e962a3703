/** A value as TypeScript, without undefined properties. */
export function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A name as an object's property. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** A doc comment on lines of its own, which the text cannot end early. */
export function comment(text: string, indent = 0): string {
  const margin = ' '.repeat(indent);
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${margin}/** ${lines.join('')} */\n`;
  return `${margin}/**\n${lines.map((line) => `${margin} * ${line}`.trimEnd()).join('\n')}\n${margin} */\n`;
}
