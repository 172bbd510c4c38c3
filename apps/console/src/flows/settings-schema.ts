import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';

/** A JSON schema, as far as forms are made of it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

export type Members = Readonly<Record<string, Schema>>;

interface Operation {
  readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** What a field of a form is: `lines` are texts, one a line; undefined for a schema that has no field. */
export type FieldKind =
  'number' | 'choice' | 'choices' | 'switch' | 'text' | 'time' | 'lines' | 'group' | 'list';

export function fieldKind(schema: Schema): FieldKind | undefined {
  const is = (type: string) => [schema.type].flat().includes(type);
  if (schema.anyOf?.some(({ format }) => format === 'date-time')) return 'time';
  if (schema.enum !== undefined) return 'choice';
  if (is('object')) return schema.properties === undefined ? undefined : 'group';
  if (is('integer') || is('number')) return 'number';
  if (is('boolean')) return 'switch';
  if (is('array')) return kindOfList(schema.items ?? {});
  return is('string') ? 'text' : undefined;
}

function kindOfList(items: Schema): FieldKind | undefined {
  if (items.enum !== undefined) return 'choices';
  if (items.properties !== undefined) return 'list';
  return [items.type].flat().includes('string') ? 'lines' : undefined;
}

/** `maximumBackoffSeconds` is `Maximum backoff, in seconds`, and `requests_per_second` is `Requests per second`. */
export function titleOf(name: string): string {
  const text = name
    .replace(/^ttl/, 'timeToLive')
    .replace(/Seconds$|_seconds$/, ', in seconds')
    .replace(/Minutes$/, ', in minutes')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll('_', ' ')
    .replaceAll(/\b(url|amqp)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The members of the body of a route, by the schema that the API validates with. */
export const useBodySchema = (method: 'post' | 'put' | 'patch', path: string) =>
  useQuery({
    queryKey: ['openapi'],
    staleTime: Infinity,
    queryFn: ({ signal }) => call<OpenApi>('/openapi.json', { signal }),
    select: (document): Members => {
      const body = document.paths[path]?.[method]?.requestBody.content['application/json']?.schema;
      return resolved(document, body).properties ?? {};
    },
  });

/** The members of a flow's settings. */
export function useSettingsSchema() {
  const body = useBodySchema('put', '/api/v1/flows/{flow_id}');
  return { ...body, data: body.data?.['settings']?.properties };
}

/** Follows references such as `#/components/schemas/Flow`, also those of members and of what can be null. */
function resolved(document: unknown, schema: Schema = {}): Schema {
  if (schema.$ref !== undefined) {
    const found = schema.$ref
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], document);
    return resolved(document, found as Schema | undefined);
  }
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only !== undefined && others.length === 0) return resolved(document, only);
  if (schema.properties === undefined) return schema;
  const members = Object.entries(schema.properties).map(([name, each]) => [name, resolved(document, each)]);
  return { ...schema, properties: Object.fromEntries(members) as Members };
}
