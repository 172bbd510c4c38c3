import { migratedImage, openBlockingDatabase } from '@millrace/database/testing';
import type { Database } from '@millrace/database';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { ApiKeyStore, FlowStore, UserStore } from '@millrace/runs';
import type { FlowRecord } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { SimulatedTime } from './simulated-time';
import { askingFlow, consultingFlow } from './simulated-question';
import { answeringFlow, workingFlow } from './simulated-work';
import { WAITING } from './stored-runs';

/** The API key of all callers of a gateway. */
export const CALLER_API_KEY = 'sk-shared-by-all-callers';

const logger = createLogger({ name: 'simulation', level: 'silent' });

/** Records each change of a run that ends it, comes after its end, ends its wait for the next attempt too early, or is a pause. */
const TRANSITIONS = [
  'CREATE SCHEMA simulation',
  'CREATE UNLOGGED TABLE simulation.transitions (run_id uuid, before text, after text)',
  `CREATE FUNCTION simulation.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO simulation.transitions VALUES (new.id, old.status, new.status); RETURN NULL; END $$`,
  `CREATE TRIGGER noted AFTER UPDATE OF status, result ON runs FOR EACH ROW
    WHEN (new.finished_at IS NOT NULL OR old.finished_at IS NOT NULL) EXECUTE FUNCTION simulation.note()`,
  `CREATE FUNCTION simulation.note_early() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO simulation.transitions VALUES (new.id, '${WAITING}', new.status); RETURN NULL; END $$`,
  `CREATE TRIGGER noted_early AFTER UPDATE OF status ON runs FOR EACH ROW
    WHEN (old.status = 'accepted' AND old.attempt > 0 AND old.sweeps = 0 AND old.next_sweep_at > now()
      AND new.status IN ('queued', 'running')) EXECUTE FUNCTION simulation.note_early()`,
  'CREATE UNLOGGED TABLE simulation.pauses (run_id uuid, before text, after text, attempt int, held boolean)',
  `CREATE FUNCTION simulation.note_pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO simulation.pauses VALUES (new.id, old.status, new.status, new.attempt,
      new.status = 'suspended' AND num_nonnulls(new.worker, new.lease_until, new.next_sweep_at) > 0); RETURN NULL; END $$`,
  `CREATE TRIGGER noted_pause AFTER UPDATE OF status ON runs FOR EACH ROW
    WHEN (old.status <> new.status AND 'suspended' IN (old.status, new.status)) EXECUTE FUNCTION simulation.note_pause()`,
];
/** Settings that make the embedded database faster, for tables that are deleted after the test. */
const FAST_SETTINGS = [
  'SET track_counts = off',
  'SET synchronous_commit = off',
  'SET plan_cache_mode = force_generic_plan',
  'ALTER TABLE run_effects SET UNLOGGED',
  'ALTER TABLE dead_letters SET UNLOGGED',
  'ALTER TABLE callback_attempts SET UNLOGGED',
  'ALTER TABLE callback_deliveries SET UNLOGGED',
  'ALTER TABLE trigger_events SET UNLOGGED',
  // Before the table that they reference.
  'ALTER TABLE run_traces SET UNLOGGED',
  'ALTER TABLE run_logs SET UNLOGGED',
  'ALTER TABLE run_attempts SET UNLOGGED',
  'ALTER TABLE run_checkpoints SET UNLOGGED',
  'ALTER TABLE human_requests SET UNLOGGED',
  'ALTER TABLE ended_requests SET UNLOGGED',
  'ALTER TABLE runs SET UNLOGGED',
  'ALTER TABLE messages SET UNLOGGED',
];

/** State that all seeds share: the clock, and the database with its tables, the flows and their owner. */
export interface SimulationFixture {
  readonly time: SimulatedTime;
  readonly database: Database;
  /** The flow of webhooks. */
  readonly flow: FlowRecord;
  /** The flow of webhooks whose runs ask a person. */
  readonly asking: FlowRecord;
  /** The flow of waiting callers. */
  readonly answering: FlowRecord;
  /** The same flow; its runs get no rows when they succeed. */
  readonly unrecorded: FlowRecord;
  /** The flow of waiting callers whose runs ask a person. */
  readonly consulting: FlowRecord;
  readonly keyValue: KeyValueStore;
}

/** Opens a database whose now() is the simulated time and that records each change of a run's status. */
export async function openSimulationFixture(): Promise<SimulationFixture> {
  const time = new SimulatedTime(Date.UTC(2026, 0, 1));
  const image = await migratedImage(logger);
  const database = await openBlockingDatabase({ logger, now: () => time.now, image });
  try {
    return { time, database, ...(await seedDatabase(database)) };
  } catch (error) {
    // The clock is that of the whole process: with the database left open, the process would not exit.
    await database.close();
    throw error;
  }
}

async function seedDatabase(database: Database): Promise<Omit<SimulationFixture, 'time' | 'database'>> {
  for (const text of [...FAST_SETTINGS, ...TRANSITIONS]) await database.query({ text });
  const user = await new UserStore({ database }).ensureFirst();
  const retry = { attempts: 2, backoffSeconds: 10, on: ['component_failed'] } as const;
  const settings = { webhookAuth: 'off', retry } as const;
  const flow = await new FlowStore({ database }).create(user.id, {
    name: 'simulated',
    document: workingFlow,
    settings,
  });
  const asking = await new FlowStore({ database }).create(user.id, {
    name: 'asking',
    document: askingFlow,
    settings,
  });
  const answering = await new FlowStore({ database }).create(user.id, {
    name: 'answering',
    document: answeringFlow,
  });
  const unrecorded = await new FlowStore({ database }).create(user.id, {
    name: 'unrecorded',
    document: answeringFlow,
    settings: { records: 'none' },
  });
  const consulting = await new FlowStore({ database }).create(user.id, {
    name: 'consulting',
    document: consultingFlow,
  });
  await new ApiKeyStore({ database }).create(user.id, {
    name: 'callers',
    expiresAt: null,
    key: CALLER_API_KEY,
  });
  const keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'simulation' });
  return { flow, asking, answering, unrecorded, consulting, keyValue };
}
