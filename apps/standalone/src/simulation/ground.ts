import { migrate } from '@millrace/database';
import { openBlockingDatabase } from '@millrace/database/testing';
import type { Database } from '@millrace/database';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { ApiKeyStore, FlowStore, UserStore } from '@millrace/runs';
import type { FlowRecord } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { SimulatedTime } from './simulated-time';
import { answeringFlow, workingFlow } from './simulated-work';

/** The key of everybody who calls a gateway. */
export const CALLERS_KEY = 'sk-of-everybody-who-calls';

const logger = createLogger({ name: 'simulation', level: 'silent' });

/** Writes down each change of a run that ends it, or comes after its end. */
const TRANSITIONS = [
  'CREATE SCHEMA simulation',
  'CREATE UNLOGGED TABLE simulation.transitions (run_id uuid, before text, after text)',
  `CREATE FUNCTION simulation.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO simulation.transitions VALUES (new.id, old.status, new.status); RETURN NULL; END $$`,
  `CREATE TRIGGER noted AFTER UPDATE OF status, result ON runs FOR EACH ROW
    WHEN (new.finished_at IS NOT NULL OR old.finished_at IS NOT NULL) EXECUTE FUNCTION simulation.note()`,
];
/** What the embedded database need not do for tables that live as long as a test. */
const SPARING = [
  'SET track_counts = off',
  'SET synchronous_commit = off',
  'SET plan_cache_mode = force_generic_plan',
  'ALTER TABLE run_effects SET UNLOGGED',
  'ALTER TABLE dead_letters SET UNLOGGED',
  'ALTER TABLE runs SET UNLOGGED',
  'ALTER TABLE messages SET UNLOGGED',
];

/** What outlives the seeds: the clock and the database with its tables, the flows and their owner. */
export interface Ground {
  readonly time: SimulatedTime;
  readonly database: Database;
  /** What webhooks start. */
  readonly flow: FlowRecord;
  /** What callers run who wait. */
  readonly answering: FlowRecord;
  readonly keyValue: KeyValueStore;
}

/** Opens a database whose now() is the simulation's, and which writes down each change of a run's status. */
export async function prepareGround(): Promise<Ground> {
  const time = new SimulatedTime(Date.UTC(2026, 0, 1));
  const database = await openBlockingDatabase({ logger, now: () => time.now });
  try {
    return { time, database, ...(await furnish(database)) };
  } catch (error) {
    // Its clock is that of the whole process: left as it is, nothing here would ever be over.
    await database.close();
    throw error;
  }
}

async function furnish(database: Database): Promise<Omit<Ground, 'time' | 'database'>> {
  await migrate(database, { logger });
  for (const text of [...SPARING, ...TRANSITIONS]) await database.query({ text });
  const user = await new UserStore({ database }).ensureFirst();
  const flow = await new FlowStore({ database }).create(user.id, {
    name: 'simulated',
    document: workingFlow,
    settings: { webhookAuth: 'off' },
  });
  const answering = await new FlowStore({ database }).create(user.id, {
    name: 'answering',
    document: answeringFlow,
  });
  await new ApiKeyStore({ database }).create(user.id, { name: 'callers', expiresAt: null, key: CALLERS_KEY });
  const keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'simulation' });
  return { flow, answering, keyValue };
}
