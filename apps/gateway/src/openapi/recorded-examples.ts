import recorded from './recorded-examples.json';

/** A request and its answer, which a test has recorded from a running server and compares with it. */
export interface RecordedExample {
  /** Method and path of a route, such as `GET /api/v1/runs/:run_id`. */
  readonly operation: string;
  readonly title: string;
  /** The JSON body; absent without one. */
  readonly body?: unknown;
  readonly status: number;
  /** The JSON answer; absent without one. */
  readonly answer?: unknown;
}

export const recordedExamples: readonly RecordedExample[] = recorded;

/** A named example of OpenAPI. */
export interface ShownExample {
  readonly summary: string;
  readonly value: unknown;
}

type Examples = Readonly<Record<string, ShownExample>>;

/** Returns the examples of a route's JSON bodies. */
export function bodyExamples(method: string, path: string): Examples {
  return shown(
    examplesOf(method, path).flatMap(({ title, body }) =>
      body === undefined ? [] : [{ title, value: body }],
    ),
  );
}

/** Returns the examples of a route's JSON answers with a status. */
export function answerExamples(method: string, path: string, status: number): Examples {
  const answered = examplesOf(method, path).filter((example) => example.status === status);
  return shown(
    answered.flatMap(({ title, answer }) => (answer === undefined ? [] : [{ title, value: answer }])),
  );
}

function examplesOf(method: string, path: string): readonly RecordedExample[] {
  return recordedExamples.filter(({ operation }) => operation === `${method} ${path}`);
}

function shown(examples: readonly { readonly title: string; readonly value: unknown }[]): Examples {
  return Object.fromEntries(
    examples.map(({ title, value }) => [title.replace(/\W+/g, '-').toLowerCase(), { summary: title, value }]),
  );
}
