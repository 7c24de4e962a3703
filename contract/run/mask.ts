import type { Credentials, Report } from './model.ts';

const masks = new WeakMap<Credentials, SecretMask>();

/** Headers whose names say that their values are secret. */
const secretHeader = /authori[sz]ation|cookie|secret|password|(^|[-_])(key|token)$/i;

/** The credentials and added headers that are secret, by their names; spares have the name of what they stand for. */
function secretsOf({ spares = {}, connection, ...given }: Credentials): [name: string, value: string][] {
  const isSecret = (entry: [string, unknown]): entry is [string, string] =>
    /_(key|token)$|^(\w+-)?security\./.test(entry[0]) && typeof entry[1] === 'string';
  const headers = (connection?.headers ?? []).filter(([name]) => secretHeader.test(name));
  return [
    ...Object.entries(given).filter(isSecret),
    ...Object.entries(spares).flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
    ...headers.map(([name, value]): [string, string] => [name, value.replace(/^\S+ (?=\S+$)/, '')]),
  ];
}

export function namesOf(credentials: Credentials): Map<string, string> {
  return new Map(secretsOf(credentials).map(([name, secret]) => [secret, name]));
}

/** The mask that hides every secret of one set of credentials, each under a name of its own. */
export function maskOf(credentials: Credentials): SecretMask {
  const { spares = {}, ...others } = credentials;
  const named = Object.entries(spares).flatMap(([name, values]) =>
    values.map((value, index): [string, string] => [`${name}_spare_${index + 1}`, value]),
  );
  const mask = masks.get(credentials) ?? new SecretMask([...secretsOf(others), ...named]);
  masks.set(credentials, mask);
  return mask;
}

/** The report with every text masked that may repeat what was sent or came; ids are the suite's own words, and exchanges are masked as they are shown. */
export function maskReport(report: Report, credentials: Credentials): Report {
  const mask = (text: string) => maskOf(credentials).mask(text);
  const results = report.results.map((result) => ({
    ...result,
    check: { ...result.check, title: mask(result.check.title) },
    ...(result.reason !== undefined && { reason: mask(result.reason) }),
    ...(result.measured !== undefined && { measured: mask(result.measured) }),
    failures: result.failures.map((each) => ({ ...each, message: mask(each.message) })),
  }));
  return { ...report, results, problems: report.problems.map(mask) };
}

/** So many characters of a secret in a row count as telling a part of it. */
const fragment = 12;

/** A shorter secret, such as `owner`, cannot be distinguished from a word: it is hidden only where it is sent. */
const shortestSearched = 8;

/** What stands at a position of a text. */
interface Found {
  readonly length: number;
  readonly shown: string;
}

/** Hides secrets that are known by a name: whole, in part, in other letter case, and URL-, base64- or hex-encoded. */
export class SecretMask {
  readonly #known: ReadonlyMap<string, string>;
  /** Those that are looked for in a text. */
  readonly #secrets: readonly (readonly [name: string, value: string])[];
  /** What stands for a secret in a masked text: a variable of a shell, or the note of a part. */
  readonly placeholder: RegExp;
  /** By their length: the stretches of text, in lower case, that give a secret away. */
  readonly #stretches = new Map<number, Map<string, string>>();

  constructor(named: readonly (readonly [name: string, value: string])[]) {
    const secrets = named.map(([name, value]) => [name.toUpperCase().replace(/\W/g, '_'), value] as const);
    this.#known = new Map(secrets.map(([name, value]) => [value, name]));
    const names = secrets.map(([name]) => name).join('|') || '(?!)';
    this.placeholder = new RegExp(`(\\$(?:${names})\\b|\\$\\{(?:${names})\\}|\\[part of (?:${names})\\])`);
    this.#secrets = secrets
      .filter(([, value]) => value.length >= shortestSearched)
      .sort(([, a], [, b]) => b.length - a.length);
    for (const [name, value] of this.#secrets)
      for (const form of formsOf(value)) this.#addForm(name, form.toLowerCase());
  }

  /** The text with `$OWNER_KEY` in the place of a secret, and `[part of OWNER_KEY]` for what is made from one. */
  mask(text: string): string {
    const lower = text.toLowerCase();
    // Lower case changes the length of a few texts; in those, positions would be wrong.
    const searched = lower.length === text.length ? lower : text;
    let masked = '';
    for (let at = 0; at < text.length;) {
      const found = this.#wholeAt(text, at) ?? this.#partAt(searched, at);
      masked += found?.shown ?? text.charAt(at);
      at += found?.length ?? 1;
    }
    return masked;
  }

  /** The value of a header, which may be a secret of any length, alone or after a word such as `Bearer`. */
  maskHeader(value: string): string {
    const [, word = '', secret = ''] = /^(\S+ )?(\S+)$/.exec(value) ?? [];
    const name = this.#known.get(secret);
    return name === undefined ? this.mask(value) : `${word}$${name}`;
  }

  #wholeAt(text: string, at: number): Found | undefined {
    const [name, { length }] = this.#secrets.find(([, value]) => text.startsWith(value, at)) ?? ['', ''];
    if (length === 0) return undefined;
    // The name of a variable would go on with a letter that follows.
    return { length, shown: /\w/.test(text.charAt(at + length)) ? `\${${name}}` : `$${name}` };
  }

  #partAt(text: string, at: number): Found | undefined {
    for (const [length, stretches] of this.#stretches) {
      const name = stretches.get(text.slice(at, at + length));
      if (name === undefined) continue;
      let end = at + 1;
      while (stretches.get(text.slice(end, end + length)) === name) end += 1;
      return { length: end - 1 + length - at, shown: `[part of ${name}]` };
    }
    return undefined;
  }

  #addForm(name: string, form: string): void {
    const length = Math.min(fragment, form.length);
    const stretches = this.#stretches.get(length) ?? new Map<string, string>();
    this.#stretches.set(length, stretches);
    for (let at = 0; at + length <= form.length; at += 1) stretches.set(form.slice(at, at + length), name);
  }
}

function formsOf(secret: string): Set<string> {
  const json = JSON.stringify(secret).slice(1, -1);
  // A secret is also sent in other letter case, which its hex and base64 hide from a search that ignores case.
  const cased = [secret, secret.toUpperCase(), secret.toLowerCase(), swapCase(secret)].map((text) => Buffer.from(text));
  const hex = cased.map((bytes) => bytes.toString('hex'));
  const percent = hex.map((text) => text.replace(/../g, '%$&'));
  const base64 = cased.flatMap((bytes) => [0, 1, 2].map((offset) => base64At(bytes, offset)));
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return new Set([secret, json, encodeURIComponent(secret), ...percent, ...hex, ...base64, ...urlSafe]);
}

/** A text with its capitals as small letters, and the other way around. */
export function swapCase(text: string): string {
  return text.replace(/\p{L}/gu, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
}

/** The characters of base64 that stand for the secret alone, if so many bytes come before it. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
