import type { FlowSettings } from '@millrace/flow';
import type { UserStore } from '@millrace/runs';
import type { Location, ValidationItem } from '../../http/validation/validation-item';
import { invalidRequest } from '../../http/validation/validator';

/** Stands for all admins. */
const ADMINS = 'superusers';

/**
 * Throws invalid_request with an item for each name in `answeredBy` that is of no active user. A user that settings named before
 * can have been deleted since, which must not refuse another change.
 */
export async function refuseUnknownUsers(
  users: Pick<UserStore, 'unknown'>,
  { answeredBy }: Pick<FlowSettings, 'answeredBy'>,
  before: Pick<FlowSettings, 'answeredBy'>,
  base: Location,
): Promise<void> {
  const names = answeredBy ?? [];
  const known = new Set([ADMINS, ...(before.answeredBy ?? [])]);
  const unknown = await users.unknown(names.filter((name) => !known.has(name)));
  const items = names.flatMap((name, index): ValidationItem[] => {
    if (!unknown.has(name)) return [];
    const loc = [...base, 'answeredBy', index];
    return [{ type: 'user_unknown', loc, msg: `There is no active user "${name}".`, input: name }];
  });
  if (items.length > 0) throw invalidRequest(items);
}
