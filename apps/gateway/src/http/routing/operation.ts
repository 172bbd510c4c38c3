import type { JsonSchema } from '@millrace/messages';
import type { ErrorCode } from '@millrace/http';

/** The documentation of a route, from which the OpenAPI document is generated. */
export interface Operation {
  /** Short description. */
  readonly summary: string;
  /** The parameters in the query, optional unless `required`. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** Supported request headers with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Schemas of the body by media type. */
  readonly body?: Content;
  /** True when the body is optional. */
  readonly bodyOptional?: boolean;
  /** Answers on success, by status. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Errors specific to the route. Those of keys, bodies and queries are added automatically. */
  readonly errors?: readonly ErrorCode[];
}

export interface QueryParameter {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, JsonSchema>>;

export interface AnswerDescription {
  readonly description: string;
  /** Absent when there is no body. */
  readonly content?: Content;
  /** The schema of each event of a `text/event-stream`, as `{event, data}` in either framing. */
  readonly events?: JsonSchema;
}

/** Describes a JSON body. */
export function jsonBody(schema: JsonSchema): Content {
  return { 'application/json': schema };
}

/** Describes a JSON answer. */
export function json(description: string, schema: JsonSchema): AnswerDescription {
  return { description, content: { 'application/json': schema } };
}

/** Describes an answer without a body. */
export function nothing(description: string): AnswerDescription {
  return { description };
}

/** Describes an answer that is JSON, or a stream of events when the caller asks for one. */
export function jsonOrEvents(description: string, schema: JsonSchema, events: JsonSchema): AnswerDescription {
  return {
    description,
    content: { 'application/json': schema, 'text/event-stream': { type: 'string' } },
    events,
  };
}

/** Describes a query parameter: text, a flag, a number or a UUID. A number above the maximum is reduced to it. */
export function queryParameter(
  type: 'string' | 'boolean' | 'integer' | 'uuid',
  description: string,
  bounds: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly pattern?: string;
    readonly default?: unknown;
  } = {},
): QueryParameter {
  return {
    description,
    schema: type === 'uuid' ? { type: 'string', format: 'uuid' } : { type, ...bounds },
  };
}
