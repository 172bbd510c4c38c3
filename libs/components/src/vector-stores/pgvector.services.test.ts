import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { dial, resourcesWith } from '../testing/run-resources.fixture';
import { describeVectorStore } from './vector-store.contract';

const server = process.env['DATABASE_URL'] ?? '';

/** The parts of the extension that the store uses, for servers without it: vectors as texts, compared in SQL. */
const vectorExtensionSubstitute = `
  CREATE DOMAIN vector AS text CHECK (value ~ '^\\[[-0-9.e+,]+\\]$');
  CREATE FUNCTION cosine_distance(a text, b text) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    x float8[] := string_to_array(trim(both '[]' from a), ',')::float8[];
    y float8[] := string_to_array(trim(both '[]' from b), ',')::float8[];
  BEGIN
    IF cardinality(x) <> cardinality(y) THEN
      RAISE EXCEPTION 'different vector dimensions % and %', cardinality(x), cardinality(y);
    END IF;
    RETURN (SELECT 1 - sum(p * q) / (sqrt(sum(p * p)) * sqrt(sum(q * q))) FROM unnest(x, y) AS pairs (p, q));
  END $$;
  CREATE OPERATOR <=> (LEFTARG = text, RIGHTARG = text, FUNCTION = cosine_distance)`;

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function hasExtension(): Promise<boolean> {
  const client = new Client({ connectionString: server });
  await client.connect();
  const { rowCount } = await client.query(`SELECT FROM pg_available_extensions WHERE name = 'vector'`);
  await client.end();
  return rowCount === 1;
}

describeVectorStore('PGVector', {
  type: 'pgvector',
  mismatch: /PGVector: different vector dimensions 26 and 8/,
  start: async () => {
    const database = `pgvector_${randomBytes(4).toString('hex')}`;
    await run(server, `CREATE DATABASE ${database} ENCODING 'UTF8' TEMPLATE template0`);
    const address = new URL(server);
    address.pathname = `/${database}`;
    if (!(await hasExtension())) await run(address.href, vectorExtensionSubstitute);
    const pg_server_url = address.href.replace(/^\w+:/, 'postgresql+psycopg2:');
    return {
      values: { pg_server_url, collection_name: 'pets' },
      resources: resourcesWith({ dial }),
      close: () => run(server, `DROP DATABASE ${database} WITH (FORCE)`),
    };
  },
});
