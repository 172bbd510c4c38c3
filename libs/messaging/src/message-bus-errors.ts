/** No queue took a mandatory message. */
export class UnroutableError extends Error {
  readonly code = 'unroutable';
}

/** The broker refused the message: the queue is full, or it failed inside. */
export class RefusedError extends Error {
  readonly code = 'refused';
}

/** No confirm in time, or the connection went before it came: the message may or may not be there. */
export class UnconfirmedError extends Error {
  readonly code = 'unconfirmed';
}

/** Not connected, or the broker blocks publishers: the message was not sent. */
export class BusUnavailableError extends Error {
  readonly code = 'bus_unavailable';
}
