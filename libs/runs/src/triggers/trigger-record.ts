import { SOURCE_STATUS } from './queue-source-record';
import type { QueueSourceStatus } from './queue-source-record';
import type { TriggerKind } from '../run-record/trigger-kind';

/** A pending trigger was never enabled: only its webhooks are accepted. */
export type TriggerState = 'pending' | 'active' | 'paused';
export type SessionPolicy = 'per_event' | 'shared';
export type TriggerConfig = Readonly<Record<string, unknown>>;

/** What starts runs of a flow besides a request for one. */
export interface TriggerRecord {
  readonly id: string;
  readonly flowId: string;
  readonly userId: string;
  readonly name: string;
  readonly kind: TriggerKind;
  /** The node that it belongs to; null for a trigger that was created through the API. */
  readonly nodeId: string | null;
  readonly config: TriggerConfig;
  readonly state: TriggerState;
  readonly sessionPolicy: SessionPolicy;
  /** Maximum number of its events that run at a time. */
  readonly concurrencyLimit: number;
  /** Maximum number of attempts of an event, including the first one. */
  readonly maximumAttempts: number;
  /** The version of the flow that events run; null for the newest one. */
  readonly flowVersion: number | null;
  /** The occurrence that a schedule waits for. */
  readonly nextOccurrenceAt: Date | null;
  /** When that occurrence fires. */
  readonly nextFireAt: Date | null;
  readonly lastFiredAt: Date | null;
  readonly lastError: string | null;
  /** The address of an inbound webhook; null until it has a secret. */
  readonly publicId: string | null;
  /** How the source goes; null for a trigger of another kind, and before it was active for the first time. */
  readonly source: QueueSourceStatus | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A trigger to store. */
export type NewTrigger = Pick<
  TriggerRecord,
  | 'flowId'
  | 'name'
  | 'kind'
  | 'nodeId'
  | 'config'
  | 'state'
  | 'sessionPolicy'
  | 'concurrencyLimit'
  | 'maximumAttempts'
  | 'flowVersion'
  | 'nextOccurrenceAt'
  | 'nextFireAt'
>;

/** The fields to change; omitted fields stay unchanged. */
export type TriggerChanges = Partial<
  Omit<NewTrigger, 'flowId' | 'kind' | 'nodeId'> & Pick<TriggerRecord, 'lastError'>
>;

/** The columns of a TriggerRecord. */
export const TRIGGER_COLUMNS = `triggers.id, triggers.flow_id AS "flowId", triggers.user_id AS "userId", triggers.name,
  triggers.kind, triggers.node_id AS "nodeId", triggers.config, triggers.state,
  triggers.session_policy AS "sessionPolicy", triggers.concurrency_limit AS "concurrencyLimit",
  triggers.max_attempts AS "maximumAttempts", triggers.flow_version AS "flowVersion",
  triggers.next_occurrence_at AS "nextOccurrenceAt", triggers.next_fire_at AS "nextFireAt",
  triggers.last_fired_at AS "lastFiredAt", triggers.last_error AS "lastError", triggers.public_id AS "publicId",
  ${SOURCE_STATUS} AS source,
  triggers.created_at AS "createdAt", triggers.updated_at AS "updatedAt"`;
