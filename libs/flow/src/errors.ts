/**
 * An expected error. `code` never changes and is listed in docs/use/errors.md; `permanent` means that a retry cannot
 * succeed.
 */
export class MillraceError extends Error {
  readonly code: string;
  readonly permanent: boolean;

  constructor(
    code: string,
    message: string,
    options: { readonly permanent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.permanent = options.permanent ?? true;
  }
}

/** The document is not a flow. The upload returns 422 with the message. */
export class InvalidFlowError extends MillraceError {
  constructor(message: string) {
    super('invalid_flow', message);
  }
}

/** A component rejected its input or failed; the message is that of Langflow's component. */
export class ComponentError extends MillraceError implements ShownException {
  readonly kind: string;
  readonly said?: string;
  readonly exceptionCode?: string | null;
  /** The error that the stored message of the failure shows: this one, or the one that it repeats in other words. */
  readonly shown: ComponentError;
  /** The error that a model gets which called the component as a tool. */
  readonly ofTool: ComponentError;

  constructor(message: string, cause?: unknown, options: ComponentErrorOptions = {}) {
    super('component_failed', message, { cause, ...options });
    this.kind = options.kind ?? 'ValueError';
    if (options.said !== undefined) this.said = options.said;
    if (options.exceptionCode !== undefined) this.exceptionCode = options.exceptionCode;
    this.shown = options.shown ?? this;
    this.ofTool = options.ofTool ?? this;
  }
}

/** What the stored message of a failure shows of Langflow's exception, beside its text. */
export interface ShownException {
  /** Its class. */
  readonly kind: string;
  /** The message of the error in the body of a service's answer, which stands in place of the text. */
  readonly said?: string;
  /** Its code; absent for classes that have none. */
  readonly exceptionCode?: string | null;
}

interface ComponentErrorOptions extends Partial<ShownException> {
  readonly permanent?: boolean;
  readonly shown?: ComponentError;
  readonly ofTool?: ComponentError;
}

/**
 * Returns the error of an output where Python raises a TypeError: Langflow's text names the method of the output, except to a
 * model that called it as a tool.
 */
export function typeErrorOf(method: string, message: string, cause?: unknown): ComponentError {
  const kind = 'TypeError';
  const ofTool = new ComponentError(message, cause, { kind });
  return new ComponentError(`Error running method "${method}": ${message}`, cause, { kind, ofTool });
}

/** Why a run ended without a result. */
export type RunErrorCode =
  | 'component_failed'
  | 'flow_refused'
  | 'tweak_invalid'
  | 'output_type_missing'
  | 'deadline_exceeded'
  | 'cancelled'
  | 'too_many_vertices'
  | 'output_too_large'
  | 'deadlocked'
  | 'human_input_unsupported'
  | 'budget_exceeded'
  | 'attempts_exhausted'
  | 'internal';

/** The error of a failed run; `message` is the complete text for the caller, `vertex` the vertex that failed. */
export class RunError extends MillraceError {
  readonly vertex: { readonly id: string; readonly displayName: string; readonly type: string } | null;
  /** For `flow_refused`: each vertex that cannot run, with the reason. */
  readonly problems: readonly {
    readonly vertexId: string | null;
    readonly componentType: string | null;
    readonly message: string;
  }[];

  constructor(
    code: RunErrorCode,
    message: string,
    options: {
      readonly vertex?: RunError['vertex'];
      readonly problems?: RunError['problems'];
      readonly cause?: unknown;
      readonly permanent?: boolean;
    } = {},
  ) {
    super(code, message, options);
    this.vertex = options.vertex ?? null;
    this.problems = options.problems ?? [];
  }
}
