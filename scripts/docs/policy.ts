import { createHash } from 'node:crypto';

/** The hash by which a content security policy allows a script or a style. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** A content security policy that allows these sources, by directive, and nothing else. */
export function policyOf(sources: Readonly<Record<string, readonly string[]>>): string {
  const none = ["'none'"];
  const directives = { 'default-src': none, ...sources, 'base-uri': none, 'form-action': none };
  return Object.entries(directives)
    .map(([directive, allowed]) => [directive, ...allowed].join(' '))
    .join('; ');
}
