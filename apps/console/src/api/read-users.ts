import { call } from './client';

export interface User {
  readonly id: string;
  readonly username: string;
  readonly is_active: boolean;
  readonly is_superuser: boolean;
  readonly create_at: string;
}

const PAGE_SIZE = 200;

/** Reads all users, page by page, for admins. */
export async function readUsers(signal: AbortSignal): Promise<readonly User[]> {
  const found: User[] = [];
  for (;;) {
    const path = `/api/v1/users/?limit=${PAGE_SIZE}&skip=${found.length}`;
    const page = await call<{ users: readonly User[]; total_count: number }>(path, { signal });
    found.push(...page.users);
    if (found.length >= page.total_count || page.users.length === 0) return found;
  }
}
