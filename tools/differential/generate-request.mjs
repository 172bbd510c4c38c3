import { objectOf } from './read-events.mjs';

/** @import { Random } from '../../chaos/random.mjs' */
/** @import { Case, Flow, Json, JsonObject, Step } from './case.ts' */
/** @import { Operation } from './read-operations.mjs' */

const WRONG_IDS = ['00000000-0000-0000-0000-000000000001', 'no-uuid', '%20'];
const texts = ['a name', 'x', 'ünïcode 日本', 'with "quotes"'];
const borderTexts = ['', ' ', 'x'.repeat(300), 'line\nbreak', '../a', '😀'];

/**
 * @param {string} route
 * @param {Partial<Step>} step
 * @returns {Step}
 */
function setup(route, step) {
  const [method, path] = route.split(' ');
  return { route, method, path, isSetup: true, ...step };
}

const run = setup('POST /api/v1/run/{{flow}}', { json: { input_value: 'hello', session_id: 's-1' } });
const stored = setup('GET /api/v1/monitor/messages', { capture: { message_id: '0.id' } });
const file = { field: 'file', name: 'notes.txt', text: 'some notes\n' };
const uploadedV1 = [
  setup('POST /api/v1/files/upload/{{flow}}', { files: [file] }),
  setup('GET /api/v1/files/list/{{flow}}', { capture: { file_name: 'files.0' } }),
];
const server = { url: 'http://127.0.0.1:9/mcp' };

/**
 * What has to be there before a request with a parameter of this name; its value is captured under that name.
 * @type {Readonly<Record<string, readonly Step[]>>}
 */
const resources = {
  flow_id: [],
  session_id: [run],
  message_id: [run, stored],
  file_name: uploadedV1,
  file_id: [setup('POST /api/v2/files/', { files: [file], capture: { file_id: 'id' } })],
  variable_id: [
    setup('POST /api/v1/variables/', {
      json: { name: 'first', value: 'v', type: 'Generic', default_fields: [] },
      capture: { variable_id: 'id' },
    }),
  ],
  api_key_id: [
    setup('POST /api/v1/api_key/', { json: { name: 'second' }, capture: { api_key_id: 'api_key.id' } }),
  ],
  project_id: [setup('GET /api/v1/flows/{{flow}}', { capture: { project_id: 'folder_id' } })],
  trigger_id: [
    setup('POST /api/v1/triggers', {
      json: { flow_id: '{{flow}}', name: 'nightly', kind: 'schedule', config: { cron: '0 3 * * *' } },
      capture: { trigger_id: 'id' },
    }),
  ],
  job_id: [
    setup('POST /api/v2/workflows', {
      json: { flow_id: '{{flow}}', input_value: 'hello', mode: 'background' },
      capture: { job_id: 'job_id' },
    }),
  ],
  server_name: [setup('POST /api/v2/mcp/servers/first', { json: server })],
};
/** @type {Readonly<Record<string, string>>} */
const fixed = { flow_id: '{{flow}}', session_id: 's-1', server_name: 'first', provider: 'webhook' };
/** @type {Readonly<Record<string, string>>} */
const sameAs = {
  flow_id_or_name: 'flow_id',
  old_session_id: 'session_id',
  folder_id: 'project_id',
  id: 'flow_id',
};

/**
 * Returns a request to a route, valid, at the border of what is valid, or invalid, with what it needs before, and the reading
 * of the list that it changes.
 * @param {Random} random
 * @param {Operation} operation
 * @param {readonly Operation[]} all
 * @param {Flow} flow the smallest
 * @returns {Omit<Case, 'id'>}
 */
export function generateRequest(random, operation, all, flow) {
  const form = random.pick(['valid', 'valid', 'border', 'invalid']);
  const names = operation.parameters.map(({ name }) => sameAs[name] ?? name);
  const isChange = operation.method !== 'GET';
  const needed = [...new Set(names.flatMap((name) => resources[name] ?? []))];
  if (needed.length === 0 && !isChange) needed.push(...(resources[resourceOfList(operation.path)] ?? []));
  const valid = validStep(random, operation, form === 'border');
  const step = form === 'invalid' ? invalidStep(random, valid, operation) : valid;
  const list = operation.path.split('/{')[0];
  const reading = all.find(
    ({ method, path }) => method === 'GET' && path.replace(/\/$/, '') === list.replace(/\/$/, ''),
  );
  const after = isChange && reading !== undefined ? [validStep(random, reading, false)] : [];
  return { form, flow, steps: [...needed, step, ...after] };
}

/** @param {string} path */
function resourceOfList(path) {
  const [, name = ''] = /(variables|api_key|files|triggers|messages|sessions|servers)\/?$/.exec(path) ?? [];
  const owners = {
    variables: 'variable_id',
    api_key: 'api_key_id',
    files: 'file_id',
    triggers: 'trigger_id',
    messages: 'session_id',
    sessions: 'session_id',
    servers: 'server_name',
  };
  return owners[/** @type {keyof typeof owners} */ (name)] ?? '';
}

/**
 * @param {Random} random
 * @param {Operation} operation
 * @param {boolean} isBorder
 * @returns {Step}
 */
function validStep(random, { method, path, parameters, body, type }, isBorder) {
  const route = `${method} ${path}`;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => fixedValue(name) ?? 'a');
  /** @type {Record<string, string>} */
  const query = {};
  for (const { name, in: place, required, schema } of parameters)
    if (place === 'query' && name !== 'x-api-key' && (required || random.chance(0.3)))
      query[name] = fixedValue(name) ?? String(valueOf(random, schema, isBorder) ?? '');
  const step = { route, method, path: filled, ...(Object.keys(query).length === 0 ? {} : { query }) };
  if (type === 'multipart/form-data')
    return { ...step, files: [{ ...file, text: isBorder ? '' : file.text }] };
  return body === null ? step : { ...step, json: valueOf(random, body, isBorder) };
}

/** @param {string} name */
function fixedValue(name) {
  const resource = sameAs[name] ?? name;
  return fixed[resource] ?? (resource in resources ? `{{${resource}}}` : undefined);
}

/**
 * @param {Random} random
 * @param {Step} step
 * @param {Operation} operation
 * @returns {Step}
 */
function invalidStep(random, step, { path, parameters }) {
  /** @type {(() => Step)[]} */
  const ways = [() => ({ ...step, headers: { 'x-api-key': random.pick(['', 'sk-wrong']) } })];
  if (path.includes('{'))
    ways.push(() => ({ ...step, path: path.replaceAll(/\{\w+\}/g, () => random.pick(WRONG_IDS)) }));
  const { json } = step;
  if (json !== undefined) {
    ways.push(() => ({
      ...step,
      json: undefined,
      text: random.pick(['{"a": ', '', 'null', '[]', '"text"']),
    }));
    const object = objectOf(json);
    const names = Object.keys(object);
    if (names.length > 0) {
      const wrong = { [random.pick(names)]: random.pick([12, null, [], {}, 'wrong', true]) };
      ways.push(() => ({ ...step, json: { ...object, ...wrong } }));
      ways.push(() => ({ ...step, json: { ...object, [random.pick(names)]: undefined } }));
    }
  }
  const numbers = parameters.filter(
    ({ in: place, schema }) => place === 'query' && /integer|boolean|uuid/.test(JSON.stringify(schema)),
  );
  if (numbers.length > 0)
    ways.push(() => ({
      ...step,
      query: { ...step.query, [random.pick(numbers).name]: random.pick(['x', '-1', '1.5', '']) },
    }));
  return random.pick(ways)();
}

/**
 * Returns a value of a schema.
 * @param {Random} random
 * @param {JsonObject} schema
 * @param {boolean} isBorder
 * @param {string} [name]
 * @returns {Json}
 */
export function valueOf(random, schema, isBorder, name = '') {
  const known = fixedValue(name);
  if (known !== undefined && schema.type !== 'object' && name !== 'id') return known;
  const choices = /** @type {readonly JsonObject[] | undefined} */ (schema.anyOf ?? schema.oneOf);
  if (choices !== undefined) return valueOf(random, random.pick(choices), isBorder, name);
  const all = /** @type {readonly JsonObject[] | undefined} */ (schema.allOf);
  if (all !== undefined) return valueOf(random, Object.assign({}, ...all), isBorder, name);
  if (Array.isArray(schema.enum)) return random.pick(schema.enum);
  if (schema.const !== undefined) return schema.const;
  const { minimum = 0, maximum = 50 } = /** @type {{ minimum?: number, maximum?: number }} */ (schema);
  switch (schema.type) {
    case 'null':
      return null;
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
    case 'number':
      return isBorder
        ? random.pick([minimum, maximum])
        : random.integer(minimum, Math.min(maximum, minimum + 20));
    case 'array':
      return isBorder ? [] : [valueOf(random, objectOf(schema.items), isBorder)];
    case 'object':
      return objectFor(random, schema, isBorder);
    default:
      if (schema.format === 'uuid') return WRONG_IDS[0];
      if (schema.format === 'date-time') return '2026-01-02T03:04:05Z';
      return random.pick(isBorder ? borderTexts : texts);
  }
}

/**
 * @param {Random} random
 * @param {JsonObject} schema
 * @param {boolean} isBorder
 */
function objectFor(random, schema, isBorder) {
  const required = /** @type {readonly string[]} */ (schema.required ?? []);
  /** @type {Record<string, Json>} */
  const object = {};
  for (const [name, member] of Object.entries(objectOf(schema.properties)))
    if (required.includes(name) || random.chance(0.25))
      object[name] = valueOf(random, objectOf(member), isBorder, name);
  return object;
}
