import { ComponentError } from '@millrace/flow';

/** Astra rejected a command. */
export class AstraError extends ComponentError {
  /** Astra's own error codes, such as COLLECTION_NOT_EXIST. */
  readonly errorCodes: readonly string[];

  constructor(message: string, errorCodes: readonly string[]) {
    super(message);
    this.errorCodes = errorCodes;
  }
}
