/**
 * Accepts the stock component for every vertex with edited code that a run would reach. Resolves to { document, plan }, or
 * null when a refused vertex has a type that only its author has. `compile` compiles a document to a plan.
 */
export async function acceptCode({ client, name, document, plan, compile }) {
  if (plan.refusals.some(({ code }) => code !== 'edited_code')) return null;
  const { id } = await client.file(name, document);
  await client.accept(
    id,
    plan.refusals.map(({ vertexId }) => vertexId),
  );
  const { data } = await client.read(id);
  await client.remove(id);
  return { document: data, plan: compile(data) };
}
