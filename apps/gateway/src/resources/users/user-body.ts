import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/users/`. */
export interface UserBody {
  readonly username: string;
  readonly is_superuser?: boolean;
}

/** Body of `PATCH /api/v1/users/{user_id}`: members that are absent or null stay unchanged. */
export interface UserChangesBody {
  readonly username?: string | null;
  readonly profile_image?: string | null;
  readonly password?: string | null;
  readonly is_active?: boolean | null;
  readonly is_superuser?: boolean | null;
  readonly optins?: Readonly<Record<string, unknown>> | null;
}

const MAXIMUM_NAME_LENGTH = 200;

export const userBodySchema: RequestSchema = {
  title: 'NewUser',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['username'],
  properties: {
    username: { type: 'string', minLength: 1, maxLength: MAXIMUM_NAME_LENGTH },
    is_superuser: { type: 'boolean' },
    // Members of Langflow without an effect here.
    password: {},
    optins: {},
  },
};

const optionalFlag = { 'x-flag': 'optional' };

export const userChangesSchema: RequestSchema = {
  title: 'UserChanges',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  properties: {
    username: { type: ['string', 'null'], minLength: 1, maxLength: MAXIMUM_NAME_LENGTH },
    profile_image: { type: ['string', 'null'], maxLength: 2_000 },
    // Has no effect: users have keys.
    password: { type: ['string', 'null'] },
    is_active: optionalFlag,
    is_superuser: optionalFlag,
    // Has no effect: there is no login.
    last_login_at: { 'x-date-time': true },
    optins: { type: ['object', 'null'] },
  },
};
