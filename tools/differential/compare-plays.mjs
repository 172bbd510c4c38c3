import { jsonOf } from './model-recorder.mjs';
import { stepsOf } from './play-case.mjs';
import { objectOf } from './read-events.mjs';

/** @import { Answer, Case, Difference, Json, Play } from './case.ts' */

/** Members whose numbers are new in each run. */
const MEASURED =
  /^(?:duration|build_duration|timedelta|elapsed\w*|created|created_at|total_uses|latency_ms|execution_time_ms|inference_time|graph_run_id)$/;
const UUID = '[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}';
/** Ids, also those with a prefix, are compared by which of them are equal. */
const ID = new RegExp(`(?:resp|msg|call|chatcmpl|run|lc_run|sk)[-_][A-Za-z0-9_-]{8,}|${UUID}`, 'gi');
/** Times, durations, addresses and places on the disk: their form is compared. */
const VARYING =
  /\w{3}(?:, |%2C\+)\d\d[ +]\w{3}[ +]\d{4}[ +]\d\d(?::|%3A)\d\d(?::|%3A)\d\d|\d{8}_\d{6}|\d{4}-\d\d-\d\d[T _]\d\d[:_-]\d\d[:_-]\d\d(?:\.\d+)?|\b\d+(?:\.\d+)?(?= ?(?:ms|seconds?|s)\b)|127\.0\.0\.\d:\d+|0x[0-9a-f]{6,}|\/(?:tmp|work|root|home)\/[\w./-]*/g;

/** The characters that a list shows of a key. */
const SHOWN_KEY = /\bsk-[\w-]{1,20}(?=\*)/g;
/** Members with a random token, of which the length is compared. */
const TOKENS = /\.(?:public_id|ingress_url)$/;
/** Lists that come from sets. */
const UNORDERED = /\.(?:to_run|ids|inactivated_vertices|next_vertices_ids|top_level_vertices)$/;
/** Lists of the vertex that ends last. */
const FOLLOWERS = /\.(?:next_vertices_ids|top_level_vertices)$/;

/**
 * Compares what both servers answered. Ids are compared by position: an id of one stands for the same id of the other
 * throughout.
 * @param {Case} tried
 * @param {Play} left of Langflow
 * @param {Play} right of Millrace
 * @returns {readonly Difference[]}
 */
export function comparePlays(tried, left, right) {
  const comparison = new Comparison(isParallel(tried));
  for (const [index, { route, isSetup }] of stepsOf(tried).entries()) {
    const [one, other] = [left.answers[index], right.answers[index]];
    comparison.route = route;
    if (one.status !== other.status) {
      // What follows differs because of it.
      comparison.add('status', 'status', shownStatus(one), shownStatus(other));
      return comparison.found;
    }
    if (isSetup === true) continue;
    comparison.compare('headers', one.headers, other.headers);
    comparison.compare('body', one.body, other.body);
  }
  const found = comparison.withoutRepeats();
  comparison.found = [];
  comparison.route = 'model server';
  const [asked, other] = [left, right].map((play) => askedInOrder(tried, play));
  comparison.compare('asked', asked, other);
  // What the model is asked decides what follows.
  return [...comparison.withoutRepeats(), ...found];
}

/**
 * Returns what the model server was asked: Batch Run asks for all its rows at once.
 * @param {Case} tried
 * @param {Play} play
 */
function askedInOrder({ flow }, { asked }) {
  if (flow?.nodes.some(({ id }) => id.startsWith('BatchRunComponent-')) !== true) return asked;
  return [...asked].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

/**
 * A status, with the body when it is that of an error.
 * @param {Answer} answer
 */
function shownStatus({ status, body }) {
  return status < 400 ? status : [status, body];
}

/**
 * Whether vertices of the flow can run side by side: Langflow starts those of a layer in the order of a set, which differs from
 * process to process.
 * @param {Case} tried
 */
function isParallel({ flow }) {
  const { nodes, edges } = flow ?? { nodes: [], edges: [] };
  const starts = nodes.filter(({ id }) => edges.every(({ target }) => target !== id));
  const ends = nodes.filter(({ id }) => edges.every(({ source }) => source !== id));
  return starts.length > 1 || ends.length > 1;
}

class Comparison {
  route = '';
  #isParallel;
  /** @type {Difference[]} */
  found = [];
  /** @type {Map<string, string>} */
  #others = new Map();

  /** @param {boolean} anyOrder whether the order in which vertices end says nothing */
  constructor(anyOrder) {
    this.#isParallel = anyOrder;
  }

  /**
   * @param {string} path
   * @param {Difference['kind']} kind
   * @param {Json | undefined} left
   * @param {Json | undefined} right
   */
  add(path, kind, left, right) {
    this.found.push({ route: this.route, path: withoutIds(path), kind, left, right });
  }

  /** Returns what was found; a text that an answer holds in several places once. */
  withoutRepeats() {
    /** @type {Set<string>} */
    const seen = new Set();
    return this.found.filter(({ path, left, right }) => {
      const isText = typeof left === 'string' && typeof right === 'string';
      const place = isText ? '' : path.slice(path.lastIndexOf('.'));
      const key = `${place} ${JSON.stringify([left, right]).replaceAll(/(?:\\n)+/g, ' ')}`;
      return !seen.has(key) && seen.add(key);
    });
  }

  /**
   * @param {string} path
   * @param {Json | undefined} left
   * @param {Json | undefined} right
   * @returns {void}
   */
  compare(path, left, right) {
    if (left === right) return;
    if (left === undefined) return this.add(path, 'additional', left, right);
    if (right === undefined) return this.add(path, 'missing', left, right);
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (MEASURED.test(name) && (left === null) === (right === null)) return;
    if (name === 'traceback' || name === 'stackTrace')
      return this.compare(`${path}.is`, left !== null, right !== null);
    if (kindOf(left) !== kindOf(right)) return this.add(path, 'type', left, right);
    if (Array.isArray(left) && Array.isArray(right)) return this.#compareLists(path, left, right);
    if (typeof left === 'string' && typeof right === 'string') {
      const [one, other] = name === 'arguments' ? [jsonOf(left), jsonOf(right)] : [left, right];
      if (typeof one !== 'string' && typeof other !== 'string') return this.compare(path, one, other);
      return this.#compareTexts(path, left, right);
    }
    if (typeof left !== 'object') return this.add(path, 'value', left, right);
    const [one, other] = [objectOf(left), objectOf(right)];
    const pairs = new Map(Object.keys(other).map((key) => [this.#named(key), key]));
    for (const key of Object.keys(one)) {
      const same = key in other ? key : (pairs.get(this.#named(key)) ?? key);
      this.compare(`${path}.${key}`, one[key], other[same]);
      pairs.delete(this.#named(same));
      pairs.delete(this.#named(key));
    }
    for (const key of pairs.values()) this.compare(`${path}.${key}`, undefined, other[key]);
  }

  /**
   * Names of members can be ids.
   * @param {string} key
   */
  #named(key) {
    return key.replaceAll(ID, '<id>');
  }

  /**
   * @param {string} path
   * @param {readonly Json[]} left
   * @param {readonly Json[]} right
   */
  #compareLists(path, left, right) {
    if (this.#isParallel && FOLLOWERS.test(path)) return;
    if (this.#isParallel && path === 'body.order') {
      const [one, other] = [namesOf(left), namesOf(right)];
      if (one.join() !== other.join()) this.add(path, 'length', one, other);
      return;
    }
    if (left.length !== right.length) return this.add(path, 'length', [...left], [...right]);
    const [one, other] = this.#ordered(path, left, right);
    for (const [index, value] of one.entries()) this.compare(`${path}.[]`, value, other[index]);
  }

  /**
   * Returns lists whose order says nothing in the same order.
   * @param {string} path
   * @param {readonly Json[]} left
   * @param {readonly Json[]} right
   */
  #ordered(path, left, right) {
    if (UNORDERED.test(path)) return [[...left].sort(), [...right].sort()];
    if (!this.#isParallel || !/^body$|^body\.data\.\w+$/.test(path)) return [left, right];
    const [one, other] = [left, right].map((list) => list.map(endOf).sort());
    const isSame = one.every((end, index) => end !== '' && end === other[index]);
    const sorted = (/** @type {readonly Json[]} */ list) =>
      [...list].sort((first, second) => (endOf(first) < endOf(second) ? -1 : 1));
    return isSame ? [sorted(left), sorted(right)] : [left, right];
  }

  /**
   * Returns a text without random tokens, and a time of a trigger without its offset: Langflow on SQLite does not know it.
   * @param {string} path
   * @param {string} text
   */
  #withoutTokens(path, text) {
    if (!this.route.includes('/triggers')) return text;
    if (TOKENS.test(path)) return text.replace(/[\w-]{32}/, '<token>');
    return /_at$/.test(path) ? text.replace(/\+00:00$/, '') : text;
  }

  /**
   * @param {string} path
   * @param {string} left
   * @param {string} right
   */
  #compareTexts(path, left, right) {
    const [shownLeft, shownRight] = [left, right].map((text) => this.#withoutTokens(path, text));
    const [one, other] = [shownLeft, shownRight].map((text) => text.match(ID) ?? []);
    const isSame =
      form(shownLeft) === form(shownRight) &&
      one.every((id, index) => {
        const paired = this.#others.get(id);
        if (paired === undefined) this.#others.set(id, other[index]);
        return paired === undefined || paired === other[index];
      });
    if (!isSame) this.add(path, 'value', left, right);
  }
}

/**
 * Returns which vertex an event or a message is of: of a message its text; an empty text for any other value.
 * @param {Json} value
 */
function endOf(value) {
  const { build_data: build, component_id: component, id, text, sender } = objectOf(value);
  const vertex =
    objectOf(build).id ?? component ?? (typeof sender === 'string' ? `${sender} ${form(String(text))}` : id);
  return typeof vertex === 'string' ? vertex : '';
}

/**
 * Returns the names of a stream's events, each once.
 * @param {readonly Json[]} order
 */
const namesOf = (order) => [...new Set(order.map(String))].sort();

/** @param {Json} value */
function kindOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/**
 * Returns a text without what is new in each run.
 * @param {string} text
 */
export function form(text) {
  return text
    .replaceAll(SHOWN_KEY, ({ length }) => `<key of ${length}>`)
    .replaceAll(ID, '<id>')
    .replaceAll(VARYING, (part) =>
      part
        .replace(/\.\d+$/, '')
        .replaceAll(/\d+/g, '0')
        .replace(/^\w{3}(?:, |%2C).*/, '<date>')
        .replace(/^\/.*/, '<path>'),
    );
}

/**
 * Vertices have other names in each flow.
 * @param {string} path
 */
function withoutIds(path) {
  return path.replaceAll(/\b(\w[\w :@]*)-[a-z0-9]{5}\b/g, '$1').replaceAll(ID, '<id>');
}
