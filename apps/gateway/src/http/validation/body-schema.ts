import type { Tweaks } from '@millrace/flow';
import type { RequestSchema } from './request-schema';

type Members = Readonly<Record<string, RequestSchema>>;

/** The schema of an object, which also gives its type: `ValueOf`. */
export interface ObjectSchema<Properties, Required> extends RequestSchema {
  readonly type: 'object';
  readonly properties: Properties;
  readonly required: readonly Required[];
}

/** Returns the schema of a body that refuses unknown members. */
export function closedBody<const Properties extends Members, const Required extends string = never>(
  title: string,
  properties: Properties,
  required: readonly Required[] = [],
): ObjectSchema<Properties, Required> {
  return { ...openBody(title, properties, required), additionalProperties: false };
}

/** Returns the schema of a body that ignores unknown members. */
export function openBody<const Properties extends Members, const Required extends string = never>(
  title: string,
  properties: Properties,
  required: readonly Required[] = [],
): ObjectSchema<Properties, Required> {
  const schema = { title, type: 'object', 'x-model': true, properties } as const;
  return { ...schema, ...(required.length > 0 ? { required } : {}) } as ObjectSchema<Properties, Required>;
}

/** The type of the values that a schema accepts. */
export type ValueOf<Schema> = Schema extends { readonly enum: readonly (infer Word)[] }
  ? Word
  : Schema extends { readonly 'x-tweak': true }
    ? Tweaks[string]
    : Schema extends { readonly 'x-flag': 'optional' }
      ? boolean | string | number | null
      : Schema extends { readonly 'x-flag': true }
        ? boolean | string | number
        : Schema extends { readonly 'x-integer': true } | { readonly 'x-date-time': true }
          ? string | number | null
          : Schema extends { readonly type: readonly (infer Name)[] }
            ? OfType<Name, Schema>
            : Schema extends { readonly type: infer Name }
              ? OfType<Name, Schema>
              : unknown;

type OfType<Name, Schema> = Name extends 'array'
  ? readonly (Schema extends { readonly items: infer Item } ? ValueOf<Item> : unknown)[]
  : Name extends 'object'
    ? OfObject<Schema>
    : Name extends keyof Plain
      ? Plain[Name]
      : unknown;

interface Plain {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

type OfObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? OfMembers<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
  : Readonly<
      Record<
        string,
        Schema extends { readonly additionalProperties: infer Item extends RequestSchema }
          ? ValueOf<Item>
          : unknown
      >
    >;

type OfMembers<Properties, Required> = {
  readonly [Name in keyof Properties & Required]: ValueOf<Properties[Name]>;
} & { readonly [Name in Exclude<keyof Properties, Required>]?: ValueOf<Properties[Name]> };
