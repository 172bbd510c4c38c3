/** @import { Random } from '../../chaos/random.mjs' */
/** @import { Field, Json } from './case.ts' */

const texts = [
  'hello',
  'The weather in Oslo is 12 degrees.',
  'one, two; three\nfour',
  'ünïcode 日本 😀',
  '',
  ' padded ',
  '{"a": 1, "b": [2, 3]}',
  'quote " and \\n backslash',
  '42',
];
/** Fields whose values a generated text would only break. */
export const FIXED =
  /code|key|url|path|file|host|endpoint|token|password|model|provider|session_id|context_id|api_|query|schema|template|operation|pattern/i;

/** @param {Random} random */
export const exampleText = (random) => random.pick(texts);

/**
 * Returns the fields of a template with the given values, and sometimes another value of one more.
 * @param {Random} random
 * @param {Readonly<Record<string, Field | string>>} template
 * @param {Readonly<Record<string, Json | undefined>>} values
 */
export function changeFields(random, template, values) {
  const changed = { ...template };
  for (const [name, value] of Object.entries(values)) {
    const field = template[name] ?? {
      name,
      display_name: name,
      type: typeof value === 'object' && !Array.isArray(value) ? 'dict' : 'str',
      input_types: ['Message'],
      required: false,
    };
    if (typeof field === 'object') changed[name] = { ...field, show: true, value, ...saved(field, value) };
  }
  for (const [name, field] of Object.entries(template)) {
    if (typeof field === 'string' || name in values || name === 'code') continue;
    const isMissing =
      field.required === true && (field.value === '' || field.value === undefined || field.value === null);
    if (!isMissing && (field.show === false || FIXED.test(name) || !random.chance(0.06))) continue;
    const value = plausibleValue(random, field);
    if (value !== undefined) changed[name] = { ...field, value };
  }
  return changed;
}

/**
 * What the editor saves beside a value.
 * @param {Field} field
 * @param {Json | undefined} value
 */
function saved({ _input_type: kind }, value) {
  if (kind === 'SecretStrInput') return { load_from_db: false };
  return kind === 'FileInput' ? { file_path: value } : {};
}

/**
 * Returns a value that the editor could save in a field; undefined for kinds without one.
 * @param {Random} random
 * @param {Field} field
 * @returns {Json | undefined}
 */
export function plausibleValue(random, field) {
  const names = (field.options ?? []).map((option) => (typeof option === 'string' ? option : option.name));
  if (names.length > 0) {
    if (field.type === 'sortableList') return [{ name: random.pick(names) }];
    return field._input_type === 'MultiselectInput' ? [random.pick(names)] : random.pick(names);
  }
  const { min = 0, max = 20 } = field.range_spec ?? {};
  switch (field.type) {
    case 'bool':
      return random.chance(0.5);
    case 'int':
      return random.integer(Math.ceil(min), Math.min(max, min + 20));
    case 'float':
    case 'slider':
      return Math.round((min + random.next() * (Math.min(max, min + 20) - min)) * 100) / 100;
    case 'dict':
      return random.pick([{}, { key: 'value' }]);
    case 'str':
      return field.list === true ? [exampleText(random)] : exampleText(random);
    default:
      return undefined;
  }
}

/**
 * Returns values of the wrong kind for a field, and values at the border of what it takes.
 * @param {Random} random
 * @returns {Json}
 */
export function wrongValue(random) {
  return random.pick([12, -1, 1.5, true, '', 'text', [], ['a'], {}, { value: 'nested' }, 'x'.repeat(3000)]);
}
