/** A Python process ended before it answered. */
export class ProcessEndedError extends Error {
  constructor(reason: string) {
    super(`The Python process ended: ${reason}`);
    this.name = 'ProcessEndedError';
  }
}
