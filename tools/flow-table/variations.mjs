/** @import { Tweaks } from './fill-in.mjs' */
/** @import { PlannedVertex } from './table.mjs' */

/**
 * @typedef {object} Variation
 * @property {string} [input]
 * @property {string} [inputType]
 * @property {object} [webhook]
 * @property {Tweaks} tweaks
 * @property {number} [variant]
 * @property {boolean} isVaried
 */

/** Words for which the fakes of search engines have results. */
const texts = ['mill', 'bread'];

/**
 * Returns two inputs of a flow whose results should differ: another chat message, another webhook, other texts of text
 * inputs, or for a flow without any, other files, or another text in the first field with a text. `isVaried` is false when
 * there is nothing to vary.
 * @param {readonly PlannedVertex[]} vertices
 * @param {PlannedVertex | null} start
 * @returns {Variation[]}
 */
export function variations(vertices, start) {
  if (start !== null && /webhook/i.test(start.id)) {
    return texts.map((text) => ({ webhook: { text, query: text }, tweaks: {}, isVaried: true }));
  }
  const hasChat = vertices.some(({ id, type }) => type === 'ChatInput' || id.startsWith('ChatInput'));
  if (hasChat || vertices.some(({ isInput }) => isInput)) {
    const inputType = hasChat ? 'chat' : 'any';
    return texts.map((input) => ({ input, inputType, tweaks: {}, isVaried: true }));
  }
  if (vertices.some(({ fields }) => [...fields.values()].some(({ type, show }) => type === 'file' && show))) {
    return texts.map((_, variant) => ({ inputType: 'chat', tweaks: {}, variant, isVaried: true }));
  }
  const place = vertices.map(textPlace).find((found) => found !== undefined);
  return texts.map((text) => ({
    inputType: 'chat',
    tweaks: place === undefined ? {} : { [place.id]: { [place.name]: `${place.value} ${text}` } },
    isVaried: place !== undefined,
  }));
}

const textFields = [
  'template',
  'input_value',
  'text',
  'query',
  'expression',
  'system_prompt',
  'system_message',
  'message',
  'urls',
];

/** @param {PlannedVertex} vertex */
function textPlace({ id, fields, incoming }) {
  for (const name of textFields) {
    const field = fields.get(name);
    const isOpen = field?.show === true && !incoming.some(({ targetField }) => targetField === name);
    if (isOpen && typeof field.value === 'string' && !field.loadFromDatabase)
      return { id, name, value: field.value };
  }
  return undefined;
}
