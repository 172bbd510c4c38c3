/** Fields that the editor shows once a database was chosen, which the author of a template leaves to others. */
const chosenLater = { collection_name: 'table' };

/** A copy of a flow in which what its author left to be chosen was chosen, as the editor saves it. */
export function completed(document) {
  const copy = structuredClone(document.data ?? document);
  for (const { data } of copy.nodes) {
    for (const [name, value] of Object.entries(chosenLater)) {
      const field = data?.node?.template?.[name];
      if (field?.required === true && field.show === false && !field.value)
        Object.assign(field, { show: true, value });
    }
  }
  return copy;
}
