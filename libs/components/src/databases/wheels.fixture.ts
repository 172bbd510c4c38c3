import type { RunResources } from '@millrace/flow';
import initSqlJs from 'sql.js';
import { filesUnderTest } from '../testing/run-files.fixture';

/** Returns resources whose files contain "wheels.db", a SQLite file with three wheels and a table of mills. */
export async function uploadedWheels(): Promise<RunResources> {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.exec('CREATE TABLE wheels (id INTEGER, name TEXT); CREATE TABLE mills (place TEXT)');
  database.exec(`INSERT INTO wheels VALUES (1, 'overshot'), (2, 'breast'), (3, 'undershot')`);
  return filesUnderTest({ 'wheels.db': database.export() }).resources;
}
