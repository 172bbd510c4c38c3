/** More waits to be committed than there is room for. */
export class GroupCommitFullError extends Error {
  readonly code = 'overloaded';

  constructor(maximumPending: number) {
    super(`${maximumPending} items wait to be committed already`);
    this.name = 'GroupCommitFullError';
  }
}

/** The item came after, or was still waiting long after, the end. It was not committed. */
export class GroupCommitClosedError extends Error {
  readonly code = 'closed';

  constructor() {
    super('nothing more is committed here');
    this.name = 'GroupCommitClosedError';
  }
}
