// The limit of a webhook: Express, a batched insert of one row, 202, and then a confirmed publish to a quorum queue.
const { randomUUID } = require('node:crypto');
const amqp = require('amqplib');
const { Pool } = require('pg');
const { listen, run } = require('./bare-app.cjs');

const MAXIMUM_ROWS = 200;
const MAXIMUM_WAIT_MILLISECONDS = 2;
/** @type {string} */
const queue = process.env.BENCH_QUEUE ?? '';

run(async () => {
  const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
  await pool.query('CREATE TABLE accepted (id uuid PRIMARY KEY, request text, at timestamptz DEFAULT now())');
  const channel = await (
    await amqp.connect(process.env.AMQP_URL ?? '', { noDelay: true })
  ).createConfirmChannel();
  await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  const insert = groupedInserts(pool);
  await listen((_, response, body) => {
    const id = randomUUID();
    insert(id, body.toString()).then(
      () => {
        response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ run_id: id }));
        channel.sendToQueue(queue, Buffer.from(id), { persistent: true }, (error) => {
          if (error) console.error(error.message);
        });
      },
      () => response.writeHead(503).end(),
    );
  });
});

/**
 * Returns a function that inserts a row. Collects rows for up to 2 ms and inserts them in one statement.
 * @param {import('pg').Pool} pool
 * @returns {(id: string, text: string) => Promise<void>}
 */
function groupedInserts(pool) {
  /** @type {{ id: string, text: string, resolve: () => void, reject: (error: Error) => void }[]} */
  let waiting = [];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const rows = waiting;
    waiting = [];
    pool
      .query({
        name: 'accept',
        text: 'INSERT INTO accepted (id, request) SELECT * FROM unnest($1::uuid[], $2::text[])',
        values: [rows.map(({ id }) => id), rows.map(({ text }) => text)],
      })
      .then(
        () => rows.forEach(({ resolve }) => resolve()),
        (error) => rows.forEach(({ reject }) => reject(error)),
      );
  };
  return (id, text) =>
    new Promise((resolve, reject) => {
      waiting.push({ id, text, resolve, reject });
      if (waiting.length >= MAXIMUM_ROWS) flush();
      else timer ??= setTimeout(flush, MAXIMUM_WAIT_MILLISECONDS);
    });
}
