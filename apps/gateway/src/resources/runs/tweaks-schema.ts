/** Tweaks: settings of vertices by id or display name, or one value for every vertex that has the field. */
export const tweaksSchema = {
  type: ['object', 'null'],
  additionalProperties: { type: ['boolean', 'number', 'string', 'object'], 'x-tweak': true },
} as const;
