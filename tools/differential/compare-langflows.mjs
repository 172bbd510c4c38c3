import { objectOf } from './read-events.mjs';

/** @import { Json } from './case.ts' */
/** @import { Component, Description } from './read-langflow.mjs' */

/** @typedef {{ readonly path: string, readonly before: Json | undefined, readonly after: Json | undefined }} Change */

/**
 * Returns what changed for this server between two versions of Langflow: `routes` and `components` that came and went, the
 * schemas of clients' routes, and fields, outputs, marks and texts of components.
 * @param {Description} before
 * @param {Description} after
 */
export function compareLangflows(before, after) {
  const both = Object.keys(before.components).filter((type) => type in after.components);
  const of = (/** @type {'fields' | 'outputs' | 'marks'} */ part) =>
    entriesWithChanges(both, (type) =>
      changesIn(before.components[type][part], after.components[type][part], ''),
    ).map(([type, changes]) => ({ type, isNative: after.components[type].isNative, changes }));
  const routes = Object.keys(before.routes).filter((name) => name in after.routes);
  return {
    before: before.version,
    after: after.version,
    routes: {
      ...cameAndWent(before.routes, after.routes),
      clients: Object.keys(after.routes).filter(
        (name) => !(name in before.routes) && after.routes[name].isOfClients,
      ),
    },
    schemas: entriesWithChanges(
      routes.filter((name) => after.routes[name].isOfClients),
      (name) => changesIn(before.routes[name].schema, after.routes[name].schema, ''),
    ).map(([route, changes]) => ({ route, changes })),
    components: cameAndWent(before.components, after.components),
    fields: of('fields'),
    outputs: of('outputs'),
    marks: of('marks'),
    texts: both
      .filter((type) => before.components[type].text !== after.components[type].text)
      .map((type) => textOf(type, before.components[type], after.components[type])),
    unlisted: Object.entries(after.components)
      .filter(([, { isListed }]) => !isListed)
      .map(([type, { text, isNative }]) => ({ type, text, isNative })),
  };
}

/** @typedef {ReturnType<typeof compareLangflows>} LangflowChanges */

/**
 * @param {string} type
 * @param {Component} before
 * @param {Component} after
 */
const textOf = (type, before, after) => ({
  type,
  before: before.text,
  after: after.text,
  isListed: after.isListed,
  isNative: after.isNative,
});

/**
 * @param {object} before
 * @param {object} after
 */
const cameAndWent = (before, after) => ({
  added: Object.keys(after).filter((name) => !(name in before)),
  removed: Object.keys(before).filter((name) => !(name in after)),
});

/**
 * @param {readonly string[]} names
 * @param {(name: string) => readonly Change[]} compare
 */
function entriesWithChanges(names, compare) {
  return names
    .map((name) => /** @type {const} */ ([name, compare(name)]))
    .filter(([, changes]) => changes.length > 0);
}

/**
 * Returns the members that differ, by their paths. Lists differ as a whole.
 * @param {Json | undefined} before
 * @param {Json | undefined} after
 * @param {string} path
 * @returns {readonly Change[]}
 */
export function changesIn(before, after, path) {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, before, after }];
  const [one, other] = [objectOf(before), objectOf(after)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    changesIn(one[name], other[name], path === '' ? name : `${path}.${name}`),
  );
}

/** @param {Json | undefined} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
