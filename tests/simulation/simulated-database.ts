import { DatabaseUnavailableError } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import type { Random } from './random';
import type { SimulatedProcess } from './simulated-process';

const MAXIMUM_DELAY_MILLISECONDS = 12;
/** Some statements arrive when their rows have changed since. */
const SHARE_OF_LATE_STATEMENTS = 0.01;
const MAXIMUM_LATENESS_MILLISECONDS = 3_000;
/** Statement timeout of the driver. */
const STATEMENT_TIMEOUT_MILLISECONDS = 30_000;

/** The state of the database server, which all processes share. */
export interface DatabaseServer {
  readonly database: Database;
  /** `flaky`: some statements are lost, and some answers to committed ones. `stalled`: no answers. */
  state: 'up' | 'down' | 'flaky' | 'stalled';
}

/** The connection of one process to the database: real statements over a simulated network with delays and faults. */
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
    await this.#process.whenRunning();
  }

  async #send<T>(work: () => Promise<T>): Promise<T> {
    await this.#process.whenRunning();
    await this.#delay(
      this.#random.chance(SHARE_OF_LATE_STATEMENTS) ? MAXIMUM_LATENESS_MILLISECONDS : undefined,
    );
    await this.#arrive();
    const result = await work();
    await this.#delay();
    await this.#process.whenRunning();
    if (this.#isLost()) throw new DatabaseUnavailableError('simulated: the answer was lost');
    return result;
  }

  async #arrive(): Promise<void> {
    if (this.#server.state === 'stalled') await pause(STATEMENT_TIMEOUT_MILLISECONDS);
    if (this.#server.state === 'stalled' || this.#server.state === 'down' || this.#isLost())
      throw new DatabaseUnavailableError('simulated: the database is unavailable');
  }

  #isLost(): boolean {
    return this.#server.state === 'flaky' && this.#random.chance(0.25);
  }

  async #delay(maximumMilliseconds = MAXIMUM_DELAY_MILLISECONDS): Promise<void> {
    const milliseconds = this.#random.between(0, maximumMilliseconds);
    if (milliseconds > 0) await pause(milliseconds);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
