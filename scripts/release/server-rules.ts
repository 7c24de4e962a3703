import { breaking, type Change, compatible } from './change.ts';
import { type Json, keysOf, object } from './document.ts';
import { unjudged } from './unjudged.ts';

/** Judges the servers of the document, a path or an operation. */
export function serverRules(before: Json, after: Json, where: string): Change[] {
  const [old, current] = [serversOf(before), serversOf(after)];
  return keysOf(old, current).flatMap((url) => {
    if (!(url in current)) return [breaking(where, `the server ${url} is removed`)];
    if (!(url in old)) return [compatible(where, `the server ${url} is added`)];
    return unjudged(object(old[url]), object(current[url]), ['url'], `the server ${url}`);
  });
}

function serversOf({ servers = [] }: Json): Json {
  return Object.fromEntries((servers as { url: string }[]).map((server) => [server.url, server]));
}
