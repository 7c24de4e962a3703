/** The name of an operation's files: its operationId in kebab case. */
export function fileNameOf(operationId: string): string {
  return operationId
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}
