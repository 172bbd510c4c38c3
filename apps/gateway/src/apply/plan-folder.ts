import { createHmac, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApplyError } from './apply-error';
import { diffFlows } from './diff-flows';
import type { AppliedFlow } from './diff-flows';
import type { WantedState, WantedTrigger } from './read-folder';

const NONCE_BYTES = 32;
const COMPARED_AT_ONCE = 1_000;

/** The HTTP interface of a server, with the key of the user whose records are changed. Rejects when the server refuses. */
export interface ApplyApi {
  json<T>(path: string, request?: { readonly method?: Method; readonly body?: unknown }): Promise<T>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface PlannedChange {
  readonly kind: 'flow' | 'variable' | 'trigger';
  readonly name: string;
  /** `set` writes the value of a credential that differs, or that the server cannot compare. */
  readonly action: 'create' | 'change' | 'set' | 'delete';
  /** What differs, without values. */
  readonly places: readonly string[];
  run(api: ApplyApi): Promise<unknown>;
}

export interface Plan {
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
}

interface StoredVariable {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  readonly value: string | null;
}

interface StoredTrigger {
  readonly id: string;
  readonly flow_id: string;
  readonly name: string;
  readonly node_id: string | null;
  readonly state: string;
  readonly [member: string]: unknown;
}

type StoredFlow = AppliedFlow & { readonly id: string };

/**
 * Compares what a user has with what a folder wants. With `prune`, flows, variables and triggers that the folder does not
 * name are deleted; triggers of nodes belong to their flow. Throws ApplyError when the user is not the owner.
 */
export async function planFolder(
  api: ApplyApi,
  wanted: WantedState,
  { prune }: { readonly prune: boolean },
): Promise<Plan> {
  if (wanted.owner !== undefined) await requireOwner(api, wanted.owner);
  const flows = await api.json<readonly StoredFlow[]>('/api/v1/flows/?get_all=true');
  const variables = await api.json<readonly StoredVariable[]>('/api/v1/variables/');
  const withTriggers = flows.filter(
    (flow) => prune || wanted.triggers.some((one) => isNamed(flow, one.flow)),
  );
  const triggers: StoredTrigger[] = [];
  for (const { id } of withTriggers)
    triggers.push(...(await api.json<readonly StoredTrigger[]>(`/api/v1/triggers?flow_id=${id}`)));
  const equal = await equalCredentials(api, wanted.variables, variables);
  const planned = [
    ...wanted.variables.map((variable) =>
      equal.has(variable.name) ? null : planVariable(variable, variables),
    ),
    ...wanted.flows.map((flow) => planFlow(flow, flows)),
    ...wanted.triggers.map((trigger) => planTrigger(trigger, { flows, wanted: wanted.flows, triggers })),
  ];
  const changes = planned.filter((change) => change !== null);
  return {
    changes: prune ? [...changes, ...deletions({ flows, variables, triggers }, wanted)] : changes,
    unchanged: planned.length - changes.length,
  };
}

/** Makes the changes of a plan in order; a change that the server refuses ends it. */
export async function applyPlan(
  api: ApplyApi,
  { changes }: Plan,
  onChange: (change: PlannedChange) => void = () => undefined,
): Promise<void> {
  for (const change of changes) {
    await change.run(api);
    onChange(change);
  }
}

async function requireOwner(api: ApplyApi, owner: string): Promise<void> {
  const { username } = await api.json<{ readonly username: string }>('/api/v1/users/whoami');
  if (username !== owner)
    throw new ApplyError(`The folder belongs to the user "${owner}", and the API key to "${username}"`);
}

function planFlow(flow: AppliedFlow, flows: readonly StoredFlow[]): PlannedChange | null {
  const stored = findFlow(flow, flows);
  const change = { kind: 'flow' as const, name: flow.endpoint_name ?? flow.name };
  const members = Object.entries(flow).filter(([, value]) => value !== null);
  const body = Object.fromEntries(members);
  if (stored === undefined)
    return {
      ...change,
      action: 'create',
      places: [],
      run: (api) => api.json('/api/v1/flows/', { method: 'POST', body }),
    };
  const places = diffFlows(stored, flow).map(({ kind, place }) => `${place} ${kind}`);
  if (flow.settings !== undefined && !isDeepStrictEqual(stored.settings ?? {}, flow.settings))
    places.push('settings changed');
  if (places.length === 0) return null;
  const changed = Object.fromEntries(members.filter(([name]) => name !== 'id'));
  return {
    ...change,
    action: 'change',
    places,
    run: (api) => api.json(`/api/v1/flows/${stored.id}`, { method: 'PUT', body: changed }),
  };
}

/** Finds the stored flow that a file means: that with its id, else that with its endpoint name. */
export function findFlow<Stored extends AppliedFlow>(
  flow: AppliedFlow,
  flows: readonly Stored[],
): Stored | undefined {
  return (
    flows.find(({ id }) => id !== undefined && id === flow.id) ??
    (flow.endpoint_name ? flows.find((one) => one.endpoint_name === flow.endpoint_name) : undefined)
  );
}

/** Returns the names of the credentials whose stored values are those of the folder; none of them is sent. */
async function equalCredentials(
  api: ApplyApi,
  wanted: WantedState['variables'],
  stored: readonly StoredVariable[],
): Promise<ReadonlySet<string>> {
  const compared = wanted.filter(
    ({ name, type }) =>
      type === 'Credential' && stored.some((one) => one.name === name && one.type === 'Credential'),
  );
  if (compared.length === 0) return new Set();
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  const digests = compared.map(({ name, value }) => ({
    name,
    digest: createHmac('sha256', nonce).update(value).digest('hex'),
  }));
  const equal: string[] = [];
  for (let first = 0; first < digests.length; first += COMPARED_AT_ONCE) {
    const body = { nonce, variables: digests.slice(first, first + COMPARED_AT_ONCE) };
    const answer = await api.json<{ readonly equal: readonly string[] }>('/api/v1/variables/compare', {
      method: 'POST',
      body,
    });
    equal.push(...answer.equal);
  }
  return new Set(equal);
}

function planVariable(
  { name, type, value }: WantedState['variables'][number],
  variables: readonly StoredVariable[],
): PlannedChange | null {
  const stored = variables.find((variable) => variable.name === name);
  const change = { kind: 'variable' as const, name };
  if (stored === undefined)
    return {
      ...change,
      action: 'create',
      places: [],
      run: (api) =>
        api.json('/api/v1/variables/', { method: 'POST', body: { name, value, type, default_fields: [] } }),
    };
  if (type === 'Generic' && stored.type === type && stored.value === value) return null;
  return {
    ...change,
    action: type === 'Credential' && stored.type === type ? 'set' : 'change',
    places: stored.type === type ? ['value'] : ['type', 'value'],
    run: (api) =>
      api.json(`/api/v1/variables/${stored.id}`, { method: 'PATCH', body: { id: stored.id, value, type } }),
  };
}

interface TriggerContext {
  readonly flows: readonly StoredFlow[];
  readonly wanted: readonly AppliedFlow[];
  readonly triggers: readonly StoredTrigger[];
}

function planTrigger(trigger: WantedTrigger, context: TriggerContext): PlannedChange | null {
  const { flow, name, kind, state = 'active', ...settings } = trigger;
  const flowId = context.flows.find((one) => isNamed(one, flow))?.id;
  if (flowId === undefined && !context.wanted.some((one) => isNamed(one, flow)))
    throw new ApplyError(`trigger ${name}: there is no flow "${flow}"`);
  const change = { kind: 'trigger' as const, name: `${flow}/${name}` };
  const stored = context.triggers.find(
    (one) => one.flow_id === flowId && one.name === name && one.node_id === null,
  );
  if (stored === undefined)
    return {
      ...change,
      action: 'create',
      places: [],
      run: async (api) => {
        const id = flowId ?? (await createdFlow(api, flow));
        return api.json('/api/v1/triggers', {
          method: 'POST',
          body: { flow_id: id, name, kind, state, ...settings },
        });
      },
    };
  const places = Object.entries(settings).flatMap(([member, value]) =>
    isContained(stored[member], value) ? [] : [member],
  );
  const isOtherState = stored.state !== state;
  if (places.length === 0 && !isOtherState) return null;
  return {
    ...change,
    action: 'change',
    places: isOtherState ? [...places, 'state'] : places,
    run: async (api) => {
      const path = `/api/v1/triggers/${stored.id}`;
      if (places.length > 0) await api.json(path, { method: 'PATCH', body: settings });
      if (isOtherState)
        await api.json(`${path}/${state === 'active' ? 'enable' : 'disable'}`, { method: 'POST' });
    },
  };
}

/** The server adds defaults to a configuration. */
function isContained(stored: unknown, wanted: unknown): boolean {
  if (typeof stored !== 'object' || stored === null || typeof wanted !== 'object' || wanted === null)
    return isDeepStrictEqual(stored, wanted);
  return Object.entries(wanted).every(([name, value]) =>
    isDeepStrictEqual((stored as Record<string, unknown>)[name], value),
  );
}

function isNamed(flow: AppliedFlow, name: string): boolean {
  return [flow.id, flow.endpoint_name, flow.name].includes(name);
}

async function createdFlow(api: ApplyApi, name: string): Promise<string> {
  const flows = await api.json<readonly StoredFlow[]>('/api/v1/flows/?get_all=true&header_flows=true');
  const found = flows.find((flow) => isNamed(flow, name));
  if (found === undefined) throw new ApplyError(`There is no flow "${name}"`);
  return found.id;
}

interface StoredState {
  readonly flows: readonly StoredFlow[];
  readonly variables: readonly StoredVariable[];
  readonly triggers: readonly StoredTrigger[];
}

function deletions(stored: StoredState, wanted: WantedState): PlannedChange[] {
  const deleted = (kind: PlannedChange['kind'], name: string, path: string): PlannedChange => ({
    kind,
    name,
    action: 'delete',
    places: [],
    run: (api) => api.json(path, { method: 'DELETE' }),
  });
  const flows = stored.flows.filter(
    (flow) => !wanted.flows.some((one) => findFlow(one, [flow]) !== undefined),
  );
  const variables = stored.variables.filter(({ name }) => !wanted.variables.some((one) => one.name === name));
  const triggers = stored.triggers.filter(({ node_id: node, flow_id: flow, name }) => {
    const owner = stored.flows.find(({ id }) => id === flow);
    const isKept = wanted.triggers.some(
      (one) => one.name === name && owner !== undefined && isNamed(owner, one.flow),
    );
    return node === null && !isKept && !flows.some(({ id }) => id === flow);
  });
  return [
    ...triggers.map(({ id, name }) => deleted('trigger', name, `/api/v1/triggers/${id}`)),
    ...flows.map(({ id, name, endpoint_name: endpoint }) =>
      deleted('flow', endpoint ?? name, `/api/v1/flows/${id}`),
    ),
    ...variables.map(({ id, name }) => deleted('variable', name, `/api/v1/variables/${id}`)),
  ];
}
