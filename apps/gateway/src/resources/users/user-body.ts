import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const MAXIMUM_NAME_LENGTH = 200;

export const userBodySchema = closedBody(
  'NewUser',
  {
    username: { type: 'string', minLength: 1, maxLength: MAXIMUM_NAME_LENGTH },
    is_superuser: { type: 'boolean' },
    // Members of Langflow without an effect here.
    password: {},
    optins: {},
  },
  ['username'],
);

/** Body of `POST /api/v1/users/`. */
export type UserBody = ValueOf<typeof userBodySchema>;

const optionalFlag = { 'x-flag': 'optional' } as const;

export const userChangesSchema = closedBody('UserChanges', {
  username: { type: ['string', 'null'], minLength: 1, maxLength: MAXIMUM_NAME_LENGTH },
  profile_image: { type: ['string', 'null'], maxLength: 2_000 },
  // Has no effect: users have keys.
  password: { type: ['string', 'null'] },
  is_active: optionalFlag,
  is_superuser: optionalFlag,
  // Has no effect: there is no login.
  last_login_at: { 'x-date-time': true },
  optins: { type: ['object', 'null'] },
});

/** Body of `PATCH /api/v1/users/{user_id}`: members that are absent or null stay unchanged. */
export type UserChangesBody = ValueOf<typeof userChangesSchema>;
