/** Members whose values are new in each run. */
const VOLATILE: ReadonlySet<string> = new Set([
  'id',
  'run_id',
  'graph_run_id',
  'timestamp',
  'duration',
  'build_duration',
  'timedelta',
  'created_at',
  'job_id',
]);
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC|[+-]\d\d:\d\d)?/g;
const MAXIMUM_DIFFERENCES = 20;

/** A place where two answers differ, and the two values as JSON, cut. */
export interface AnswerDifference {
  readonly path: string;
  readonly left: string;
  readonly right: string;
}

/** Returns the first differences of two answers. Ids, times and durations, which no two runs share, are not compared. */
export function differences(left: unknown, right: unknown): readonly AnswerDifference[] {
  const found: AnswerDifference[] = [];
  collect(left, right, '', found);
  return found;
}

function collect(left: unknown, right: unknown, path: string, found: AnswerDifference[]): void {
  if (found.length >= MAXIMUM_DIFFERENCES) return;
  if (isObject(left) && isObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
      if (!isVolatile(name, left[name], right[name]))
        collect(left[name], right[name], path === '' ? name : `${path}.${name}`, found);
    return;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1)
      collect(left[index], right[index], `${path}[${index}]`, found);
    return;
  }
  const [first, second] = [textOf(left), textOf(right)];
  if (first !== second) found.push({ path, left: first.slice(0, 200), right: second.slice(0, 200) });
}

/** Both have the member, or neither has a value for it. */
function isVolatile(name: string, left: unknown, right: unknown): boolean {
  return VOLATILE.has(name) && (left === undefined) === (right === undefined);
}

function textOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.replaceAll(ID, '<id>').replaceAll(TIME, '<time>');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
