import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/agui/{flow_id}`: the RunAgentInput of AG-UI 1.0. As the protocol requires, unknown members are ignored. */
export interface RunAgentBody {
  readonly threadId: string;
  readonly runId: string;
  readonly messages: readonly AgentMessage[];
  readonly tools?: unknown;
  readonly context?: unknown;
  readonly state?: unknown;
  readonly forwardedProps?: unknown;
  readonly resume?: readonly ResumeEntry[];
}

export interface AgentMessage {
  readonly role: string;
  /** A text, or a list of parts in a message of a user. */
  readonly content?: unknown;
}

/** The answer to an interrupt. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
}

const text = { type: 'string' } as const;
const id = { type: 'string', minLength: 1, maxLength: 255 } as const;

export const runAgentBodySchema: RequestSchema = {
  title: 'RunAgentInput',
  type: 'object',
  'x-model': true,
  required: ['threadId', 'runId', 'messages'],
  properties: {
    threadId: id,
    runId: id,
    messages: {
      type: 'array',
      items: { type: 'object', required: ['role'], properties: { id: text, role: text, content: {} } },
    },
    tools: {},
    context: {},
    state: {},
    forwardedProps: {},
    resume: {
      type: 'array',
      maxItems: 1_000,
      items: {
        type: 'object',
        required: ['interruptId', 'status'],
        properties: { interruptId: text, status: { enum: ['resolved', 'cancelled'] }, payload: {} },
      },
    },
  },
};
