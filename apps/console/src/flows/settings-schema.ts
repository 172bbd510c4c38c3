import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';

/** A JSON schema, as far as forms are made of it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly put?: {
          readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
        };
      }
    >
  >;
}

/** What a field of a form is; undefined for a schema that has none. */
export type FieldKind = 'number' | 'choice' | 'choices' | 'switch' | 'text' | 'group';

export function fieldKind(schema: Schema): FieldKind | undefined {
  const is = (type: string) => [schema.type].flat().includes(type);
  if (schema.enum !== undefined) return 'choice';
  if (is('object') && schema.properties !== undefined)
    return Object.values(schema.properties).every((each) =>
      ['number', 'choice', 'choices'].includes(fieldKind(each) ?? ''),
    )
      ? 'group'
      : undefined;
  if (is('integer') || is('number')) return 'number';
  if (is('boolean')) return 'switch';
  if (is('array')) return schema.items?.enum === undefined ? undefined : 'choices';
  return is('string') ? 'text' : undefined;
}

/** `maximumBackoffSeconds` is `Maximum backoff, in seconds`. */
export function titleOf(name: string): string {
  const text = name
    .replace(/^ttl/, 'timeToLive')
    .replace(/Seconds$/, ', in seconds')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The members of a flow's settings, by the schema that the API validates with. */
export const useSettingsSchema = () =>
  useQuery({
    queryKey: ['settings-schema'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const document = await call<OpenApi>('/openapi.json', { signal });
      const body =
        document.paths['/api/v1/flows/{flow_id}']?.put?.requestBody.content['application/json']?.schema;
      const settings = resolved(document, body).properties?.['settings'];
      return resolved(document, settings).properties ?? {};
    },
  });

/** Follows a reference such as `#/components/schemas/Flow`. */
function resolved(document: unknown, schema: Schema | undefined): Schema {
  if (schema?.$ref === undefined) return schema ?? {};
  const found = schema.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | undefined)?.[name], document);
  return resolved(document, found as Schema | undefined);
}
