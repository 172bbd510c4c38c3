import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `POST /api/v1/flows/{flow_id}/accepted-code`: ids of vertices, or all that can be accepted. */
export const acceptedCodeBodySchema: RequestSchema = {
  title: 'AcceptedCode',
  type: 'object',
  'x-model': true,
  additionalProperties: false,
  required: ['vertices'],
  properties: {
    vertices: {
      type: ['array', 'string'],
      minItems: 1,
      maxItems: 5000,
      items: { type: 'string' },
      pattern: '^all$',
    },
  },
};
