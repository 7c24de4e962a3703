/** The name of an input in messages. */
export function nameOfInput(file: string): string {
  return file === '-' ? 'the standard input' : file;
}
