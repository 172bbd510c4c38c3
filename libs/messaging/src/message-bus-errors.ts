/** No queue took the message: nothing is bound, or the exchange does not exist. */
export class UnroutableError extends Error {
  readonly code = 'unroutable';
  override readonly name = 'UnroutableError';
}

/** The message was refused: the queue is full, the body is too large, or the broker had an internal error. */
export class RefusedError extends Error {
  readonly code = 'refused';
  override readonly name = 'RefusedError';
}

/** No confirm arrived in time, or the connection was lost before it: the message may or may not be in the queue. */
export class UnconfirmedError extends Error {
  readonly code = 'unconfirmed';
  override readonly name = 'UnconfirmedError';
}

/** Not connected, blocked, or no room in time: the message was not sent. */
export class BusUnavailableError extends Error {
  readonly code = 'bus_unavailable';
  override readonly name = 'BusUnavailableError';
}

/** An exchange or queue exists with other properties; an operator must migrate or delete it. */
export class TopologyMismatchError extends Error {
  readonly code = 'topology_mismatch';
  override readonly name = 'TopologyMismatchError';
}

/** The queue to consume from does not exist and was never provisioned here. */
export class QueueMissingError extends Error {
  readonly code = 'queue_missing';
  override readonly name = 'QueueMissingError';
}
