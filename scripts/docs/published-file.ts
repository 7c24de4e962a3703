/** A file of the documentation that is served unchanged. */
export interface PublishedFile {
  /** Its path on the server. */
  readonly path: string;
  /** Its path in the folder of the documentation. */
  readonly file: string;
  readonly text: string;
}
