import {
  anyObject,
  closedObject,
  flag,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';

/** The newest record of each vertex of a flow, by vertex. */
export const vertexBuildsSchema = namedObject('VertexBuilds', {
  vertex_builds: {
    type: 'object',
    additionalProperties: listOf(
      closedObject({
        timestamp: text,
        id: text,
        data: anyObject,
        artifacts: anyObject,
        params: orNull(text),
        valid: flag,
        flow_id: uuid,
        job_id: uuid,
        build_id: uuid,
      }),
    ),
  },
});

/** A page of vertex records. */
export const transactionPageSchema = namedObject('TransactionPage', {
  items: listOf(
    closedObject({
      id: uuid,
      timestamp: text,
      vertex_id: text,
      target_id: { type: 'null' },
      inputs: anyObject,
      outputs: anyObject,
      status: { enum: ['success', 'error'] },
    }),
  ),
  total: integer,
  page: integer,
  size: integer,
  pages: integer,
});
