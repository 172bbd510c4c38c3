import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/console/session`. */
export interface ConsoleSessionBody {
  readonly api_key: string;
}

export const consoleSessionBodySchema: RequestSchema = {
  title: 'NewConsoleSession',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['api_key'],
  properties: { api_key: { type: 'string', minLength: 1 } },
};
