/** @import { Client } from './client.mjs' */
/** @import { FlowDocument, Plan } from './table.mjs' */

/**
 * Accepts the stock component for every vertex with edited code that a run would reach. Resolves to { document, plan }, or
 * null when a refused vertex has a type that only its author has. `compile` compiles a document to a plan.
 * @param {object} options
 * @param {Client} options.client
 * @param {string} options.name
 * @param {FlowDocument} options.document
 * @param {Plan} options.plan
 * @param {(document: FlowDocument) => Plan} options.compile
 */
export async function acceptCode({ client, name, document, plan, compile }) {
  const vertices = plan.refusals.flatMap(({ code, vertexId }) =>
    code === 'edited_code' && vertexId !== null ? [vertexId] : [],
  );
  if (vertices.length < plan.refusals.length) return null;
  const { id } = await client.file(name, document);
  await client.accept(id, vertices);
  const { data } = await client.read(id);
  await client.remove(id);
  return { document: data, plan: compile(data) };
}
