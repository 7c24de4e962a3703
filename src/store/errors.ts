import { OperatorError, UnavailableError } from '../domain/errors.ts';

/** The store is temporarily unavailable: locked, full, unreachable or broken. A later retry may succeed. */
export class StoreUnavailableError extends UnavailableError {
  override readonly name = 'StoreUnavailableError';
  /** Whether the store became unavailable during a commit, so that it is unknown whether the change was saved. */
  outcomeUnknown = false;
}

/** The store cannot be opened. */
export class StoreOpenError extends OperatorError {
  override readonly name = 'StoreOpenError';
}

/** The object of a change or a read does not exist. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  readonly what: 'organisation' | 'credential' | 'role' | 'case' | 'file';

  constructor(what: NotFoundError['what'], id: string) {
    super(`There is no ${what} ${id}.`);
    this.what = what;
  }
}

/** A change conflicts with the stored data. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  /** The place of the conflict in the input, as in `[12].files[3].file_id`, if the input was a list. */
  readonly place: string | undefined;

  constructor(message: string, place?: string) {
    super(message);
    this.place = place;
  }
}

/** A file that gets content is not waiting for its upload, for instance because it already has content. */
export class NotAwaitedError extends Error {
  override readonly name = 'NotAwaitedError';
  readonly fileId: string;

  constructor(fileId: string) {
    super(`The file ${fileId} is not waiting for its upload.`);
    this.fileId = fileId;
  }
}

/** Stored content was removed as a leftover before its file was added, so it must be stored again. */
export class ContentSweptError extends OperatorError {
  override readonly name = 'ContentSweptError';

  constructor() {
    super('The content of a file was removed as a leftover while the file was added. Add the file again.');
  }
}
