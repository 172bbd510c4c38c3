/** An outgoing call was refused before a byte was sent: its protocol or address is not allowed. */
export class OutgoingRefusedError extends Error {
  readonly code = 'outgoing_refused';

  constructor(message: string) {
    super(message);
    this.name = 'OutgoingRefusedError';
  }
}
