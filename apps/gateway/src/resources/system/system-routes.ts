import { systemHealthSchema, systemSettingsSchema } from './system-schemas';
import type { UserStore } from '@millrace/runs';
import { describeSettings, redactText, version } from '@millrace/service';
import type { Health, SettingsDefinition, SharedClock } from '@millrace/service';
import { requireAdmin } from '../../authentication/require-admin';
import { forAdmins } from '../../http/routing/access';
import { keyedRoute } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson, sendJsonText } from '../../http/answers/send-json';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';

export interface SystemRoutesOptions {
  readonly users: Pick<UserStore, 'find'>;
  readonly health: Pick<Health, 'ready'>;
  readonly clock: SharedClock;
  readonly instance: string;
  readonly definition: SettingsDefinition;
  readonly settings: object;
}

const errors = ['permission_denied'] as const;
const operations = {
  health: {
    summary: 'Check each dependency of this gateway; for admins',
    answers: { 200: json('The checks; the status is 200 also when one fails', systemHealthSchema) },
    errors,
  },
  settings: {
    summary: 'List the settings of this gateway that are in force; for admins',
    answers: { 200: json('The settings, without secrets', systemSettingsSchema) },
    errors,
  },
} as const satisfies Record<string, Operation>;

/** Routes by which admins see the state of the dependencies and the settings in force. */
export function systemRoutes(options: SystemRoutesOptions): readonly Route[] {
  const { users, health, clock, instance, definition, settings } = options;
  const check = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const { ready, checks } = await health.ready();
    const view = {
      version,
      instance,
      ready,
      checked_at: new Date(clock.now()).toISOString(),
      checks: Object.entries(checks).map(([name, { ok, milliseconds, error = null, details = null }]) => ({
        name,
        ok,
        milliseconds,
        error,
        details,
      })),
    };
    sendJsonText(call.response, 200, redactText(JSON.stringify(view)));
  };
  const list = async (call: KeyedCall) => {
    await requireAdmin(users, call);
    const described = describeSettings(definition, { ...settings });
    sendJson(call.response, 200, {
      settings: described.map(({ name, value, isDefault }) => ({
        name,
        value,
        default: isDefault,
        secret: definition[name]?.secret ?? false,
        description: definition[name]?.description ?? '',
      })),
    });
  };
  return [
    keyedRoute('GET /api/v1/system/health', forAdmins, operations.health, check),
    keyedRoute('GET /api/v1/system/settings', forAdmins, operations.settings, list),
  ];
}
