import type { LimitScope } from '@millrace/runs';

/** What a limit of a request is about. */
export type RequestScope = LimitScope | 'end_user';

/** The words of errors. */
export const limitNames: Readonly<Record<RequestScope, string>> = {
  key: 'API key',
  user: 'user',
  project: 'project',
  flow: 'flow',
  end_user: 'end user',
};
