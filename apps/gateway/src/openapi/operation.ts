import type { AnswerSchema } from '@millrace/contracts';
import type { ErrorCode } from '../http/error-codes';

/** What a route promises its callers; it stands beside the route, and the OpenAPI document is made of it. */
export interface Operation {
  /** What it does, in a few words. */
  readonly summary: string;
  /** The parameters in the query. All may be absent but those that are `required`. */
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** Request headers it goes by, each with what it does. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the body may be, by media type. */
  readonly body?: Content;
  /** True when the body may be left out. */
  readonly bodyOptional?: boolean;
  /** What it answers when it has done its work, by status. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** The refusals of its own; those that come with a key, a body or a query need not be listed. */
  readonly errors?: readonly ErrorCode[];
}

export interface QueryParameter {
  readonly description: string;
  readonly schema: AnswerSchema;
  readonly required?: boolean;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, AnswerSchema>>;

export interface AnswerDescription {
  readonly description: string;
  /** Absent when there is no body. */
  readonly content?: Content;
  /** The schema of each event of a `text/event-stream`, as `{event, data}` in either framing. */
  readonly events?: AnswerSchema;
}

/** A body of JSON. */
export function jsonBody(schema: AnswerSchema): Content {
  return { 'application/json': schema };
}

/** An answer of JSON. */
export function json(description: string, schema: AnswerSchema): AnswerDescription {
  return { description, content: { 'application/json': schema } };
}

/** An answer without a body. */
export function nothing(description: string): AnswerDescription {
  return { description };
}

/** An answer of JSON, or of a stream of events when the caller asks for one. */
export function jsonOrEvents(
  description: string,
  schema: AnswerSchema,
  events: AnswerSchema,
): AnswerDescription {
  return {
    description,
    content: { 'application/json': schema, 'text/event-stream': { type: 'string' } },
    events,
  };
}

/** A parameter of the query that is text, a flag, a number or a UUID; a larger number than may be counts as the largest. */
export function queryParameter(
  type: 'string' | 'boolean' | 'integer' | 'uuid',
  description: string,
  bounds: { readonly minimum?: number; readonly pattern?: string } = {},
): QueryParameter {
  return {
    description,
    schema: type === 'uuid' ? { type: 'string', format: 'uuid' } : { type, ...bounds },
  };
}
