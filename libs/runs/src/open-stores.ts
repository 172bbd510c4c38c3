import type { Database, Transactional } from '@millrace/database';
import type { KeyValueStore } from '@millrace/key-value';
import type { Logger } from '@millrace/service';
import { AlertStore } from './alerts/alert-store';
import { AuditLog } from './audit/audit-log';
import { ApprovedCode } from './author-code/approved-code';
import type { ApprovedCodeOptions } from './author-code/approved-code';
import { AuthorCodeStore } from './author-code/author-code-store';
import { CallbackStore } from './callbacks/callback-store';
import { FileStore } from './files/file-store';
import { FlowStore } from './flows/flow-store';
import { KnowledgeBaseStore } from './vectors/knowledge-base-store';
import { McpServerStore } from './mcp-servers/mcp-server-store';
import { MessageStore } from './messages/message-store';
import { SessionHistory } from './messages/session-history';
import { MemberStore } from './projects/member-store';
import { ProjectStore } from './projects/project-store';
import { RefusedDeliveryStore } from './refused-deliveries/refused-delivery-store';
import { DecisionLinks } from './human-requests/decision-links';
import { EndedRequests } from './human-requests/ended-requests';
import { RequestSeal } from './encryption/request-seal';
import { RetentionStore } from './retention/retention-store';
import { RunStore } from './runs/run-store';
import { QueueSourceStore } from './triggers/queue-source-store';
import { TriggerEventStore } from './triggers/trigger-event-store';
import { TriggerStore } from './triggers/trigger-store';
import type { ApiKeyRecord } from './users/api-key-record';
import { ApiKeyStore } from './users/api-key-store';
import { ConsoleSessionStore } from './users/console-session-store';
import { UserStore } from './users/user-store';
import { BodyMover } from './objects/body-mover';
import { ObjectDeletions } from './objects/object-deletions';
import type { ObjectStore } from './objects/object-store';
import type { Encryption } from './encryption/encryption';
import type { OutsideSecrets } from './variables/outside/outside-secrets';
import { VariableStore } from './variables/variable-store';

export interface OpenStoresOptions {
  readonly database: Database;
  /** For lists, which a replica can serve; `database` unless given. */
  readonly reads?: Transactional | undefined;
  readonly keyValue: KeyValueStore;
  readonly encryption: Encryption;
  readonly logger: Logger;
  /** For large contents; null, the default, keeps all in the database. */
  readonly objects?: ObjectStore | null;
  /** Which components in Python can run; `off` by default. */
  readonly pythonMode?: ApprovedCodeOptions['mode'];
  /** Whether the last attempt of a run has a process of its own; false by default. */
  readonly isolatesLastAttempts?: boolean;
  /** Where variables come from that a user has not stored; nowhere by default. */
  readonly outsideSecrets?: OutsideSecrets | null;
  /** Called after an API key was deleted. */
  readonly onKeyDeleted?: (key: ApiKeyRecord) => void;
  /** Base URL at which callers reach the gateway, for links to it; the links are paths without it. */
  readonly publicUrl?: string | undefined;
  /** Seals requests with `encryption` unless given. */
  readonly seal?: RequestSeal;
}

/** Opens the stores that services share. They keep no connection of their own, so nothing has to be closed. */
export function openStores({
  database,
  reads,
  keyValue,
  encryption,
  logger,
  objects = null,
  pythonMode = 'off',
  isolatesLastAttempts = false,
  outsideSecrets = null,
  onKeyDeleted = () => undefined,
  publicUrl,
  seal = new RequestSeal({ encryption, logger }),
}: OpenStoresOptions) {
  const messages = new MessageStore({ database });
  const authorCode = new AuthorCodeStore({ database });
  const decisionLinks = new DecisionLinks({ encryption, publicUrl });
  return {
    seal,
    audit: new AuditLog({ database, logger }),
    users: new UserStore({ database }),
    apiKeys: new ApiKeyStore({ database, onDeleted: onKeyDeleted }),
    consoleSessions: new ConsoleSessionStore({ database, encryption }),
    files: new FileStore({ database, objects }),
    objectDeletions: objects === null ? null : new ObjectDeletions({ database, objects }),
    bodyMover: objects === null ? null : new BodyMover({ database, objects }),
    projects: new ProjectStore({ database }),
    members: new MemberStore({ database }),
    flows: new FlowStore({ database }),
    variables: new VariableStore({ database, encryption, outside: outsideSecrets }),
    mcpServers: new McpServerStore({ database, encryption }),
    knowledgeBases: new KnowledgeBaseStore({ database }),
    authorCode,
    approvedCode: new ApprovedCode({ store: authorCode, mode: pythonMode }),
    runs: new RunStore({ database, reads, seal, logger, objects, isolatesLastAttempts }),
    alerts: new AlertStore({ database }),
    callbacks: new CallbackStore({ database, seal, decisionLinks, objects }),
    decisionLinks,
    endedRequests: new EndedRequests({ database, seal, messages, logger }),
    refusedDeliveries: new RefusedDeliveryStore({ database }),
    triggers: new TriggerStore({ database, encryption }),
    queueSources: new QueueSourceStore({ database }),
    triggerEvents: new TriggerEventStore({ database, seal }),
    messages,
    retention: new RetentionStore({ database, messages }),
    history: new SessionHistory({ keyValue, messages, logger }),
  };
}
