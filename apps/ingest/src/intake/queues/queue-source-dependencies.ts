import type { BodyBudget } from '@millrace/http';
import type { ExternalBroker } from '@millrace/messaging';
import type { QueueSourceStore, RejectionReason, TriggerEventStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { DurableIntakeDependencies } from '../durable-intake';
import type { BrokerUrls } from './broker-urls';

/** Bounds of all sources of an installation. */
export interface QueueLimits {
  readonly maximumPrefetch: number;
  readonly maximumBytes: number;
  readonly maximumMembers: number;
}

/** Counts what becomes of messages. */
export interface QueueCounts {
  taken(): void;
  deduplicated(): void;
  rejected(reason: RejectionReason): void;
  reconnecting(): void;
}

/** What the sources of a process share. */
export interface QueueSourceDependencies extends DurableIntakeDependencies {
  readonly sources: Pick<QueueSourceStore, 'claim' | 'hold' | 'release' | 'note' | 'reject'>;
  readonly triggerEvents: Pick<TriggerEventStore, 'accept'>;
  readonly urls: BrokerUrls;
  /** Opens a connection to a user's broker. */
  readonly openBroker: (url: string, connectionName: string) => Promise<ExternalBroker>;
  readonly bodies: BodyBudget;
  readonly logger: Logger;
  readonly counts: QueueCounts;
  readonly limits: QueueLimits;
  readonly pythonPool: string | null;
  readonly publishedRunsPerUser: number;
  readonly backgroundLimitMilliseconds: number;
  readonly maximumAttempts: number;
}
