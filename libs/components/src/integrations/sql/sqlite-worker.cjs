// Runs one statement on one SQLite database in a worker thread that can be terminated at any time. Posts { columns, rows },
// { failure } or { limitError: 'rows' | 'bytes' }. The database is in memory or a copy of `file`; host files are inaccessible.
const { parentPort, workerData } = require('node:worker_threads');
const initialize = require('sql.js');

/** @import { MessagePort } from 'node:worker_threads' */
/** @import { Database, SqlValue } from 'sql.js' */

/**
 * @typedef {object} Order One statement, with the limits of its result and of its database.
 * @property {Uint8Array | undefined} file The content of the database; undefined for an empty one.
 * @property {string} text
 * @property {boolean} isReadOnly
 * @property {number} maximumRows
 * @property {number} maximumBytes
 * @property {number} maximumHeapBytes
 * @property {number} maximumPages
 *
 * @typedef {object} Rows A statement; the published types do not know the option.
 * @property {() => boolean} step
 * @property {(parameters: null, options: { useBigInt: boolean }) => (SqlValue | bigint)[]} get
 */

const port = /** @type {MessagePort} */ (parentPort);
/** @type {Order} */
const { file, text, isReadOnly, maximumRows, maximumBytes, maximumHeapBytes, maximumPages } = workerData;

initialize()
  .then((SQL) => port.postMessage(run(new SQL.Database(file))))
  .catch((error) => port.postMessage({ failure: error.message }));

/** @param {Database} database */
function run(database) {
  for (const bound of [
    `hard_heap_limit = ${maximumHeapBytes}`,
    'temp_store = MEMORY',
    `max_page_count = ${maximumPages}`,
    `query_only = ${isReadOnly}`,
  ])
    database.exec(`PRAGMA ${bound}`);
  const statements = database.iterateStatements(text);
  const { value: statement } = statements.next();
  if (statement === undefined) return { columns: [], rows: [] };
  const columns = statement.getColumnNames();
  const { rows, tooMuch } = rowsOf(statement);
  if (tooMuch !== undefined) return { tooMuch };
  // Look for a second statement only after the first has run, because the second may need what the first created.
  if (!statements.next().done) return { failure: 'You can only execute one statement at a time.' };
  return { columns, rows };
}

/** @param {Rows} statement */
function rowsOf(statement) {
  const rows = [];
  let bytes = 0;
  while (statement.step()) {
    const row = statement.get(null, { useBigInt: true });
    for (const cell of row) bytes += typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8;
    if (rows.length === maximumRows) return { tooMuch: 'rows' };
    if (bytes > maximumBytes) return { tooMuch: 'bytes' };
    rows.push(row);
  }
  return { rows };
}
