import type { FlowSettings } from '@millrace/flow';
import type { UserStore } from '@millrace/runs';
import type { Location, ValidationItem } from '../http/validation/validation-item';
import { invalidRequest } from '../http/validation/validator';

/** Stands for all admins. */
const ADMINS = 'superusers';

/**
 * Resolves to the ids of the users in `answeredBy`, by what the settings call them. Throws invalid_request with an item for each of
 * no active user. A user that settings named before can have been deleted since, which must not refuse another change.
 */
export async function answeringUsers(
  users: Pick<UserStore, 'named'>,
  { answeredBy }: Pick<FlowSettings, 'answeredBy'>,
  before: Pick<FlowSettings, 'answeredBy'>,
  base: Location,
): Promise<ReadonlyMap<string, string>> {
  const names = answeredBy ?? [];
  const known = new Set([ADMINS, ...(before.answeredBy ?? [])]);
  const found = await users.named(names.filter((name) => !known.has(name)));
  const isKnown = (name: string) => {
    const { id, isActive } = found.get(name) ?? { id: name, isActive: false };
    return isActive || known.has(id);
  };
  const items = names.flatMap((name, index): ValidationItem[] => {
    if (isKnown(name)) return [];
    const loc = [...base, 'answeredBy', index];
    return [{ type: 'user_unknown', loc, msg: `There is no active user "${name}".`, input: name }];
  });
  if (items.length > 0) throw invalidRequest(items);
  return new Map([...found].map(([name, { id }]) => [name, id]));
}

/** Resolves to the names of the users in `answeredBy`; an id remains of a deleted one. Undefined where the settings name no users. */
export async function answeringNames(
  users: Pick<UserStore, 'named'>,
  { answeredBy }: Pick<FlowSettings, 'answeredBy'>,
): Promise<readonly string[] | undefined> {
  if (answeredBy === undefined) return undefined;
  const found = await users.named(answeredBy.filter((id) => id !== ADMINS));
  return answeredBy.map((id) => found.get(id)?.username ?? id);
}

/** Returns settings that name users by id: a user can be renamed, and another one can take the name. */
export function withUserIds<Settings extends FlowSettings>(
  settings: Settings,
  ids: ReadonlyMap<string, string>,
): Settings {
  const { answeredBy } = settings;
  return answeredBy
    ? { ...settings, answeredBy: [...new Set(answeredBy.map((name) => ids.get(name) ?? name))] }
    : settings;
}
