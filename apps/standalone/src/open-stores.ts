import { RefusedSignIns } from '@millrace/access';
import type { Connections } from '@millrace/connections';
import {
  ApiKeyStore,
  ApprovedCode,
  AuditLog,
  AuthorCodeStore,
  CallbackStore,
  FileStore,
  FlowStore,
  McpServerStore,
  MessageStore,
  QueueSourceStore,
  RefusedDeliveryStore,
  RequestSeal,
  RunStore,
  SessionHistory,
  TriggerEventStore,
  TriggerStore,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import type { ApiKeyRecord, ApprovedCodeOptions, Encryption } from '@millrace/runs';
import type { Logger, Metrics } from '@millrace/service';

export interface OpenStoresOptions extends Pick<Connections, 'database' | 'keyValue'> {
  readonly encryption: Encryption;
  readonly pythonMode: ApprovedCodeOptions['mode'];
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called after an API key was deleted. */
  readonly onKeyDeleted: (key: ApiKeyRecord) => void;
}

/** Opens the stores that the three services of the standalone app share. */
export function openStores({
  database,
  keyValue,
  encryption,
  pythonMode,
  logger,
  metrics,
  onKeyDeleted,
}: OpenStoresOptions) {
  const audit = new AuditLog({ database, logger });
  const messages = new MessageStore({ database });
  const authorCode = new AuthorCodeStore({ database });
  const seal = new RequestSeal({ encryption, logger });
  return {
    seal,
    audit,
    refusedSignIns: new RefusedSignIns({ audit, logger, metrics }),
    users: new UserStore({ database }),
    apiKeys: new ApiKeyStore({ database, onDeleted: onKeyDeleted }),
    files: new FileStore({ database }),
    flows: new FlowStore({ database }),
    variables: new VariableStore({ database, encryption }),
    mcpServers: new McpServerStore({ database, encryption }),
    authorCode,
    approvedCode: new ApprovedCode({ store: authorCode, mode: pythonMode }),
    runs: new RunStore({ database, seal }),
    callbacks: new CallbackStore({ database }),
    refusedDeliveries: new RefusedDeliveryStore({ database }),
    triggers: new TriggerStore({ database, encryption }),
    queueSources: new QueueSourceStore({ database }),
    triggerEvents: new TriggerEventStore({ database, seal }),
    messages,
    history: new SessionHistory({ keyValue, messages, logger }),
  };
}
