import { randomUUID } from 'node:crypto';
import type { FlowCache, RefusedSignIns } from '@millrace/access';
import { HttpError } from '@millrace/http';
import { actingUser, bindsFlows, reachesFlow } from '@millrace/runs';
import type { FlowReference, FlowStore, KeyBounds, Principal, RunStore } from '@millrace/runs';
import type { EndUser } from '../end-users/end-user-sessions';
import type { ConfinedRoute } from '../http/routing/end-user-use';
import { refusalOfMember } from './member-rights';
import { sessionPrefix } from '../end-users/end-user-sessions';
import { pathParameter } from '../http/routing/route';
import type { Call } from '../http/routing/route';
import { normalizeUuid } from '../http/validation/uuid-text';
import type { ReadYourWrites } from '../runs/read-your-writes';
import type { RunLocator } from '../runs/run-locator';
import type { Place, Right } from '../http/routing/route-rights';

export interface BoundCallersOptions {
  readonly cache: FlowCache;
  readonly flows: Pick<FlowStore, 'findSummary'>;
  readonly runs: Pick<RunStore, 'findSummary'>;
  readonly runLocator: Pick<RunLocator, 'find'>;
  readonly readYourWrites: Pick<ReadYourWrites, 'settled'>;
  readonly refused: Pick<RefusedSignIns, 'count'>;
}

/** Has no flows, runs or projects, so that a request as this user is answered like one with unknown ids. */
const NO_USER = randomUUID();

const ELSEWHERE = 'A member writes flows of the project only: give its id as folder_id.';

/** Keeps keys with bounds within them. */
export class BoundCallers {
  readonly #options: BoundCallersOptions;

  constructor(options: BoundCallersOptions) {
    this.#options = options;
  }

  /**
   * Returns the principal that a route serves a request for: the owner of the key, or a user without data where the request names something
   * outside the bounds of the key. Throws permission_denied.
   */
  async confine(
    route: ConfinedRoute,
    call: Call,
    principal: Principal,
    endUser: EndUser,
  ): Promise<Principal> {
    const { right, place, use } = route;
    const { bounds } = principal;
    if (bounds === null) return principal;
    const refusal = principal.member === undefined ? null : refusalOfMember(principal.member, route);
    if (refusal !== null) throw this.#denied(call, principal, refusal);
    if (bounds.access === 'read_only' && right !== 'read')
      throw this.#denied(call, principal, 'This API key is read-only.');
    if (bounds.access === 'run_only' && right !== 'run')
      throw this.#denied(call, principal, 'This API key only starts runs.');
    if (bounds.endUsers !== undefined && use === null && !servesEndUsers(right, place))
      throw this.#denied(
        call,
        principal,
        'This API key acts for end users, and this route is not about one.',
      );
    if (endUser !== null && use === 'runs' && !(await this.#isTheirs(place, call, principal, endUser)))
      return { ...principal, userId: NO_USER };
    if (!bindsFlows(bounds) || place === 'tools') return principal;
    if (place === 'anything') return { ...principal, userId: actingUser(principal) };
    const reached = place !== 'everything' && (await this.#reaches(place, call, { ...principal, bounds }));
    if (reached) return this.#inPlace(call, principal);
    const bound =
      principal.member === undefined
        ? 'This API key is bound to flows or projects'
        : 'A member is bound to the flows of the project';
    if (place === 'everything') throw this.#denied(call, principal, `${bound}, of which this route is not.`);
    if (place === 'flow in query' && !call.query.has('flow_id'))
      throw this.#denied(call, principal, `${bound}: give flow_id.`);
    if (place === 'project in body') throw this.#denied(call, principal, ELSEWHERE);
    return { ...principal, userId: NO_USER };
  }

  /** Refuses to move a flow out of the project. */
  #inPlace(call: Call, principal: Principal): Principal {
    const project = member(call.body, 'folder_id');
    if (principal.member === undefined || project === '') return principal;
    if (principal.bounds?.projects?.includes(normalizeUuid(project) ?? '')) return principal;
    throw this.#denied(call, principal, ELSEWHERE);
  }

  /**
   * Returns the flow that a request runs; null where it runs none, or one that the caller may not run, whose limits do not count the
   * request then. No promise when the flow is cached.
   */
  flowOf(
    route: ConfinedRoute,
    call: Call,
    principal: Principal,
  ): FlowReference | null | Promise<FlowReference | null> {
    const { userId, bounds } = principal;
    if (route.right !== 'run' || bounds?.access === 'read_only') return null;
    const reference = flowNamedBy(route.place, call);
    if (reference === '') return null;
    if (principal.member !== undefined && refusalOfMember(principal.member, route) !== null) return null;
    const found = this.#options.cache.find(userId, normalizeUuid(reference) ?? reference);
    if (bounds === null) return found;
    const within = (flow: FlowReference | null) => (flow !== null && reachesFlow(bounds, flow) ? flow : null);
    return found instanceof Promise ? found.then(within) : within(found);
  }

  /** Returns those of the flows that a key reaches. */
  async reached<Flow extends { readonly id: string }>(
    { userId, bounds }: Pick<Principal, 'userId' | 'bounds'>,
    flows: readonly Flow[],
  ): Promise<readonly Flow[]> {
    if (!bindsFlows(bounds)) return flows;
    const isReached = await Promise.all(flows.map(({ id }) => this.#reachesFlow(userId, bounds, id)));
    return flows.filter((_flow, index) => isReached[index]);
  }

  async #reaches(
    place: Exclude<Place, 'everything' | 'tools' | 'anything'>,
    call: Call,
    { userId, bounds }: Principal & { readonly bounds: KeyBounds },
  ): Promise<boolean> {
    const { request } = call;
    const [kind = ''] = place.split(' ');
    if (kind === 'project') {
      const named =
        place === 'project in body' ? member(call.body, 'folder_id') : pathParameter(request, 'project_id');
      const id = normalizeUuid(named);
      return id !== null && (bounds.projects?.includes(id) ?? false);
    }
    const reached = await Promise.all(
      referencesIn(place, call).map(async (reference) => {
        const flow =
          kind === 'run'
            ? (await this.#run(userId, reference))?.flowId
            : place === 'model in path'
              ? (await this.#options.flows.findSummary(userId, reference))?.id
              : reference;
        return flow !== undefined && this.#reachesFlow(userId, bounds, flow);
      }),
    );
    return reached.length > 0 && reached.every(Boolean);
  }

  async #reachesFlow(userId: string, bounds: KeyBounds, reference: string): Promise<boolean> {
    const flow = await this.#options.cache.find(userId, normalizeUuid(reference) ?? reference);
    return flow !== null && reachesFlow(bounds, flow);
  }

  /** Whether the runs that a request names are an end user's. Those of other users, whose questions the owner can answer, are not. */
  async #isTheirs(place: Place, call: Call, { userId }: Principal, endUser: string): Promise<boolean> {
    const prefix = sessionPrefix(endUser);
    const found = await Promise.all(
      referencesIn(place, call).map((reference) => this.#run(userId, reference)),
    );
    return found.every((run) => run?.sessionId.startsWith(prefix));
  }

  /** A run that has a row or whose caller waits. */
  async #run(
    userId: string,
    reference: string,
  ): Promise<{ readonly flowId: string; readonly sessionId: string } | undefined> {
    const id = normalizeUuid(reference);
    if (id === null) return undefined;
    const { runs, runLocator, readYourWrites } = this.#options;
    await readYourWrites.settled(userId);
    return (await runs.findSummary(userId, id)) ?? (await runLocator.find(userId, id)) ?? undefined;
  }

  #denied({ request }: Call, principal: Principal, text: string): HttpError {
    const error = new HttpError('permission_denied', text);
    this.#options.refused.count({ code: error.code, request, principal });
    return error;
  }
}

/** Whether a route that takes no end user serves a key that acts for them: uploads for runs, and what is of no run. */
function servesEndUsers(right: Right, place: Place): boolean {
  if (place === 'flow in path') return right === 'run';
  return ['tools', 'project in path', 'model in path', 'anything'].includes(place);
}

const PATH_NAMES: Readonly<Record<string, readonly string[]>> = {
  flow: ['flow', 'flow_id'],
  model: ['model'],
  run: ['run_id', 'job_id', 'trace_id'],
};

/** Returns what a request names at a place. */
function referencesIn(place: Place, { request, query, body }: Call): readonly string[] {
  const [kind = '', , where = ''] = place.split(' ');
  const name = kind === 'run' ? 'job_id' : kind === 'model' ? 'model' : 'flow_id';
  if (where === 'path') return [lastReference(request.params, kind)];
  return where === 'query' ? query.getAll(kind === 'run' ? 'job_id' : 'flow_id') : [member(body, name)];
}

/** Returns the flow that a request runs; empty where it names none. */
function flowNamedBy(place: Place, { request, body }: Call): string {
  if (place === 'flow in path') return lastReference(request.params, 'flow');
  if (place === 'flow in body') return member(body, 'flow_id');
  return place === 'model in body' ? member(body, 'model') : '';
}

function lastReference(params: Call['request']['params'], kind: string): string {
  for (const name of PATH_NAMES[kind] ?? []) {
    const value = params[name];
    if (value !== undefined) return typeof value === 'string' ? value : '';
  }
  return '';
}

function member(body: unknown, name: string): string {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : null;
  return typeof value === 'string' ? value : '';
}
