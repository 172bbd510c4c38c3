// Runs one statement on one SQLite database in a worker thread that can be terminated at any time. Posts { columns, rows },
// { failure } or { limitError: 'rows' | 'bytes' }. The database is in memory or a copy of `file`; host files are inaccessible.
const { parentPort, workerData } = require('node:worker_threads');
const initialize = require('sql.js');

const { file, text, isReadOnly, maximumRows, maximumBytes, maximumHeapBytes, maximumPages } = workerData;

initialize()
  .then((SQL) => parentPort.postMessage(run(new SQL.Database(file))))
  .catch((error) => parentPort.postMessage({ failure: error.message }));

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

function rowsOf(statement) {
  const rows = [];
  let bytes = 0;
  while (statement.step()) {
    const row = statement.get(null, { useBigInt: true });
    for (const cell of row) bytes += typeof cell === 'string' ? cell.length : (cell?.length ?? 8);
    if (rows.length === maximumRows) return { tooMuch: 'rows' };
    if (bytes > maximumBytes) return { tooMuch: 'bytes' };
    rows.push(row);
  }
  return { rows };
}
