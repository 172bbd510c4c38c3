import { DatabaseUnavailableError } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import type { Random } from './random';
import type { SimulatedProcess } from './simulated-process';

const LONGEST_WAY_MILLISECONDS = 12;
/** What the driver waits for an answer. */
const STATEMENT_TIMEOUT_MILLISECONDS = 30_000;

/** How the one database server is at the moment, for everybody. */
export interface DatabaseServer {
  readonly database: Database;
  /** `flaky`: some commits are done and their answers lost, some statements never arrive. `stalled`: no answers. */
  state: 'up' | 'down' | 'flaky' | 'stalled';
}

/** One process' connection to the database: real statements, with ways there and back that take time and can break. */
export class SimulatedDatabase implements Database {
  readonly #server: DatabaseServer;
  readonly #process: SimulatedProcess;
  readonly #random: Random;

  constructor(server: DatabaseServer, process: SimulatedProcess, random: Random) {
    this.#server = server;
    this.#process = process;
    this.#random = random;
  }

  query<Row = Record<string, unknown>>(...given: Parameters<Database['query']>) {
    return this.#send(() => this.#server.database.query<Row>(...given));
  }

  transaction<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    return this.#send(() => this.#server.database.transaction(work));
  }

  version(): Promise<string> {
    return this.#server.database.version();
  }

  async ping(): Promise<void> {
    await this.query({ text: 'SELECT 1' });
  }

  async close(): Promise<void> {
    await this.#process.goOn();
  }

  async #send<T>(work: () => Promise<T>): Promise<T> {
    await this.#process.goOn();
    await this.#way();
    await this.#arrive();
    const result = await work();
    await this.#way();
    await this.#process.goOn();
    if (this.#isLost()) throw new DatabaseUnavailableError('simulated: the answer was lost');
    return result;
  }

  async #arrive(): Promise<void> {
    if (this.#server.state === 'stalled') await pause(STATEMENT_TIMEOUT_MILLISECONDS);
    if (this.#server.state === 'stalled' || this.#server.state === 'down' || this.#isLost())
      throw new DatabaseUnavailableError('simulated: the database is away');
  }

  #isLost(): boolean {
    return this.#server.state === 'flaky' && this.#random.chance(0.25);
  }

  async #way(): Promise<void> {
    const milliseconds = this.#random.between(0, LONGEST_WAY_MILLISECONDS);
    if (milliseconds > 0) await pause(milliseconds);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
