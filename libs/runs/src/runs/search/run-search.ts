import { storableText } from '@millrace/python-text';
import { parseUuid } from '../../flows/parse-uuid';
import { wholeText } from '../../text-templates/whole-text';
import { UNFINISHED_STATUSES, UNSUCCESSFUL_STATUSES } from './run-filter';
import type { RunStatus } from '../../run-record/run-record';
import type { RunFilter, RunPage, RunPosition } from './run-filter';

/** The pool whose runs the index by pool leaves out. */
const DEFAULT_POOL = 'default';
/** The error code of a row, as the index has it. */
const ERROR_CODE = `substring(runs.failure from '"code":"([a-z0-9_]+)"')`;
/** Statuses whose failures all have one code. */
const CODE_OF_STATUS: Partial<Record<RunStatus, string>> = {
  dead: 'attempts_exhausted',
  timed_out: 'deadline_exceeded',
};
/** The id of a run begins with the time at which a process made it, by the clock of its machine. */
export const CLOCK_TOLERANCE_MILLISECONDS = 3_600_000;

/** Adds a value to the parameters of a statement and returns its name there. */
export type AddValue = (value: unknown) => string;

export interface RunSearch extends RunPage {
  readonly filter: RunFilter;
  /** Columns of `runs`; "acceptedAt" and id are among them. */
  readonly columns: string;
  readonly order: 'newest first' | 'oldest first';
  /** Further conditions on `runs`. */
  readonly conditions?: (add: AddValue) => readonly string[];
}

/** The position of a row, for the columns of a search. */
export const POSITION_COLUMN = `(extract(epoch FROM runs.accepted_at) * 1000000)::bigint AS "acceptedAtMicroseconds"`;

/** Returns the SQL of a time from a parameter with microseconds since the epoch. */
export function timeSql(microseconds: string): string {
  return `(timestamptz 'epoch' + ${microseconds}::bigint * interval '1 microsecond')`;
}

/**
 * Returns the statement that selects runs. It is written for the given filter, so that it uses the index that fits: by
 * session, by flow, by failure, by pool, or by the time in the id. It has no name, since a plan for unknown values could use
 * another index.
 */
export function runSearchStatement(search: RunSearch): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const add: AddValue = (value) => `$${values.push(value)}`;
  const isById = usesIdOrder(search.filter);
  const conditions = [
    ...filterConditions(search, add),
    ...(isById ? idConditions(search.filter, add) : []),
    ...(search.after === undefined ? [] : [positionCondition(search, search.after, isById, add)]),
    ...(search.conditions?.(add) ?? []),
  ];
  const limit = add(search.limit);
  const rank = rankOf(search, isById);
  const own = `${orderByCode(search)}${rank('runs.accepted_at', 'runs.id')}`;
  const part = (condition: readonly string[]) => `SELECT ${search.columns} FROM runs
    WHERE ${[...condition, ...conditions, 'true'].join(' AND ')} ORDER BY ${own} LIMIT ${limit}`;
  const parts = partsOf(search.filter, add, part).map((text) => `(${text})`);
  return {
    values,
    text: `SELECT * FROM (${parts.join(' UNION ALL ')}) AS found
      ORDER BY ${rank('found."acceptedAt"', 'found.id')} LIMIT ${limit}`,
  };
}

/**
 * Returns the statement that counts the runs that an index finds for a search, whatever other members its filter has, behind
 * its position and within `bound`; at most `limit`.
 */
export function countStatement(
  { filter, after, order }: RunSearch,
  limit: number,
  bound: (add: AddValue) => string,
): { readonly text: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const add: AddValue = (value) => `$${values.push(value)}`;
  const isById = usesIdOrder(filter);
  const { userId, flowId, projectId, sessionId, pool, acceptedFrom, acceptedBefore } = filter;
  const isByPool =
    [flowId, projectId, sessionId].every((id) => id === undefined) && isOutsideDefaultPool(filter);
  const equal = (column: string, value: unknown) => `runs.${column} = ${add(value)}`;
  const conditions = [
    ...(isUnsuccessful(filter) ? ['runs.failure IS NOT NULL'] : []),
    ...(isUnsuccessful(filter) && userId !== null ? [equal('user_id', userId)] : []),
    ...(!isUnsuccessful(filter) && flowId !== undefined ? [equal('flow_id', flowId)] : []),
    ...(isByPool && !isUnsuccessful(filter) ? [equal('pool', storableText(pool ?? ''))] : []),
    ...(isById ? idConditions(filter, add) : []),
    ...(isById || acceptedFrom === undefined ? [] : [`runs.accepted_at >= ${add(acceptedFrom)}`]),
    ...(isById || acceptedBefore === undefined ? [] : [`runs.accepted_at < ${add(acceptedBefore)}`]),
    ...(after === undefined ? [] : [positionCondition({ order }, after, isById, add)]),
    bound(add),
  ];
  const part = (own: readonly string[]) =>
    `SELECT 1 AS one FROM runs WHERE ${[...own, ...conditions].join(' AND ')} LIMIT ${limit}`;
  const parts = partsOf(filter, add, part).map((text) => `(${text})`);
  return {
    values,
    text: `SELECT count(*)::int AS count FROM (SELECT FROM (${parts.join(' UNION ALL ')}) AS found LIMIT ${limit}) AS counted`,
  };
}

/** Whether no index has a column of the filter, so that a search reads runs that it does not select. Those that have not ended are few. */
export function readsOtherRuns(filter: RunFilter): boolean {
  const { origin, keyId, model, vertexId } = filter;
  return !isUnfinished(filter) && [origin, keyId, model, vertexId].some((value) => value !== undefined);
}

/**
 * Whether each part of a search can read an index in the order of its list, and stop at its limit. For the others it costs
 * less to select first and to sort then.
 */
export function isInIndexOrder(filter: RunFilter): boolean {
  return !isUnfinished(filter) && (filter.flowVersion === undefined || isUnsuccessful(filter));
}

/** Returns the statements whose results contain the selected runs. */
function partsOf(
  filter: RunFilter,
  add: AddValue,
  part: (conditions: readonly string[]) => string,
): readonly string[] {
  const { userId, flowId, projectId, sessionId } = filter;
  // The newest runs of each of some flows: the index by flow serves lists of a user and of a project, too.
  const ofFlows = () => loop('flows', part(['runs.flow_id = flows.id']));
  if (sessionId !== undefined) return sessionConditions(storableText(sessionId), add).map(part);
  if (isUnfinished(filter)) return [part([])];
  if (isUnsuccessful(filter)) {
    if (userId !== null) return [part([])];
    if (flowId === undefined) return [loop('users', part(['runs.user_id = users.id']))];
    return [part([`runs.user_id = (SELECT user_id FROM flows WHERE flows.id = ${add(flowId)})`])];
  }
  if (flowId !== undefined) return [part([])];
  if (projectId !== undefined) return [`${ofFlows()} WHERE ${projectCondition(filter, add)}`];
  if (isOutsideDefaultPool(filter)) return [part([`runs.pool <> '${DEFAULT_POOL}'`])];
  if (userId === null) return [part([])];
  return [`${ofFlows()} WHERE flows.user_id = ${add(userId)}`];
}

function loop(table: string, part: string): string {
  return `SELECT part.* FROM ${table} CROSS JOIN LATERAL (${part}) AS part`;
}

/** Runs without a session have the id of their flow as session id and are not in the index of sessions. */
function sessionConditions(sessionId: string, add: AddValue): readonly (readonly string[])[] {
  const session = `runs.session_id = ${add(sessionId)}`;
  const hash = `hashtextextended(runs.session_id, 0) = hashtextextended(${add(sessionId)}, 0)`;
  const ofSession = [hash, session, 'runs.session_id <> runs.flow_id::text'];
  return parseUuid(sessionId) === sessionId
    ? [ofSession, [`runs.flow_id = ${add(sessionId)}`, session]]
    : [ofSession];
}

function filterConditions(search: RunSearch, add: AddValue): readonly string[] {
  const { filter } = search;
  const equal = (column: string, value: unknown) =>
    value === undefined || value === null ? [] : [`runs.${column} = ${add(value)}`];
  const { statuses, vertexId, acceptedFrom, acceptedBefore, pool, model } = filter;
  return [
    ...equal('user_id', filter.userId),
    ...(usesFailures(filter) ? amongFailures(filter, add) : equal('flow_id', filter.flowId)),
    ...(filter.projectId === undefined ? [] : [inProject(filter, add)]),
    ...equal('flow_version', filter.flowVersion),
    ...equal('origin', filter.origin),
    ...equal('key_id', filter.keyId),
    ...equal('pool', pool === undefined ? undefined : storableText(pool)),
    ...(statuses === undefined ? [] : [`runs.status = ANY(${add(statuses)}::text[])`]),
    ...(isUnsuccessful(filter) ? ['runs.failure IS NOT NULL'] : []),
    ...(isUnfinished(filter) ? [unfinishedCondition(filter, add)] : []),
    ...codeCondition(search, add),
    ...(vertexId === undefined ? [] : [`strpos(runs.failure, ${add(vertexText(vertexId))}) > 0`]),
    ...(model === undefined ? [] : [`strpos(${wholeText('usage')}, ${add(modelText(model))}) > 0`]),
    ...(acceptedFrom === undefined ? [] : [`runs.accepted_at >= ${add(acceptedFrom)}`]),
    ...(acceptedBefore === undefined ? [] : [`runs.accepted_at < ${add(acceptedBefore)}`]),
  ];
}

/** The flows of a project. Its id is that of one user; the index of them begins with the user. */
function projectCondition({ projectId, userId }: RunFilter, add: AddValue): string {
  const ofUser = userId === null ? '' : ` AND flows.user_id = ${add(userId)}::uuid`;
  return `flows.folder_id = ${add(projectId)}::uuid${ofUser}`;
}

/** Written so that no index is used for it, as `amongFailures` is; a list of a project reads the index by flow. */
function inProject(filter: RunFilter, add: AddValue): string {
  const flows = `SELECT flows.id FROM flows WHERE ${projectCondition(filter, add)}`;
  return `(runs.flow_id = ANY(ARRAY(${flows}))) IS TRUE`;
}

/** Whether the search reads the failures of users, of which there are few. */
function usesFailures(filter: RunFilter): boolean {
  return isUnsuccessful(filter) && filter.sessionId === undefined;
}

/** Written so that no index is used for it: the one that has the runs of a flow has also those that succeeded. */
function amongFailures({ flowId }: RunFilter, add: AddValue): readonly string[] {
  return flowId === undefined ? [] : [`runs.flow_id IS NOT DISTINCT FROM ${add(flowId)}::uuid`];
}

function codeOf({ errorCode, statuses }: RunFilter): string | undefined {
  const [status, ...others] = statuses ?? [];
  return errorCode ?? (status === undefined || others.length > 0 ? undefined : CODE_OF_STATUS[status]);
}

/** A range, for an order that begins with the code: the planner leaves out of it what an equality makes constant. */
function codeCondition(search: RunSearch, add: AddValue): readonly string[] {
  const errorCode = codeOf(search.filter);
  if (errorCode === undefined) return [];
  const code = add(storableText(errorCode));
  return [`${ERROR_CODE} ${isOrderedByCode(search) ? `BETWEEN ${code} AND ${code}` : `= ${code}`}`];
}

/**
 * The planner does not know how many runs have a code, and where few runs fail it takes the index of all failures. Only the index
 * by code has this order, in which the code of all selected runs is the same.
 */
function orderByCode(search: RunSearch): string {
  return isOrderedByCode(search) ? `${ERROR_CODE} ${directionOf(search.order)}, ` : '';
}

/** Not where the times end before the runs do: a range of codes does not end at a time, which would read all runs of the code. */
function isOrderedByCode({ filter, order }: RunSearch): boolean {
  const end = order === 'newest first' ? filter.acceptedFrom : filter.acceptedBefore;
  return end === undefined && codeOf(filter) !== undefined && usesFailures(filter);
}

/** How the failure of a vertex begins in the column, which is JSON text: its quotes are not in a value. */
function vertexText(vertexId: string): string {
  return `"vertex":{"id":${JSON.stringify(vertexId)},`;
}

/** How the column of what a run used, which is JSON text, names a model. */
function modelText(model: string): string {
  return `"model":${JSON.stringify(model)}`;
}

/** Whether the filter selects only runs with a failure. */
function isUnsuccessful({ statuses, errorCode, vertexId }: RunFilter): boolean {
  return (
    errorCode !== undefined ||
    vertexId !== undefined ||
    (statuses !== undefined && statuses.every((status) => UNSUCCESSFUL_STATUSES.has(status)))
  );
}

/** Whether the filter selects only runs that have not ended. */
function isUnfinished({ statuses }: RunFilter): boolean {
  return statuses !== undefined && statuses.every((status) => UNFINISHED_STATUSES.includes(status));
}

/** Selects by indexes: the sweeper has no suspended run. */
function unfinishedCondition({ statuses = [], userId, flowId }: RunFilter, add: AddValue): string {
  const others = 'runs.next_sweep_at IS NOT NULL';
  if (!statuses.includes('suspended')) return others;
  const flows =
    flowId !== undefined
      ? ` AND flow_id = ${add(flowId)}::uuid`
      : userId === null
        ? ''
        : ` AND flow_id = ANY(ARRAY(SELECT id FROM flows WHERE user_id = ${add(userId)}::uuid))`;
  const suspended = `runs.id = ANY(ARRAY(SELECT run_id FROM human_requests WHERE decided_at IS NULL${flows}))`;
  return statuses.length === 1 ? suspended : `(${others} OR ${suspended})`;
}

/** Whether the index of ids gives the order: no other index has the runs of all users in it. */
export function usesIdOrder(filter: RunFilter): boolean {
  const { userId, flowId, projectId, sessionId } = filter;
  if (userId !== null || flowId !== undefined || projectId !== undefined || sessionId !== undefined)
    return false;
  return !isUnsuccessful(filter) && !isUnfinished(filter) && !isOutsideDefaultPool(filter);
}

/** Whether the filter selects the runs of one pool that has an index of its runs. */
function isOutsideDefaultPool({ pool }: RunFilter): boolean {
  return pool !== undefined && pool !== DEFAULT_POOL;
}

function idConditions({ acceptedFrom, acceptedBefore }: RunFilter, add: AddValue): readonly string[] {
  const bound = (time: Date, tolerance: number) => add(smallestId(time.getTime() + tolerance));
  return [
    ...(acceptedFrom ? [`runs.id >= ${bound(acceptedFrom, -CLOCK_TOLERANCE_MILLISECONDS)}::uuid`] : []),
    ...(acceptedBefore ? [`runs.id < ${bound(acceptedBefore, CLOCK_TOLERANCE_MILLISECONDS)}::uuid`] : []),
  ];
}

/** Returns a UUID that is smaller than those made at this time, and greater than those made before. */
export function smallestId(milliseconds: number): string {
  const bounded = Math.min(Math.max(0, Math.floor(milliseconds)), 2 ** 48 - 1);
  const time = bounded.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

function positionCondition(
  { order }: Pick<RunSearch, 'order'>,
  { acceptedAtMicroseconds, id }: RunPosition,
  isById: boolean,
  add: AddValue,
): string {
  const operator = order === 'newest first' ? '<' : '>';
  if (isById) return `runs.id ${operator} ${add(id)}::uuid`;
  return `(runs.accepted_at, runs.id) ${operator} (${timeSql(add(acceptedAtMicroseconds))}, ${add(id)}::uuid)`;
}

function rankOf({ order }: RunSearch, isById: boolean): (acceptedAt: string, id: string) => string {
  const direction = directionOf(order);
  return (acceptedAt, id) =>
    isById ? `${id} ${direction}` : `${acceptedAt} ${direction}, ${id} ${direction}`;
}

function directionOf(order: RunSearch['order']): string {
  return order === 'newest first' ? 'DESC' : 'ASC';
}
