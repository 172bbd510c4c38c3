/**
 * The flow as it is once its owner accepts the stock component wherever a run would reach code of an author's: { document,
 * plan }; null when some of it is of a type that only its author has. `compile` makes a plan of a document.
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
