import { call } from './client';
import type { Schemas } from './answers';

export type User = Schemas['User'];

const PAGE_SIZE = 200;

/** Reads all users, page by page, for admins. */
export async function readUsers(signal: AbortSignal): Promise<readonly User[]> {
  const found: User[] = [];
  for (;;) {
    const path = `/api/v1/users/?limit=${PAGE_SIZE}&skip=${found.length}`;
    const page = await call<Schemas['UserPage']>(path, { signal });
    found.push(...page.users);
    if (found.length >= page.total_count || page.users.length === 0) return found;
  }
}
