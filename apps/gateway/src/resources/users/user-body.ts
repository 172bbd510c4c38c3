import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/users/`. */
export interface UserBody {
  readonly username: string;
  readonly is_superuser?: boolean;
}

export const userBodySchema: RequestSchema = {
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['username'],
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 200 },
    is_superuser: { type: 'boolean' },
    // Members of Langflow without an effect here.
    password: {},
    optins: {},
  },
};
