import { INVALID_CRON, normalizeCron } from './cron-expression';
import { nextOccurrence } from './next-occurrence';
import { ScheduleError } from './schedule-error';
import { catchupPolicies, overlapPolicies } from './schedule-rules';
import type { ScheduleRules, ScheduleTiming } from './schedule-rules';
import { instantsOf, endOfGap } from './wall-time';
import { isZone } from './zone-offset';

export type ScheduleConfig = Readonly<Record<string, unknown>>;

const NEVER_FIRES = 'The schedule never fires: no time matches it.';
/** Langflow's text. */
const NEVER_MATCHES = 'Invalid cron expression: it never matches a real date.';
const DEFAULT_ZONE = 'UTC';
const DEFAULT_CATCHUP_LIMIT = 100;
const MAXIMUM_CATCHUP_LIMIT = 1_000;
const MAXIMUM_INTERVAL_SECONDS = 31_622_400;
const MAXIMUM_JITTER_SECONDS = 3_600;
const TIMINGS = ['cron', 'every_seconds', 'at'] as const;
const LOCAL_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;
const ZONED_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:?\d\d)$/;

/** The parsed configuration of a schedule. */
export interface ReadSchedule {
  readonly rules: ScheduleRules;
  /** The configuration with its defaults. */
  readonly config: ScheduleConfig;
}

/**
 * Reads the configuration of a schedule. `createdAt` is when an interval starts that names no start. Throws ScheduleError
 * when a member is invalid, or when the schedule never occurs. Members that it does not know stay in the configuration.
 */
export function readSchedule(config: ScheduleConfig, createdAt: number): ReadSchedule {
  const zone = zoneOf(config['timezone'] ?? DEFAULT_ZONE);
  const catchup = oneOf(catchupPolicies, config['catchup_policy'] ?? 'coalesce');
  // Langflow's text, which does not know `all`.
  if (catchup === undefined) throw new ScheduleError("catchup_policy must be 'coalesce' or 'skip'.");
  const overlap = oneOf(overlapPolicies, config['overlap_policy'] ?? 'queue');
  if (overlap === undefined) throw new ScheduleError("overlap_policy must be 'queue', 'skip' or 'allow'.");
  const shares = config['share_session'] ?? false;
  if (typeof shares !== 'boolean') throw new ScheduleError('share_session must be a boolean.');
  const timing = timingOf(config, zone, createdAt);
  if (nextOccurrence(timing, createdAt - 1) === null)
    throw new ScheduleError(timing.kind === 'cron' ? NEVER_MATCHES : NEVER_FIRES);
  const rules: ScheduleRules = {
    timing,
    catchup,
    catchupLimit: integerOf(config, 'catchup_limit', [1, MAXIMUM_CATCHUP_LIMIT, DEFAULT_CATCHUP_LIMIT]),
    jitterSeconds: integerOf(config, 'jitter_seconds', [0, MAXIMUM_JITTER_SECONDS, 0]),
    overlap,
  };
  const cron = timing.kind === 'cron' ? { cron: timing.cron } : {};
  return { rules, config: { ...config, ...cron, timezone: zone, catchup_policy: catchup } };
}

function timingOf(config: ScheduleConfig, zone: string, createdAt: number): ScheduleTiming {
  const given = TIMINGS.filter((name) => config[name] !== undefined && config[name] !== null);
  const [kind] = given;
  if (kind === undefined) throw new ScheduleError(INVALID_CRON);
  if (given.length > 1)
    throw new ScheduleError("A schedule needs exactly one of 'cron', 'every_seconds' and 'at'.");
  if (kind === 'at') return { kind: 'once', at: timeOf(config, 'at', zone) };
  if (kind === 'every_seconds') {
    const everySeconds = integerOf(config, 'every_seconds', [1, MAXIMUM_INTERVAL_SECONDS, 0]);
    const start = config['start_at'] === undefined ? createdAt : timeOf(config, 'start_at', zone);
    return { kind: 'interval', everySeconds, start };
  }
  const { cron } = config;
  if (typeof cron !== 'string') throw new ScheduleError(INVALID_CRON);
  return { kind: 'cron', cron: normalizeCron(cron), zone };
}

function zoneOf(zone: unknown): string {
  if (typeof zone !== 'string' || zone.trim() === '')
    throw new ScheduleError('A non-empty IANA timezone is required.');
  if (!isZone(zone.trim())) throw new ScheduleError('Unknown timezone; use an IANA timezone name.');
  return zone.trim();
}

/** Reads a time: with an offset as it is, without one on the clock of the zone. */
function timeOf(config: ScheduleConfig, name: string, zone: string): number {
  const text = config[name];
  const isLocal = typeof text === 'string' && LOCAL_TIME.test(text);
  if (typeof text !== 'string' || !(isLocal || ZONED_TIME.test(text)))
    throw new ScheduleError(`${name} must be a time such as 2026-01-31T10:00:00Z.`);
  const time = Date.parse(isLocal ? `${text.replace(' ', 'T')}Z` : text.replace(' ', 'T'));
  if (Number.isNaN(time)) throw new ScheduleError(`${name} must be a time such as 2026-01-31T10:00:00Z.`);
  return isLocal ? (instantsOf(zone, time)[0] ?? endOfGap(zone, time)) : time;
}

function integerOf(
  config: ScheduleConfig,
  name: string,
  [minimum, maximum, absent]: readonly [number, number, number],
): number {
  const value = config[name] ?? absent;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < minimum || value > maximum)
    throw new ScheduleError(`${name} must be an integer from ${minimum} to ${maximum}.`);
  return value;
}

function oneOf<const Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}
