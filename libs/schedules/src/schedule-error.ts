/** The rules of a schedule are invalid; the text says what is wrong. */
export class ScheduleError extends Error {
  readonly code = 'schedule_invalid';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ScheduleError';
  }
}
