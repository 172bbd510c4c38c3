/** @import { MachineEnvironment } from '../environment.mjs' */
/** @import { Medians, Product } from '../scenario.ts' */

/**
 * @typedef {object} PeerScenario What the report reads of P1 and P64.
 * @property {Readonly<Record<string, Medians>>} sides
 * @property {Readonly<Record<string, Product>>} [products]
 * @property {Readonly<Record<string, string>>} [notMeasured]
 *
 * @typedef {object} PeerRow A product with its figures at one caller and at 64.
 * @property {string} side
 * @property {Product} product
 * @property {Medians | undefined} one
 * @property {Medians | undefined} many
 * @property {string | undefined} reason why it was not measured
 */

const differences = [
  '- **The job.** A POST with a short JSON body is answered with the text of the body. Each caller sends its next request when it',
  '  has its answer. Every answer is checked. All products run on one machine, with the load generator and the servers; only one is',
  '  under load at a time.',
  '- **Millrace** checks an API key and limits. It answers a run of `/api/v1/run` before the record of the run is committed, so a crash',
  '  in between can lose the record ([guarantees](guarantees.md)). A flow with the setting `durable` is the one to compare with Node-RED',
  '  with rows and Restate: its run is committed before it starts, when an executor claims it, and with its result before the answer.',
  '- **Node-RED** has no key, no limits, and keeps nothing. With rows, a function node writes each request with `pg`, one `INSERT` a',
  '  request on ten connections. A request whose process crashes is not repeated.',
  '- **Restate** is one node with default settings: a log with one replica, synced to the disk. It invokes a handler on its SDK for Node.',
  '  It checks no key.',
  '- **Langflow** is one worker process of Python, as `langflow run` starts it, with its default SQLite and with PostgreSQL. It checks an',
  '  API key. It stores the messages, and what each vertex did. With more workers it uses more than one core.',
  '- Millrace, Node-RED and the service of Restate run on the same Node. Flows that call models spend most of their time waiting for',
  '  these, with every product.',
];

/**
 * Returns the products in the order of the results; those that were not measured have a reason.
 * @param {PeerScenario | undefined} one
 * @param {PeerScenario | undefined} many
 * @returns {PeerRow[]}
 */
export function peerRows(one, many) {
  return Object.entries({ ...one?.products, ...many?.products }).map(([side, product]) => ({
    side,
    product,
    one: one?.sides[side],
    many: many?.sides[side],
    reason: many?.notMeasured?.[side] ?? one?.notMeasured?.[side],
  }));
}

/**
 * Returns the lines of the section of docs/operate/benchmarks.md: the chart, which is beside the page, and all figures.
 * @param {readonly PeerRow[]} rows
 * @param {readonly string[]} circumstances
 */
export function peersSection(rows, circumstances) {
  const standalone = rows.find(({ side }) => side === 'millrace');
  const head = [
    'product',
    'version',
    'keeps of each request',
    ...columns('1 caller'),
    ...columns('64 callers'),
  ];
  /**
   * @param {Medians | undefined} figures
   * @param {Medians | undefined} reference
   */
  const cells = (figures, reference) => [
    ...['perSecond', 'p50', 'p99'].map((name) => (figures === undefined ? '–' : short(figures[name]))),
    figures === undefined || reference === undefined ? '–' : ratio(figures.perSecond / reference.perSecond),
  ];
  return [
    ...circumstances,
    '![Requests a second of each product, at 1 and at 64 callers; the table has the figures](peers.svg)',
    '',
    ...table(
      head,
      rows.map(({ product: { name, version, keeps }, one, many }) => [
        name,
        version,
        keeps,
        ...cells(one, standalone?.one),
        ...cells(many, standalone?.many),
      ]),
    ),
    '',
    'Requests a second, with latencies of this closed loop in ms. A ratio is the throughput divided by that of Millrace, standalone.',
    '',
    ...reasons(rows),
    ...differences,
  ];
}

/**
 * Returns the lines of the README: a short table.
 * @param {readonly PeerRow[]} rows
 * @param {MachineEnvironment} environment
 * @param {string} page address of the page with all figures
 */
export function peersSummary(rows, { at, processors, processor }, page) {
  /** @param {Medians | undefined} figures */
  const rate = (figures) => (figures === undefined ? 'not measured' : `${short(figures.perSecond)}/s`);
  return [
    `A text that comes back, on the same machine in one run (${at.slice(0, 10)}, ${processors} × ${processor}). The products keep different`,
    `things of a request; [what differs](${page}#other-products).`,
    '',
    ...table(
      ['product', 'keeps of each request', '1 caller', '64 callers', 'p99 at 64, ms'],
      rows.map(({ product: { name, version, keeps }, one, many }) => [
        titleOf({ name, version }),
        keeps,
        rate(one),
        rate(many),
        many === undefined ? '–' : short(many.p99),
      ]),
    ),
  ];
}

/** @param {string} callers */
function columns(callers) {
  return [`${callers}, per second`, 'p50 ms', 'p99 ms', 'ratio'];
}

/** @param {readonly PeerRow[]} rows */
function reasons(rows) {
  const lines = rows.flatMap(({ product: { name }, reason }) =>
    reason === undefined ? [] : [`- ${name}: not measured: ${reason.replaceAll(/\s+/g, ' ')}`],
  );
  return lines.length === 0 ? [] : [...lines, ''];
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/**
 * Returns the name of a product with its version after the part before a comma. That of Millrace is the reader's.
 * @param {Pick<Product, 'name' | 'version'>} product
 */
export function titleOf({ name, version }) {
  return name.startsWith('Millrace') ? name : name.replace(/^[^,]+/, (own) => `${own} ${version}`);
}

/** @param {number} value */
function ratio(value) {
  return value < 0.1 ? String(Number(value.toPrecision(2))) : value.toFixed(2);
}

/**
 * Three digits, and all of a whole number.
 * @param {number} value
 */
export function short(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
