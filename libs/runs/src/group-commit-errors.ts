/** The limit of pending items is reached. */
export class GroupCommitFullError extends Error {
  readonly code = 'overloaded';

  constructor(maximumPending: number) {
    super(`the limit of ${maximumPending} pending items is reached`);
    this.name = 'GroupCommitFullError';
  }
}

/** The item was added after `close`, or was still pending at its deadline. It was not committed. */
export class GroupCommitClosedError extends Error {
  readonly code = 'closed';

  constructor() {
    super('the group commit is closed');
    this.name = 'GroupCommitClosedError';
  }
}
