/**
 * @typedef {Partial<Record<import('@millrace/flow').ExportPlace, Set<string>>>} Members
 * @typedef {Readonly<Record<string, unknown>>} Body
 */

/**
 * Adds the names of the members of a component, of its fields and of its outputs.
 * @param {Members} members
 * @param {unknown} component
 */
export function addMembers(members, component) {
  const body = objectOf(component);
  addNames(members, 'node', Object.keys(body));
  for (const [name, field] of Object.entries(objectOf(body.template)))
    if (!name.startsWith('_')) addNames(members, 'field', Object.keys(objectOf(field)));
  for (const output of Array.isArray(body.outputs) ? body.outputs : [])
    addNames(members, 'output', Object.keys(objectOf(output)));
}

/**
 * @param {Members} members
 * @param {import('@millrace/flow').ExportPlace} place
 * @param {Iterable<string>} names
 */
export function addNames(members, place, names) {
  members[place] = new Set([...(members[place] ?? []), ...names]);
}

/**
 * @param {unknown} value
 * @returns {Body}
 */
function objectOf(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? /** @type {Body} */ (value)
    : {};
}
