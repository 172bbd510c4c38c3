import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

/** @typedef {Record<string, unknown>} Values */

/**
 * Returns the values of the chart with those of files over them, as Helm merges them: maps are merged, other values are
 * replaced, and null removes a value. Throws when the schema of the chart refuses them.
 * @param {string} chart folder of the chart
 * @param {readonly string[]} texts texts of values files
 * @returns {Values}
 */
export function chartValues(chart, texts) {
  const merged = texts
    .map(parseValues)
    .reduce(merge, parseValues(readFileSync(join(chart, 'values.yaml'), 'utf8')));
  const ajv = new Ajv({ allErrors: true, strict: false });
  const validate = ajv.compile(JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')));
  if (validate(merged)) return merged;
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath.slice(1).replaceAll('/', '.') || 'values'} ${message}${'additionalProperty' in params ? `: ${params['additionalProperty']}` : ''}`,
  );
  throw new Error(`The values do not fit the chart:\n  ${faults.join('\n  ')}`);
}

/**
 * @param {string} text
 * @returns {Values}
 */
function parseValues(text) {
  const value = parse(text) ?? {};
  if (!isMap(value)) throw new Error('A file of values must contain a map.');
  return value;
}

/**
 * @param {Values} base
 * @param {Values} over
 * @returns {Values}
 */
function merge(base, over) {
  const names = [...new Set([...Object.keys(base), ...Object.keys(over)])].filter(
    (name) => over[name] !== null,
  );
  return Object.fromEntries(
    names.map((name) => {
      const [former, value] = [base[name], over[name]];
      if (value === undefined) return [name, former];
      return [name, isMap(former) && isMap(value) ? merge(former, value) : value];
    }),
  );
}

/**
 * @param {unknown} value
 * @returns {value is Values}
 */
function isMap(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
