/** What narrows a key beyond its scopes. An absent member narrows nothing. */
export interface KeyBounds {
  /** `read_only`: the key starts and changes nothing. `run_only`: it reads nothing but the answers of what it starts. */
  readonly access?: 'read_only' | 'run_only';
  /** Ids of flows and of projects; a flow in either is within the bounds. A key with one of them reaches no other flow. */
  readonly flows?: readonly string[];
  readonly projects?: readonly string[];
  /** `projects` is one of another user, of which the maker of the key is a member. The key has the rights of the membership at most. */
  readonly member?: true;
  /** IP addresses and subnets in CIDR notation that the key can be used from. */
  readonly addresses?: readonly string[];
  /** The key acts for end users: the header or the token of each request names one. */
  readonly endUsers?: 'header' | 'token';
}

/** Whether the key is bound to flows or projects. */
export function bindsFlows(bounds: KeyBounds | null): bounds is KeyBounds {
  return bounds !== null && (bounds.flows !== undefined || bounds.projects !== undefined);
}

/** Whether a key with these bounds reaches a flow. */
export function reachesFlow(
  bounds: KeyBounds | null,
  flow: { readonly id: string; readonly projectId: string | null },
): boolean {
  if (!bindsFlows(bounds)) return true;
  const { flows = [], projects = [] } = bounds;
  return flows.includes(flow.id) || (flow.projectId !== null && projects.includes(flow.projectId));
}
