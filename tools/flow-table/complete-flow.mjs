/** @import { FlowDocument } from './table.mjs' */

/** Fields that the editor shows after a database is selected; authors of templates leave them open. */
const chosenLater = { collection_name: 'table' };

/**
 * Returns a copy of a flow in which the open fields are set, as the editor saves it.
 * @param {FlowDocument} document
 * @returns {FlowDocument}
 */
export function completed(document) {
  const copy = structuredClone(document.data ?? document);
  for (const { data } of copy.nodes ?? []) {
    for (const [name, value] of Object.entries(chosenLater)) {
      const field = data?.node?.template?.[name];
      if (field?.required === true && field.show === false && !field.value)
        Object.assign(field, { show: true, value });
    }
  }
  return copy;
}
