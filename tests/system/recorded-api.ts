/** A call whose answer is recorded; `path` has the values of the parameters of the route. */
export interface RecordedCall {
  readonly operation: string;
  readonly title: string;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Default 200. */
  readonly status?: number;
}

interface Example {
  readonly operation: string;
  readonly title: string;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

const SHOWN_ITEMS = 2;
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(?:\.\d+)?/g;
const NUMBERS: Readonly<Record<string, number>> = {
  total_uses: 7,
  created: 1_769_846_400,
  created_at: 1_769_846_400,
};
const DURATION = /milliseconds|duration|seconds$/;
const SECRET = /secret|token$|cursor$/;

/** The time that replaces all times. */
function timeWith(separator: string): string {
  return `2026-01-31${separator}08:00:00.000000`;
}

/** Calls a server and keeps the answers, with what differs between two recordings replaced. */
export class ApiRecorder {
  readonly examples: Example[] = [];
  readonly #url: string;
  readonly #key: string;
  readonly #ids = new Map<string, string>();

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Calls the server; throws unless it answers with the expected status. */
  async call<Answer>({
    operation,
    path = {},
    query = '',
    ...call
  }: Omit<RecordedCall, 'title'>): Promise<Answer> {
    const [method = '', route = ''] = operation.split(' ');
    const address = route.replace(/:(\w+)/g, (_, name: string) => path[name] ?? `:${name}`);
    const answer = await fetch(`${this.#url}${address}${query}`, {
      method,
      headers: { 'x-api-key': this.#key, 'content-type': 'application/json', ...call.headers },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
    const text = await answer.text();
    if (answer.status !== (call.status ?? 200)) throw new Error(`${operation}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  async record<Answer>({ title, ...call }: RecordedCall): Promise<Answer> {
    const answer = await this.call<Answer>(call);
    this.examples.push({
      operation: call.operation,
      title,
      ...(call.body === undefined ? {} : { body: this.#fixed(call.body) }),
      status: call.status ?? 200,
      ...(answer === undefined ? {} : { answer: this.#fixed(answer) }),
    });
    return answer;
  }

  /** Replaces ids by numbered ones, times by one time, and what else is random. Lists have two items at most. */
  #fixed(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return this.#fixedText(value, name);
    if (typeof value === 'number')
      return NUMBERS[name] ?? (DURATION.test(name) && !Number.isInteger(value) ? 12.5 : value);
    // Times become equal: one of a list is enough.
    if (Array.isArray(value))
      return value.slice(0, /_times$/.test(name) ? 1 : SHOWN_ITEMS).map((each) => this.#fixed(each, name));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, member]) => [key, this.#fixed(member, key)] as const);
    // A background run can begin before it is marked as queued.
    if ('queued_at' in value && 'lane' in value && value.lane === 'background')
      return { ...Object.fromEntries(entries), queued_at: `${timeWith('T')}+00:00` };
    return Object.fromEntries(entries);
  }

  #fixedText(text: string, name: string): string {
    if (SECRET.test(name) && text.length > 20 && text.search(UUID) < 0) return `<${name}>`;
    if (name === 'worker') return 'executor-1';
    if (name === 'public_id') return 'address';
    return text
      .replaceAll(this.#url, 'https://millrace.example')
      .replace(/sk-[\w-]{4,}\**/g, (key) => (key.endsWith('*') ? 'sk-examp****' : 'sk-example'))
      .replace(/(?<=\/ingress\/webhook\/)[\w-]+/g, 'address')
      .replace(UUID, (id) => this.#id(id))
      .replace(TIME, (_, separator: string) => timeWith(separator));
  }

  #id(id: string): string {
    const known =
      this.#ids.get(id) ?? `00000000-0000-7000-8000-${String(this.#ids.size + 1).padStart(12, '0')}`;
    this.#ids.set(id, known);
    return known;
  }
}
