import type { Job } from '@millrace/messages';
import type { FlowRecord, NewRun, RunRecord, StoredRequest } from '@millrace/runs';
import { until } from '@millrace/service/testing';
import type { TestInstallation } from './test-installation';

/** A durable run over its pauses. */
export class WaitingRun {
  readonly #given: TestInstallation;
  readonly #job: Job;
  #attempts = 0;

  private constructor(given: TestInstallation, job: Job) {
    this.#given = given;
    this.#job = job;
  }

  static async start(
    given: TestInstallation,
    flow: FlowRecord,
    changes: Partial<NewRun> = {},
  ): Promise<WaitingRun> {
    const run = new WaitingRun(given, await given.accept(flow, changes));
    await run.#send();
    return run;
  }

  get id(): string {
    return this.#job.runId;
  }

  /** Resolves when the attempt has ended, to what the run asks then. */
  async asks(): Promise<readonly StoredRequest[]> {
    const { runs, userId, finals } = this.#given;
    const { runId } = this.#job;
    await until(() => finals(runId).length === this.#attempts, `run ${runId} did not end its attempt`);
    const requests = await runs.humanRequests(userId, runId);
    return requests.filter(({ decidedAt }) => decidedAt === null);
  }

  /** Answers a request, and starts the next attempt. */
  async answer(
    request: StoredRequest | undefined,
    action_id: string,
    values: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { runs, userId, database } = this.#given;
    const requestId = request?.request_id ?? '';
    const decisions = new Map([[requestId, { action_id, values }]]);
    const given = { userId, runId: this.#job.runId, decisions, decidedBy: null };
    if (!(await runs.within(database).decide(given))) throw new Error(`no request "${requestId}" waits`);
    await this.#send();
  }

  async record(): Promise<RunRecord> {
    await this.asks();
    const record = await this.#given.runs.find(this.#given.userId, this.#job.runId);
    if (record === null) throw new Error('the run has no row');
    return record;
  }

  async #send(): Promise<void> {
    this.#attempts += 1;
    await this.#given.send(this.#job);
  }
}
