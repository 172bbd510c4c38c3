import type { KeyBounds } from '@millrace/runs';

/** Returns bounds as members of answers and of entries of the audit log. */
export function boundsView(bounds: KeyBounds | null) {
  const { endUsers, ...others } = bounds ?? {};
  return endUsers === undefined ? others : { ...others, end_users: endUsers };
}
