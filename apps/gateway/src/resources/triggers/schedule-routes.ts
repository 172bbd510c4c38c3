import { schedulePreviewSchema } from './trigger-bodies';
import type { TriggerConfig, TriggerRecord, TriggerStore } from '@millrace/runs';
import { nextOccurrences, readNewSchedule, readSchedule, ScheduleError } from '@millrace/schedules';
import type { SharedClock } from '@millrace/service';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { requireBody } from '../../http/validation/require-body';
import { forManagement } from '../../http/routing/access';
import { jsonRoute, keyedRoute, pathParameter } from '../../http/routing/route';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { createValidator } from '../../http/validation/validator';
import { refusing } from './trigger-changes';
import { triggerOperations as operations } from './trigger-operations';
import { pageOf } from './trigger-routes';
import { triggerNotFound } from './trigger-service';
import { triggerView } from './trigger-view';

const checkPreview = createValidator(schedulePreviewSchema);
const SHOWN_TIMES = 10;

export interface ScheduleRoutesOptions {
  readonly triggers: TriggerStore;
  readonly clock: SharedClock;
}

/** Routes that show schedules, which are triggers, with their next ten times. */
export function scheduleRoutes({ triggers, clock }: ScheduleRoutesOptions): readonly Route[] {
  const view = (trigger: TriggerRecord) => scheduleView(trigger, Math.floor(clock.now()));
  const list = async (call: KeyedCall) => {
    const found = await triggers.listKind(call.principal.userId, 'schedule', pageOf(call));
    sendJson(call.response, 200, found.map(view));
  };
  const read = async (call: KeyedCall) => {
    const id = parseUuidStrictly(pathParameter(call.request, 'schedule_id'), ['path', 'schedule_id']);
    const found = await triggers.find(call.principal.userId, id);
    if (found?.kind !== 'schedule') throw triggerNotFound();
    sendJson(call.response, 200, view(found));
  };
  const preview = (call: KeyedCall) => {
    checkPreview(requireBody(call.body));
    const { config } = call.body as { readonly config: TriggerConfig };
    const now = Math.floor(clock.now());
    const { rules, config: full } = refusing(() => readNewSchedule(config, now));
    sendJson(call.response, 200, {
      config: full,
      next_times: timesOf(nextOccurrences(rules.timing, now, SHOWN_TIMES)),
    });
  };
  return [
    keyedRoute('GET /api/v1/schedules', forManagement, operations.listSchedules, list),
    jsonRoute('POST /api/v1/schedules/preview', forManagement, operations.preview, preview),
    keyedRoute('GET /api/v1/schedules/:schedule_id', forManagement, operations.readSchedule, read),
  ];
}

function scheduleView(trigger: TriggerRecord, now: number): Record<string, unknown> {
  return { ...triggerView(trigger), next_times: nextTimesOf(trigger, now) };
}

/** The next ten times, before their jitter; none for a configuration that is invalid. */
function nextTimesOf({ config, createdAt }: TriggerRecord, now: number): readonly string[] {
  try {
    const { rules } = readSchedule(config, createdAt.getTime());
    return timesOf(nextOccurrences(rules.timing, now, SHOWN_TIMES));
  } catch (error) {
    if (error instanceof ScheduleError) return [];
    throw error;
  }
}

function timesOf(times: readonly number[]): readonly string[] {
  return times.map((time) => pythonIsoFormat(new Date(time)));
}
