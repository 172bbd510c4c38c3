import { closedBody } from '../../http/validation/body-schema';

/** Body of `POST /api/v1/flows/{flow_id}/accepted-code`: ids of vertices, or all that can be accepted. */
export const acceptedCodeBodySchema = closedBody(
  'AcceptedCode',
  {
    vertices: {
      type: ['array', 'string'],
      minItems: 1,
      maxItems: 5000,
      items: { type: 'string' },
      pattern: '^all$',
    },
  },
  ['vertices'],
);
