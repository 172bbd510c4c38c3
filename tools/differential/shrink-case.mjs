/** @import { Case, Flow, Json, Step } from './case.ts' */

/**
 * Returns the smallest case that still shows something: drops a vertex, a step, a member or an edge at a time as long as
 * `shows` holds, at most `plays` times.
 * @param {Case} first
 * @param {(tried: Case) => Promise<boolean>} shows
 * @param {number} plays
 */
export async function shrinkCase(first, shows, plays) {
  let smallest = first;
  let left = plays;
  for (let found = true; found;) {
    found = false;
    for (const smaller of smallerCases(smallest)) {
      if (left === 0) return smallest;
      left -= 1;
      if (!(await shows(smaller))) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
}

/**
 * The cases that lack one thing of this one, those that lack most first.
 * @param {Case} tried
 * @returns {Generator<Case>}
 */
export function* smallerCases(tried) {
  const { flow, steps } = tried;
  for (const index of steps.keys())
    if (steps.length > 1) yield { ...tried, steps: steps.filter((_, other) => other !== index) };
  if (flow !== undefined) for (const smaller of smallerFlows(flow)) yield { ...tried, flow: smaller };
  for (const [index, step] of steps.entries())
    for (const smaller of smallerSteps(step))
      yield { ...tried, steps: steps.map((other, position) => (position === index ? smaller : other)) };
}

/**
 * @param {Flow} flow
 * @returns {Generator<Flow>}
 */
function* smallerFlows({ nodes, edges }) {
  for (const { id, data } of nodes) {
    if (data.type === 'ChatOutput') continue;
    const [into, outOf] = [
      edges.filter((edge) => edge.target === id),
      edges.filter((edge) => edge.source === id),
    ];
    const rest = edges.filter((edge) => edge.source !== id && edge.target !== id);
    const others = nodes.filter((node) => node.id !== id);
    // What came in goes on to where the vertex led.
    for (const from of into)
      for (const to of outOf)
        yield {
          nodes: others,
          edges: [
            ...rest,
            {
              ...to,
              source: from.source,
              sourceHandle: from.sourceHandle,
              data: { ...to.data, sourceHandle: from.data.sourceHandle },
            },
          ],
        };
    yield { nodes: others, edges: rest };
  }
  for (const edge of edges) yield { nodes, edges: edges.filter((other) => other !== edge) };
}

/**
 * @param {Step} step
 * @returns {Generator<Step>}
 */
function* smallerSteps(step) {
  if (step.query !== undefined)
    for (const name of Object.keys(step.query)) yield { ...step, query: without(step.query, name) };
  if (step.json !== undefined) for (const json of smallerValues(step.json)) yield { ...step, json };
}

/**
 * @param {Json} value
 * @returns {Generator<Json>}
 */
function* smallerValues(value) {
  if (typeof value === 'string' && value.length > 8 && !value.includes('{{')) yield value.slice(0, 4);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.filter((_, other) => other !== index);
    return;
  }
  const object = /** @type {Readonly<Record<string, Json>>} */ (value);
  for (const name of Object.keys(object)) yield without(object, name);
  for (const [name, member] of Object.entries(object))
    for (const smaller of smallerValues(member)) yield { ...object, [name]: smaller };
}

/**
 * @template {Readonly<Record<string, unknown>>} T
 * @param {T} object
 * @param {string} name
 * @returns {T}
 */
function without(object, name) {
  return /** @type {T} */ (Object.fromEntries(Object.entries(object).filter(([other]) => other !== name)));
}
