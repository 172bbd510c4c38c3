import { closedObject, flag, listOf, orNull, text, namedObject } from '@millrace/messages';

const seconds = { type: 'number' } as const;
const instant = { type: 'string', format: 'date-time' } as const;

/** The state of each dependency, as this gateway sees it. */
export const systemHealthSchema = namedObject('SystemHealth', {
  version: text,
  instance: text,
  ready: flag,
  checked_at: instant,
  checks: listOf(
    closedObject({ name: text, ok: flag, milliseconds: seconds, error: orNull(text), details: {} }),
  ),
});

/** The settings in force; secrets are hidden. */
export const systemSettingsSchema = namedObject('SystemSettings', {
  settings: listOf(closedObject({ name: text, value: {}, default: flag, secret: flag, description: text })),
});
