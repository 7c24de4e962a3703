/** The kinds of value that a variable of the environment can hold. Each says what is wrong with a value that is not one. */
import { availableParallelism } from 'node:os';
import { EnvError, makeExactValidator } from 'envalid';

/** Decimal digits alone, from a minimum to a maximum. */
export function wholeNumber(minimum: number, maximum: number) {
  return makeExactValidator<number>((text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new EnvError(`must be a whole number from ${minimum} to ${maximum}, not "${text}"`);
    return value;
  });
}

/** A number of processes, or `auto` for as many as the machine can run at once. */
export function workers() {
  return makeExactValidator<number>((text) => {
    const value = text === 'auto' ? availableParallelism() : Number(text);
    if (!/^(auto|\d+)$/.test(text) || value < 1 || value > 1024)
      throw new EnvError(`must be a whole number from 1 to 1024, or auto, not "${text}"`);
    return value;
  });
}

export function oneOf<T extends string>(values: readonly T[]) {
  return makeExactValidator<T>((text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new EnvError(`must be one of ${values.join(', ')}, not "${text}"`);
    return value;
  });
}

/** One or more of these values, with commas between them. */
export function someOf<T extends string>(values: readonly T[]) {
  return makeExactValidator<readonly T[]>((text) => {
    const given = text.split(',').map((part) => part.trim());
    const known = values.filter((value) => given.includes(value));
    if (known.length < given.length)
      throw new EnvError(`must list some of ${values.join(', ')}, with commas between them, not "${text}"`);
    return known;
  });
}

export function nonEmpty() {
  return makeExactValidator<string>((text) => {
    if (text === '') throw new EnvError('must not be empty');
    return text;
  });
}

/** An address of `https`, or of `http` on this machine. It may hold no credentials, as it is not kept secret. */
export function secureUrl() {
  return makeExactValidator<URL>((text) => {
    const url = URL.parse(text);
    const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname));
    if (!url || !secure || url.username !== '' || url.password !== '')
      throw new EnvError('must be a URL of https (or of http on localhost), without a user name and password');
    return url;
  });
}

/** An address of `http` or `https`, or nothing. It is not repeated, because it may hold a password. */
export function webUrl() {
  return makeExactValidator<string>((text) => {
    if (text !== '' && !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
      throw new EnvError('must be a URL of http or https');
    return text;
  });
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
