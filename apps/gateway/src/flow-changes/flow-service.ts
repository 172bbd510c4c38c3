import type { FlowCache } from '@millrace/access';
import { variablesOfSettings } from '../resources/variables/variable-references';
import type { FlowBody } from './flow-bodies';
import type { FlowSettings, ComponentRegistry, EditedCodeRule, PythonPolicy } from '@millrace/flow';
import { compile, noPython, parseFlowDocument } from '@millrace/flow';
import { nodeTriggersOf, syncNodeTriggers } from '@millrace/runs';
import type {
  ApprovedCode,
  AuditEvent,
  AuditLog,
  AuditedChange,
  AuthorCodeStore,
  FlowChanges,
  FlowRecord,
  FlowStore,
  SessionHistory,
  TriggerStore,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import { HttpError } from '@millrace/http';
import type { Logger, SharedClock } from '@millrace/service';
import type { FlowAuthor } from '../authentication/author-of';
import type { GatewayLimits, GatewayOptions } from '../gateway-dependencies';
import type { ControlChannel } from '../runs/control-channel';
import { refuseTooMany } from '../resources/triggers/refuse-too-many';
import { refuseCallbackAddresses } from '../resources/callbacks/refuse-callback-addresses';
import { refuseUnknownVariables } from '../resources/variables/refuse-unknown-variables';
import { acceptCode } from './accept-code';
import { answeringUsers, withUserIds } from './answering-users';
import { changedMembers, changesFlow, flowEvent } from './flow-events';
import { flowChangesFromBody, newFlowFromBody } from './flow-from-body';
import { inspectFlow, isEmptyDocument } from './inspect-flow';
import type { FlowInspection } from './inspect-flow';
import type { PythonEnvironments } from './python-environments';
import { withEditedCodeRule } from './with-edited-code-rule';

export interface FlowServiceOptions {
  readonly flows: FlowStore;
  readonly audit: AuditLog;
  readonly cache: FlowCache;
  readonly control: ControlChannel;
  readonly history: SessionHistory;
  readonly registry: ComponentRegistry;
  readonly variables: Pick<VariableStore, 'find' | 'list' | 'outsideNames'>;
  readonly users: Pick<UserStore, 'named'>;
  /** Returns an environment variable that flows can use. */
  readonly environmentVariable: (name: string) => string | undefined;
  readonly triggers: TriggerStore;
  readonly clock: SharedClock;
  readonly settings: Pick<GatewayOptions, 'MILLRACE_PYTHON'>;
  readonly limits: Pick<GatewayLimits, 'userTriggers'>;
  readonly pythonPool: string | null;
  readonly environments: PythonEnvironments;
  readonly authorCode: AuthorCodeStore;
  readonly approvedCode: ApprovedCode;
  readonly logger: Logger;
}

const DEFAULT_POOL = 'default';

export interface StoredFlow {
  readonly flow: FlowRecord;
  readonly inspection: FlowInspection;
}

interface FlowUpdate {
  readonly expectedVersionToken: string | undefined;
  /** Whether settings are merged into those of the flow; else they replace them. */
  readonly mergesSettings: boolean;
}

interface FlowChange {
  readonly changes: FlowChanges;
  readonly inspection: FlowInspection;
  readonly eventOf: (flow: FlowRecord) => AuditEvent;
}

/** Creates and changes flows. Inspects each first, and announces changes to all processes. */
export class FlowService {
  readonly #options: FlowServiceOptions;

  constructor(options: FlowServiceOptions) {
    this.#options = options;
  }

  /** Creates a flow. The rule `stock` accepts the stock components instead of edited code. */
  async create(
    { userId, actor }: FlowAuthor,
    body: FlowBody,
    {
      code = 'refuse',
      keepsEndpointName = false,
    }: { readonly code?: EditedCodeRule; readonly keepsEndpointName?: boolean } = {},
  ): Promise<StoredFlow> {
    const given = newFlowFromBody(body);
    const ids = await this.#refuseUselessSettings(userId, given.settings);
    const flow = given.settings ? { ...given, settings: withUserIds(given.settings, ids) } : given;
    const withRule = withEditedCodeRule(flow.document, flow.settings?.editedCode);
    const document = code === 'stock' ? this.#withAcceptedCode(withRule, 'all') : withRule;
    const inspection = await this.#inspect(userId, document, flow.settings);
    await this.#submit(actor.userId ?? userId, inspection);
    const { needsPython } = inspection;
    const created = await this.#options.audit.change(actor, async (change) => {
      const created = await this.#options.flows
        .within(change)
        .create(userId, { ...flow, document, needsPython, keepsEndpointName });
      change.note(flowEvent('flow.created', created));
      await this.#syncTriggers(change, created, document);
      if (code === 'stock') change.note(flowEvent('flow.code_accepted', created, { vertices: ['all'] }));
      return created;
    });
    return { flow: created, inspection };
  }

  /**
   * Changes a flow. Resolves to null when the user has no such flow. Rejects with FlowVersionConflictError when the flow
   * has another version token.
   */
  async update(
    author: FlowAuthor,
    id: string,
    body: Partial<FlowBody>,
    { expectedVersionToken, mergesSettings }: FlowUpdate,
  ): Promise<StoredFlow | null> {
    const { flows } = this.#options;
    const { userId } = author;
    const before = await flows.find(userId, id);
    if (!before) return null;
    const sent = flowChangesFromBody(body, before.attributes, { mergesSettings });
    refuseLocked(before, sent);
    const { settings = before.settings } = sent;
    const wanted = typeof settings === 'function' ? settings(before.settings) : settings;
    const { editedCode } = wanted;
    const changes = { ...sent };
    if (sent.settings !== undefined) {
      const ids = await this.#refuseUselessSettings(userId, wanted, before.settings);
      changes.settings =
        typeof settings === 'function'
          ? (stored: FlowSettings) => withUserIds(settings(stored), ids)
          : withUserIds(settings, ids);
    }
    const given = changes.document === undefined ? before.document : changes.document;
    const document = withEditedCodeRule(given, editedCode);
    const changed = {
      ...(document === before.document ? changes : { ...changes, document }),
      expectedVersionToken,
    };
    const inspection = await this.#inspect(userId, document, wanted);
    const eventOf = (flow: FlowRecord) =>
      flowEvent('flow.updated', flow, { changed: changedMembers(before, flow) });
    return this.#change(author, id, { changes: changed, inspection, eventOf });
  }

  /**
   * Accepts the stock component instead of the edited code of these vertices, or of all that can, in a new version of
   * the flow. Resolves to null when the user has no such flow.
   */
  async acceptCode(
    author: FlowAuthor,
    id: string,
    vertexIds: readonly string[] | 'all',
  ): Promise<StoredFlow | null> {
    const { userId } = author;
    const before = await this.#options.flows.find(userId, id);
    if (!before) return null;
    const document = this.#withAcceptedCode(before.document, vertexIds);
    const inspection = await this.#inspect(userId, document, before.settings);
    const vertices = vertexIds === 'all' ? ['all'] : vertexIds;
    const eventOf = (flow: FlowRecord) => flowEvent('flow.code_accepted', flow, { vertices });
    return this.#change(author, id, { changes: { document }, inspection, eventOf });
  }

  /**
   * Makes the document of a version the newest version of the flow. Nothing changes when it is the active document.
   * Resolves to null when the user has no such flow, or the flow no such version.
   */
  async activate(author: FlowAuthor, id: string, version: number): Promise<StoredFlow | null> {
    const { flows } = this.#options;
    const { userId } = author;
    const [before, old] = [await flows.find(userId, id), await flows.version(userId, id, version)];
    if (!before || !old) return null;
    const { document } = old;
    const inspection = await this.#inspect(userId, document, before.settings);
    const eventOf = (flow: FlowRecord) =>
      flowEvent('flow.version_activated', flow, { restored_from: version });
    return this.#change(author, id, { changes: { document, restoredFrom: version }, inspection, eventOf });
  }

  /** Deletes a flow. Resolves to false when the user has no such flow. */
  async delete({ userId, actor }: FlowAuthor, id: string): Promise<boolean> {
    const { audit, flows, history } = this.#options;
    await history.invalidateFlow(userId, id);
    const deleted = await audit.recording(actor, (record) =>
      flows.delete(userId, id, (connection, { name }) =>
        record(connection, { action: 'flow.deleted', objectId: id, objectName: name }),
      ),
    );
    if (deleted) this.announce(id);
    return deleted;
  }

  /**
   * Reports how a flow would run if it were created with this rule, and stores nothing, its Python texts neither. Throws
   * InvalidFlowError.
   */
  async check(userId: string, { data, settings }: FlowBody, code: EditedCodeRule): Promise<FlowInspection> {
    await this.#refuseUselessSettings(userId, settings);
    const document = code === 'stock' ? this.#withAcceptedCode(data, 'all') : data;
    return this.#inspect(userId, document, settings);
  }

  /**
   * Refuses addresses that cannot be called, and variables and users that do not exist. What settings named before can have been
   * deleted since, which must not refuse another change. Resolves to the ids of the named users.
   */
  async #refuseUselessSettings(
    userId: string,
    settings: FlowSettings | null | undefined,
    before: FlowSettings = {},
  ): Promise<ReadonlyMap<string, string>> {
    refuseCallbackAddresses(settings ?? {}, before, ['body', 'settings']);
    const known = new Set(variablesOfSettings(before).map(({ name, holds }) => `${holds} ${name}`));
    const references = variablesOfSettings(settings ?? {}).filter(
      ({ name, holds }) => !known.has(`${holds} ${name}`),
    );
    const { variables, users } = this.#options;
    await refuseUnknownVariables(variables, userId, references, ['body', 'settings']);
    return answeringUsers(users, settings ?? {}, before, ['body', 'settings']);
  }

  async #inspect(
    userId: string,
    document: unknown,
    settings: FlowSettings | null | undefined,
  ): Promise<FlowInspection> {
    const { registry, variables, environmentVariable, approvedCode, logger } = this.#options;
    const outside = await variables.outsideNames(userId).catch((error: unknown) => {
      // The flow is stored all the same, and its report names the variables.
      logger.warn({ error, userId }, 'a flow is reported on without the secrets from outside');
      return [];
    });
    const names = new Set([...(await variables.list(userId)).map(({ name }) => name), ...outside]);
    return inspectFlow(document, {
      registry: { ...registry, python: await this.#pythonOf(settings?.pool) },
      hasVariable: (name) => names.has(name) || environmentVariable(name) !== undefined,
      approvedCode,
      settings: settings ?? {},
    });
  }

  /** Resolves to what runs in Python in the pool that a flow names, or in the pool of flows that need Python. */
  async #pythonOf(pool: string | undefined): Promise<PythonPolicy> {
    const { settings, pythonPool, environments } = this.#options;
    const mode = settings.MILLRACE_PYTHON;
    if (mode === 'off') return noPython;
    return { mode, environment: await environments.of(pool ?? pythonPool ?? DEFAULT_POOL) };
  }

  /** Records the Python texts of a flow, so that an admin can decide on them. */
  async #submit(userId: string, { texts }: FlowInspection): Promise<void> {
    const { authorCode, logger } = this.#options;
    const dropped = await authorCode.submit(userId, texts);
    if (dropped > 0)
      logger.warn({ userId, dropped }, 'Python texts not recorded: too many texts of the user wait');
  }

  #withAcceptedCode(document: unknown, vertexIds: readonly string[] | 'all'): unknown {
    const { registry } = this.#options;
    const parsed = parseFlowDocument(isEmptyDocument(document) ? { nodes: [] } : document);
    return acceptCode(document, compile(parsed, { flowId: 'unsaved', version: 0, registry }), vertexIds);
  }

  async #change(
    { userId, actor }: FlowAuthor,
    id: string,
    { changes, inspection, eventOf }: FlowChange,
  ): Promise<StoredFlow | null> {
    await this.#submit(actor.userId ?? userId, inspection);
    const { needsPython } = inspection;
    const flow = await this.#options.audit.change(actor, async (change) => {
      const changed = await this.#options.flows
        .within(change)
        .update(userId, id, { ...changes, needsPython });
      if (!changed) return null;
      change.note(eventOf(changed));
      if (changes.document !== undefined) await this.#syncTriggers(change, changed, changes.document);
      return changed;
    });
    this.announce(id);
    return flow && { flow, inspection };
  }

  /** Makes the triggers of the flow's nodes what the document says. */
  async #syncTriggers(
    change: AuditedChange,
    { id: flowId, userId }: FlowRecord,
    document: unknown,
  ): Promise<void> {
    const { triggers, limits, clock } = this.#options;
    const nodes = nodeTriggersOf(document);
    const synced = await syncNodeTriggers(
      change,
      triggers,
      { userId, flowId, now: new Date(clock.now()) },
      nodes,
    );
    if (synced.created.length > 0)
      await refuseTooMany(triggers.within(change), userId, {
        limit: limits.userTriggers,
        more: 0,
      });
    for (const [action, changed] of [
      ['trigger.created', synced.created],
      ['trigger.disabled', synced.removed],
    ] as const)
      for (const { id, name, kind } of changed)
        change.note({ action, objectId: id, objectName: name, detail: { flow_id: flowId, kind } });
  }

  /** Makes all processes read a flow again. */
  announce(flowId: string): void {
    this.#options.cache.invalidate(flowId);
    void this.#options.control.send({ kind: 'flow-changed', flowId });
  }
}

/** Refuses a change of a locked flow, also one that unlocks it. Throws flow_locked. */
function refuseLocked(before: FlowRecord, changes: FlowChanges): void {
  if (before.attributes['locked'] === true && changesFlow(before, changes))
    throw new HttpError('flow_locked', 'Flow is locked. Unlock it before making changes.');
}
