import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const text = { type: 'string' } as const;
const id = { type: 'string', minLength: 1, maxLength: 255 } as const;

export const runAgentBodySchema = openBody(
  'RunAgentInput',
  {
    threadId: id,
    runId: id,
    messages: {
      type: 'array',
      items: {
        type: 'object',
        required: ['role'],
        properties: {
          id: text,
          role: text,
          /** A text, or a list of parts in a message of a user. */ content: {},
        },
      },
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
  ['threadId', 'runId', 'messages'],
);

/** Body of `POST /api/v1/agui/{flow_id}`: the RunAgentInput of AG-UI 1.0. As the protocol requires, unknown members are ignored. */
export type RunAgentBody = ValueOf<typeof runAgentBodySchema>;

export type AgentMessage = RunAgentBody['messages'][number];

/** The answer to an interrupt. */
export type ResumeEntry = NonNullable<RunAgentBody['resume']>[number];
