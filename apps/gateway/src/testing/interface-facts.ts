type Json = Readonly<Record<string, unknown>>;

/** What clients can rely on in a schema. Members that say nothing are absent. */
export interface SchemaFacts {
  readonly members?: Readonly<Record<string, SchemaFacts>>;
  readonly required?: readonly string[];
  /** Other members are refused. */
  readonly closed?: true;
  readonly words?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: true;
  readonly items?: SchemaFacts;
}

export interface OperationFacts {
  readonly query?: Readonly<Record<string, SchemaFacts>>;
  readonly body?: SchemaFacts;
  /** The JSON of successful answers by status. */
  readonly answers: Readonly<Record<string, SchemaFacts>>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const MAXIMUM_DEPTH = 5;

/** Returns the facts of each operation of an OpenAPI document, by method and path; the names of path parameters do not count. */
export function interfaceFacts(document: unknown): ReadonlyMap<string, OperationFacts> {
  const found = new Map<string, OperationFacts>();
  const root = objectOf(document);
  for (const [path, methods] of Object.entries(objectOf(root['paths'])))
    for (const [method, operation] of Object.entries(objectOf(methods)).filter(([name]) =>
      METHODS.includes(name),
    )) {
      const name = `${method.toUpperCase()} ${path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '{}')}`;
      found.set(name, operationFacts(root, objectOf(operation)));
    }
  return found;
}

function operationFacts(root: Json, operation: Json): OperationFacts {
  const parameters = listOf(operation['parameters']).map(objectOf);
  const query = parameters
    .filter(({ in: place, name }) => place === 'query' && name !== 'x-api-key')
    .map(({ name, schema }) => [String(name), withoutNull(schemaFacts(root, schema))]);
  const [content] = Object.values(objectOf(objectOf(operation['requestBody'])['content'])).map(objectOf);
  const answers = Object.entries(objectOf(operation['responses']))
    .filter(([status]) => /^2/.test(status))
    .map(([status, answer]) => {
      const json = objectOf(objectOf(objectOf(answer)['content'])['application/json']);
      return [status, schemaFacts(root, json['schema'])];
    });
  return {
    ...(query.length > 0 ? { query: Object.fromEntries(query) as Record<string, SchemaFacts> } : {}),
    ...(content ? { body: schemaFacts(root, content['schema']) } : {}),
    answers: Object.fromEntries(answers) as Record<string, SchemaFacts>,
  };
}

/** An absent parameter of a query is what null would be. */
function withoutNull({ nullable: _, ...facts }: SchemaFacts): SchemaFacts {
  return facts;
}

function schemaFacts(root: Json, schema: unknown, depth = 0): SchemaFacts {
  const branches = branchesOf(root, schema);
  const objects = branches.filter((branch) => 'properties' in branch);
  const members = Object.assign({}, ...objects.map((branch) => branch['properties'])) as Json;
  const required = objects.map((branch) => listOf(branch['required']) as string[]);
  const words = branches.flatMap(wordsOf);
  const absent = branches.map((branch) => branch['default']).find((value) => (value ?? null) !== null);
  const list = branches.find((branch) => 'items' in branch);
  const isDeep = depth >= MAXIMUM_DEPTH;
  return {
    ...(objects.length > 0 && !isDeep
      ? {
          members: Object.fromEntries(
            Object.entries(members).map(([name, member]) => [name, schemaFacts(root, member, depth + 1)]),
          ),
          required: (required[0] ?? [])
            .filter((name) => required.every((names) => names.includes(name)))
            .sort(),
        }
      : {}),
    ...(objects.some((branch) => branch['additionalProperties'] === false) ? { closed: true } : {}),
    ...(words.length > 0 ? { words: [...new Set(words)].sort() } : {}),
    ...(absent === undefined ? {} : { default: absent }),
    ...(branches.some(takesNull) ? { nullable: true } : {}),
    ...(list && !isDeep ? { items: schemaFacts(root, list['items'], depth + 1) } : {}),
  };
}

/** Returns the alternatives of a schema, without references; the schema itself is the first. */
function branchesOf(root: Json, given: unknown): readonly Json[] {
  const { $ref: reference, ...schema } = objectOf(given);
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => listOf(schema[name]));
  const target = typeof reference === 'string' ? [...branchesOf(root, targetOf(root, reference))] : [];
  return [schema, ...target, ...alternatives.flatMap((branch) => branchesOf(root, branch))];
}

function targetOf(root: Json, reference: string): unknown {
  let target: unknown = root;
  for (const name of reference.slice(2).split('/')) target = objectOf(target)[name];
  return target;
}

function wordsOf({ enum: words, const: word }: Json): readonly unknown[] {
  return [...listOf(words), ...(word === undefined ? [] : [word])].filter(
    (value) => typeof value === 'string',
  );
}

function takesNull({ type, enum: words }: Json): boolean {
  return [type].flat().includes('null') || listOf(words).includes(null);
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
