/** Suggests an operationId in camel case, such as `getCasesFiles`. */
export function suggestedId(method: string, path: string): string {
  const words = path.replaceAll(/\{[^}]*\}/g, '').match(/[A-Za-z0-9]+/g) ?? [];
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Makes names unique by appending a number to repeated ones. */
export function uniqueNames(taken: Iterable<string>): (name: string) => string {
  const names = new Set(taken);
  return (name) => {
    let unique = name;
    for (let number = 2; names.has(unique); number += 1) unique = `${name}${number}`;
    names.add(unique);
    return unique;
  };
}
