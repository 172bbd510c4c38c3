import type { RequestSchema } from '../../http/validation/request-schema';

/** Tweaks: settings of vertices by id or display name, or one value for every vertex that has the field. */
export const tweaksSchema: RequestSchema = {
  type: ['object', 'null'],
  additionalProperties: { type: ['boolean', 'number', 'string', 'object'], 'x-tweak': true },
};
