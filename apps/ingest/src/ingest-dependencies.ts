import type { BrokerNames } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { ApiKeyStore, FlowStore, RunStore, VariableStore } from '@millrace/runs';
import type { BodyBudget, Health, Logger, Metrics, SharedClock } from '@millrace/service';

/** Everything the ingest service works with; whoever starts it owns and closes these. */
export interface IngestDependencies {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  /** For what is compared with times of other machines. */
  readonly clock: SharedClock;
  readonly apiKeys: ApiKeyStore;
  readonly flows: FlowStore;
  /** Where the secrets of signed webhooks are. */
  readonly variables: Pick<VariableStore, 'value'>;
  readonly runs: RunStore;
  /** Names this process on the broker. */
  readonly instance: string;
  readonly webhookAuthentication: 'required' | 'off';
  readonly maximumBodyBytes: number;
  /** How many members a body of JSON may have. */
  readonly maximumBodyMembers: number;
  /** How many bytes of bodies may be held at a time. */
  readonly bodies: BodyBudget;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
  /** How long ended runs are kept. */
  readonly runRetentionDays: number;
  /** How often a key may come in a second; undefined when there is no limit. */
  readonly keyRequestsPerSecond?: number | undefined;
  /** How many processes share that limit; one unless given. */
  readonly limitProcesses?: number;
  /** Background runs of one user in one pool that may be published and not yet begun, 0 for all; the others wait for their turn. */
  readonly runsAhead: number;
  /** Background runs of one user that may wait for their turn. */
  readonly maximumWaitingRuns: number;
  /** How often the sweeper looks for runs without a message; every second unless given. */
  readonly sweepMilliseconds?: number;
  /** How often is looked whether runs wait for their turn, while none does; every second unless given. */
  readonly turnMilliseconds?: number;
}
