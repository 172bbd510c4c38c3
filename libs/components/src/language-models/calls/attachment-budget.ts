import { ComponentError } from '@millrace/flow';

const maximumMebibytes = 32;

/** The bytes that the files of one call of a model, those of earlier messages included, can have together. */
export class AttachmentBudget {
  #remaining = maximumMebibytes * 1_048_576;

  /** Throws an ExceededAttachmentBudget when the file does not fit. */
  take(path: string, bytes: number): void {
    if (bytes > this.#remaining) throw new ExceededAttachmentBudget(path);
    this.#remaining -= bytes;
  }
}

export class ExceededAttachmentBudget extends ComponentError {
  constructor(path: string) {
    super(
      `The files of a message and of the messages before it can have at most ${maximumMebibytes} MiB together for a model; '${path}' exceeds that.`,
    );
  }
}
