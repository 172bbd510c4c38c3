/** @import { Schema } from './openapi' */

/** How deep the members of a body are listed; deeper ones are in the document. */
const MAXIMUM_DEPTH = 3;

/**
 * Returns the type of a schema as Markdown, with a link to a named one.
 * @param {Schema} schema
 * @returns {string}
 */
export function typeText(schema) {
  const { $ref, anyOf, oneOf, allOf, items, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return `[${name}](/api/schemas.md#${name.toLowerCase()})`;
  }
  const alternatives = anyOf ?? oneOf ?? allOf;
  if (alternatives !== undefined)
    return [...new Set(alternatives.map(typeText))].join(allOf === undefined ? ' or ' : ' and ');
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ');
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (items !== undefined) return `list of ${typeText(items)}`;
  if (type === undefined) return 'any';
  const named = [type].flat().join(' or ');
  return schema.format === undefined ? named : `${named} (${schema.format})`;
}

/**
 * Returns a table of the members of an object, and of the objects in it; an empty text for another schema.
 * @param {Schema} schema
 */
export function memberTable(schema) {
  const rows = memberRows(schema, '', 1);
  if (rows.length === 0) return '';
  return ['| member | type | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/**
 * @param {Schema} schema
 * @param {string} prefix
 * @param {number} depth
 * @returns {string[]}
 */
function memberRows(schema, prefix, depth) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) === true;
    const row = `| ${code(path)}${isRequired ? ', required' : ''} | ${typeText(member)} | ${cell(member.description)} |`;
    if (depth === MAXIMUM_DEPTH) return [row];
    const inner =
      member.items === undefined
        ? memberRows(member, `${path}.`, depth + 1)
        : memberRows(member.items, `${path}[].`, depth + 1);
    return [row, ...inner];
  });
}

/** @param {string} text */
export function code(text) {
  return `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
}

/** @param {string | undefined} text */
export function cell(text = '') {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
}
