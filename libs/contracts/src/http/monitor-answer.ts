import { closedObject, listOf, integer } from './answer-schema';

/** Results of vertices: always empty here. */
export const vertexBuildsSchema = closedObject({
  vertex_builds: { type: 'object', additionalProperties: false },
});

/** Values between vertices: always empty here. */
export const transactionPageSchema = closedObject({
  items: { ...listOf({}), maxItems: 0 },
  total: integer,
  page: integer,
  size: integer,
  pages: integer,
});
