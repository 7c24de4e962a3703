/** A file of the documentation that is served as it is. */
export interface PublishedFile {
  /** Where the server has it. */
  readonly path: string;
  /** Its place in the folder of the documentation. */
  readonly file: string;
  readonly text: string;
}
