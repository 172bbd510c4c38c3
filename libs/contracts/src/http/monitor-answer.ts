import { closed, listOf, whole } from './answer-schema';

/** What vertices gave: never anything here. */
export const vertexBuildsSchema = closed({ vertex_builds: { type: 'object', additionalProperties: false } });

/** What went from vertex to vertex: never anything here. */
export const transactionPageSchema = closed({
  items: { ...listOf({}), maxItems: 0 },
  total: whole,
  page: whole,
  size: whole,
  pages: whole,
});
