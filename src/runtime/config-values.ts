/** The kinds of value that a variable of the environment can hold. Each says what is wrong with a value that is not one. */
import { readFileSync } from 'node:fs';
import { EnvError, makeExactValidator } from 'envalid';
import { millisecondsOf } from '../domain/time.ts';

/**
 * A validator for values that `parse` accepts. Its error says what the value must be, and quotes it unless it may be
 * secret.
 */
export function valueOf<T>(parse: (text: string) => T | undefined, mustBe: string, { isSecret = false } = {}) {
  return makeExactValidator<T>((text) => {
    const value = parse(text);
    if (value === undefined) throw new EnvError(`must ${mustBe}${isSecret ? '' : `, not "${text}"`}`);
    return value;
  });
}

/** For values that may contain a secret. */
export const hidden = { isSecret: true };

function within(value: number | undefined, minimum: number, maximum: number): number | undefined {
  return value !== undefined && value >= minimum && value <= maximum ? value : undefined;
}

export function wholeNumber(minimum: number, maximum: number) {
  const mustBe = `be a whole number from ${minimum} to ${maximum}`;
  const numberOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined);
  return valueOf((text) => within(numberOf(text), minimum, maximum), mustBe);
}

/** A length of time with its unit, as in `90s`, `30m`, `24h` or `7d`, from a minimum to a maximum; in milliseconds. */
export function duration(minimum: string, maximum: string) {
  const [least, most] = [Number(millisecondsOf(minimum)), Number(millisecondsOf(maximum))];
  const mustBe = `be a time from ${minimum} to ${maximum}, such as 30m or 24h`;
  return valueOf((text) => within(millisecondsOf(text), least, most), mustBe);
}

export function oneOf<T extends string>(values: readonly T[]) {
  return valueOf((text) => values.find((value) => value === text), `be one of ${values.join(', ')}`);
}

export function someOf<T extends string>(values: readonly T[]) {
  return valueOf<readonly T[]>(
    (text) => {
      const given = text.split(',').map((part) => part.trim());
      const known = values.filter((value) => given.includes(value));
      return known.length < given.length ? undefined : known;
    },
    `list some of ${values.join(', ')}, with commas between them`,
  );
}

export function nonEmpty() {
  return valueOf((text) => text || undefined, 'not be empty', hidden);
}

/** Origins of web pages, with commas between them, each as a browser sends it; or nothing. */
export function origins() {
  return makeExactValidator<readonly string[]>((text) => {
    const given = text.split(',').map((part) => part.trim());
    return given.filter((part) => part !== '').map(originOf);
  });
}

/** @throws {EnvError} saying what to write instead, where that is known */
function originOf(text: string): string {
  if (text.includes('*')) throw new EnvError('must name each origin, such as https://app.example; * is not allowed');
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
  if (isOrigin && url.origin === text) return text;
  const advice = isOrigin ? `: write ${url.origin}` : '';
  throw new EnvError(`must list origins such as https://app.example, with commas between them, not "${text}"${advice}`);
}

/** An address of `https`, or of `http` on this machine. It may hold no credentials, as it is not kept secret. */
export function secureUrl() {
  const parse = (text: string) => {
    const url = URL.parse(text);
    const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
    return url && secure && url.username + url.password === '' ? url : undefined;
  };
  return valueOf(parse, 'be a URL of https (or of http on localhost), without a user name and password', hidden);
}

/** An address of `http` or `https`, or nothing. It may hold a password. */
export function webUrl() {
  const isWeb = (text: string) => text === '' || /^https?:$/.test(URL.parse(text)?.protocol ?? '');
  return valueOf((text) => (isWeb(text) ? text : undefined), 'be a URL of http or https', hidden);
}

/** The headers of a request, as in `name=value,other=value`, or nothing. They may hold a token. */
export function headers() {
  const parse = (text: string): Readonly<Record<string, string>> | undefined => {
    const pairs = text.split(',').filter((pair) => pair.trim() !== '');
    const found = pairs.map((pair) => /^\s*([\w!#$&'*.^`|~+-]+)\s*=\s*([\x21-\x7e]+)\s*$/.exec(pair) ?? []);
    if (found.some(([, name, value = '']) => name === undefined || !isPercentEncoded(value))) return undefined;
    return Object.fromEntries(found.map(([, name = '', value = '']) => [name, decodeURIComponent(value)]));
  };
  return valueOf(parse, 'list headers with commas between them, as in name=value, percent-encoded', hidden);
}

export function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The environment, with the secrets from files. */
export interface ReadSecrets {
  readonly environment: NodeJS.ProcessEnv;
  /** Mistakes by the name of the secret. */
  readonly mistakes: ReadonlyMap<string, string>;
  /** How a message names a variable, the file included that its value came from. */
  readonly nameOf: (name: string) => string;
}

/** Reads each variable `NAME` from the file that `NAME_FILE` names, if it is given, without a final line break. */
export function readSecretFiles(given: NodeJS.ProcessEnv, names: readonly string[]): ReadSecrets {
  const environment = { ...given };
  const mistakes = new Map<string, string>();
  const paths = new Map<string, string>();
  for (const name of names) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    paths.set(name, path);
    if (given[name] !== undefined) mistakes.set(name, `${name} contradicts ${name}_FILE: unset the one or the other`);
    else
      try {
        environment[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
        if (environment[name] === '') mistakes.set(name, `${name}_FILE names ${path}, which is empty`);
      } catch (error) {
        mistakes.set(name, `${name}_FILE names a file that cannot be read: ${(error as Error).message}`);
      }
  }
  const nameOf = (name: string) => (paths.has(name) ? `${name}_FILE names ${paths.get(name) ?? ''}, which` : name);
  return { environment, mistakes, nameOf };
}
