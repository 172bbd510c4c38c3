import { ComponentError } from '@millrace/flow';

/** Astra refused a command that reached it. */
export class AstraError extends ComponentError {
  /** Astra's own code of each error, such as COLLECTION_NOT_EXIST. */
  readonly errorCodes: readonly string[];

  constructor(message: string, errorCodes: readonly string[]) {
    super(message);
    this.errorCodes = errorCodes;
  }
}
