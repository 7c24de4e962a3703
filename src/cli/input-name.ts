/** How messages call an input. */
export function nameOfInput(file: string): string {
  return file === '-' ? 'the standard input' : file;
}
