/** The store cannot do its work for now: it is locked, full, out of reach or broken. Trying again later may help. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** Whether the store was lost while it saved a change, so that nobody can tell whether it did. */
  outcomeUnknown = false;
}

/** The store cannot be opened; the message says what the operator can do. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError';
}

/** What a change or a read names does not exist. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  readonly what: 'organisation' | 'credential' | 'role' | 'case' | 'file';
  readonly id: string;

  constructor(what: NotFoundError['what'], id: string) {
    super(`There is no ${what} ${id}.`);
    this.what = what;
    this.id = id;
  }
}

/** A change contradicts what the store holds. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  /** The place of the contradiction in the input, such as `[12].files[3].file_id`, if the input is a list. */
  readonly place: string | undefined;

  constructor(message: string, place?: string) {
    super(message);
    this.place = place;
  }
}

/** Content is given to a file that does not wait for its upload, such as one that has its content. */
export class NotAwaitedError extends Error {
  override readonly name = 'NotAwaitedError';
  readonly fileId: string;

  constructor(fileId: string) {
    super(`The file ${fileId} does not wait for its upload.`);
    this.fileId = fileId;
  }
}

/** Content that was stored has been removed as a leftover before a file was added that has it: it has to be stored again. */
export class ContentSweptError extends Error {
  override readonly name = 'ContentSweptError';

  constructor() {
    super('The content of a file was removed as a leftover while the file was added. Add the file again.');
  }
}
