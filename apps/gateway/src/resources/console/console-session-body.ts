import { closedBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const consoleSessionBodySchema = closedBody(
  'NewConsoleSession',
  { api_key: { type: 'string', minLength: 1 } },
  ['api_key'],
);

/** Body of `POST /api/v1/console/session`. */
export type ConsoleSessionBody = ValueOf<typeof consoleSessionBodySchema>;
