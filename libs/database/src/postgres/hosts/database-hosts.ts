import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger, MetricAttributes, PostgresHosts, PostgresTarget, TlsMaterial } from '@millrace/service';
import { postgresPlace } from '@millrace/service';
import type { ClientBase } from 'pg';
import { DatabaseUnavailableError } from '../../database';
import { chooseEncryption } from '../choose-encryption';
import { chooseHost, refusal } from './choose-host';
import type { Fence } from './choose-host';
import { examineHost, readHostState } from './host-report';
import type { HostAddress, HostReport } from './host-report';

const PROBE_TIMEOUT_MILLISECONDS = 2_000;
/** How long a search waits for further hosts when one can be used: one of them may have a newer timeline. */
const GRACE_MILLISECONDS = 250;
/** Minimum interval of searches, so that many failing calls cause few of them. */
const SEARCH_INTERVAL_MILLISECONDS = 250;
const WATCH_MILLISECONDS = 5_000;
const LINE_MILLISECONDS = 60_000;

export interface DatabaseHostsOptions {
  readonly hosts: PostgresHosts;
  readonly tls: TlsMaterial | undefined;
  readonly name: string;
  readonly logger: Logger;
  /** Interval of the watch over the hosts. Default: 5 s. */
  readonly watchMilliseconds?: number;
}

/**
 * Knows which of several hosts takes the connections of a pool. Asks all of them at the start, after each failure and
 * every few seconds, so that it also notices a server that hangs or was replaced by a promoted one.
 */
export class DatabaseHosts {
  readonly #options: DatabaseHostsOptions;
  readonly #target: PostgresTarget;
  readonly #stopped = new AbortController();
  #current: HostAddress | undefined;
  #isDoubted = true;
  #fence: Fence | undefined;
  #reports: readonly HostReport[] = [];
  #search: Promise<void> | undefined;
  #searchedAt = Number.NEGATIVE_INFINITY;
  #lastLine = Number.NEGATIVE_INFINITY;
  #problem = 'No host of the database has been asked yet';
  /** Called when connections have to go to another host; those to the previous one must end. */
  onMove: () => void = () => undefined;

  constructor(options: DatabaseHostsOptions) {
    this.#options = options;
    this.#target = options.hosts.target ?? 'read-write';
    void this.#watch();
  }

  /** Resolves to the host for a new connection. Rejects with DatabaseUnavailableError when there is none. */
  async locate(): Promise<HostAddress> {
    if (this.#isDoubted || this.#current === undefined) await this.#searchOnce();
    if (this.#isDoubted || this.#current === undefined) throw new DatabaseUnavailableError(this.#problem);
    return this.#current;
  }

  /** Records that the current host may not be the right one: the next connection searches first. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** Checks a new connection: its server can have changed since the search. Rejects when it must not be used. */
  async admit(client: ClientBase): Promise<void> {
    const state = await readHostState(client, PROBE_TIMEOUT_MILLISECONDS);
    const reason = refusal(state, this.#target, this.#fence);
    if (reason !== undefined) {
      this.doubt();
      throw new DatabaseUnavailableError(`The host of the database ${reason}`);
    }
  }

  close(): void {
    this.#stopped.abort();
  }

  /** Returns how many hosts are chosen, usable, refused (a standby, read-only, a former primary) or unreachable. */
  countHosts(): (readonly [number, MetricAttributes])[] {
    const counts = new Map(['chosen', 'usable', 'refused', 'unreachable'].map((state) => [state, 0]));
    for (const { host, state } of this.#reports) {
      const kind =
        state === undefined
          ? 'unreachable'
          : refusal(state, this.#target, this.#fence) !== undefined
            ? 'refused'
            : host === this.#current?.host
              ? 'chosen'
              : 'usable';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts].map(([state, count]) => [count, { state }] as const);
  }

  #searchOnce(): Promise<void> {
    this.#search ??= this.#searchHosts().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #searchHosts(): Promise<void> {
    const wait = this.#searchedAt + SEARCH_INTERVAL_MILLISECONDS - performance.now();
    if (wait > 0) await sleep(wait * (0.5 + Math.random() / 2));
    this.#reports = await this.#askHosts();
    this.#searchedAt = performance.now();
    const { chosen, reasons } = chooseHost(this.#reports, this.#target, this.#fence, this.#current?.host);
    if (chosen === undefined) {
      const texts = this.#options.hosts.urls.map(
        (url, index) => `${postgresPlace(url)}: ${reasons[index] ?? ''}`,
      );
      this.#problem = `No host of the database can be used (${texts.join('; ')})`;
      this.#isDoubted = true;
      this.#logSometimes();
      // A host that did not answer now can be the primary still. One that was refused is left.
      if (this.#reports.find(({ host }) => host === this.#current?.host)?.state !== undefined)
        this.#move(undefined);
      return;
    }
    this.#isDoubted = false;
    const { timeline = 0, system } = chosen.state ?? {};
    if (this.#target !== 'any') this.#fence = { system: system ?? this.#fence?.system, timeline };
    if (chosen.host !== this.#current?.host) this.#move(chosen);
  }

  #move(chosen: HostReport | undefined): void {
    const previous = this.#current;
    this.#current = chosen;
    if (chosen !== undefined) {
      const fields = { host: postgresPlace(chosen.host), timeline: chosen.state?.timeline };
      if (previous === undefined) this.#options.logger.info(fields, 'Database: host chosen');
      else
        this.#options.logger.warn(
          { ...fields, previous: postgresPlace(previous.host) },
          'database host changed',
        );
    }
    if (previous !== undefined) this.onMove();
  }

  /** Resolves when all hosts have answered, or shortly after one that can be used. */
  async #askHosts(): Promise<readonly HostReport[]> {
    const { hosts, tls, name } = this.#options;
    const reports = hosts.urls.map((host): HostReport => ({
      host,
      url: host,
      ssl: false,
      state: undefined,
      reason: 'did not answer in time',
    }));
    let hasUsable: () => void = () => undefined;
    const usable = new Promise<void>((resolve) => (hasUsable = resolve));
    const all = Promise.all(
      hosts.urls.map(async (host, index) => {
        const address = { host, ...(await chooseEncryption(host, tls)) };
        const report = await examineHost(address, { name, timeoutMilliseconds: PROBE_TIMEOUT_MILLISECONDS });
        reports[index] = report;
        if (report.state && refusal(report.state, this.#target, this.#fence) === undefined) hasUsable();
      }),
    );
    await Promise.race([all, usable.then(() => sleep(GRACE_MILLISECONDS))]);
    return [...reports];
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopped;
    const pause = this.#options.watchMilliseconds ?? WATCH_MILLISECONDS;
    while (!signal.aborted) {
      await sleep(pause * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(
        () => undefined,
      );
      if (signal.aborted) return;
      await this.#searchOnce().catch((error: unknown) => {
        this.#options.logger.warn({ error }, 'the hosts of the database cannot be asked');
      });
    }
  }

  #logSometimes(): void {
    const now = performance.now();
    if (now - this.#lastLine < LINE_MILLISECONDS) return;
    this.#lastLine = now;
    this.#options.logger.warn({ reason: this.#problem }, 'no host of the database can be used');
  }
}
