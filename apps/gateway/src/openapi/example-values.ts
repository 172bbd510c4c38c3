type Json = Readonly<Record<string, unknown>>;

const TIME = '2026-01-31T08:00:00.000000+00:00';
const TEXTS: Readonly<Record<string, string>> = {
  uuid: '00000000-0000-7000-8000-000000000001',
  'date-time': TIME,
  uri: 'https://example.org/',
};
/** Texts that match the patterns of texts which are no words. */
const PATTERNED = ['a-name', 'a'.repeat(64), '1', 'https://example.org/', '2026-01-31', 'a@example.org', '/'];

/**
 * Returns a value that a schema of a document allows: of a closed object with all members, of any other with the required ones.
 * @param schemas the document's components
 */
export function exampleValue(schema: unknown, schemas: Json, name = 'value'): unknown {
  if (typeof schema !== 'object' || schema === null) return name;
  const { $ref, type, ...rest } = schema as Json;
  if (typeof $ref === 'string') return exampleValue(schemas[$ref.split('/').at(-1) ?? ''], schemas, name);
  const again = (part: unknown, of = name) => exampleValue(part, schemas, of);
  if ('const' in rest) return rest['const'];
  if (Array.isArray(rest['enum'])) return rest['enum'][0];
  if ((rest['default'] ?? null) !== null) return rest['default'];
  for (const word of ['anyOf', 'oneOf']) {
    const branches = rest[word];
    if (Array.isArray(branches))
      return again(branches.find((branch) => (branch as Json)['type'] !== 'null') ?? branches[0]);
  }
  const [kind] = Array.isArray(type) ? type : [type];
  if (kind === 'object') return exampleObject(rest, again);
  if (kind === 'array') return rest['maxItems'] === 0 ? [] : [again(rest['items'])];
  if (kind === 'boolean') return true;
  if (kind === 'integer' || kind === 'number') return exampleNumber(rest);
  if (kind === 'null') return null;
  return exampleText(rest, name);
}

function exampleObject(schema: Json, again: (part: unknown, name: string) => unknown): Json {
  const members = Object.entries((schema['properties'] ?? {}) as Json);
  const required = (schema['required'] ?? []) as readonly string[];
  const shown = members.filter(
    ([name]) => schema['additionalProperties'] === false || required.includes(name),
  );
  return Object.fromEntries(shown.map(([name, member]) => [name, again(member, name)]));
}

function exampleNumber({ minimum, maximum, exclusiveMinimum }: Json): number {
  const least = Math.max(Number(minimum ?? 1), Number(exclusiveMinimum ?? 0) + 1);
  return Math.min(Number(maximum ?? least), least);
}

function exampleText({ format, pattern, minLength }: Json, name: string): string {
  if (typeof format === 'string' && TEXTS[format] !== undefined) return TEXTS[format];
  if (typeof pattern === 'string') {
    const expression = new RegExp(pattern, 'u');
    const found = PATTERNED.find((text) => expression.test(text));
    if (found !== undefined) return found;
  }
  if (/_at$/.test(name)) return TIME;
  return name.replaceAll('_', ' ').padEnd(Number(minLength ?? 0), '.');
}
