import type { AlertChange, AlertStore } from '@millrace/runs';
import type { Counter, Logger, Metrics } from '@millrace/service';

const INTERVAL_MILLISECONDS = 60_000;
/** The part of the interval after which another process can have the next turn. */
const TURN = 0.9;

export interface AlertClockDependencies {
  readonly alerts: Pick<AlertStore, 'evaluate'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly pythonPool: string | null;
  readonly alertIntervalMilliseconds?: number | undefined;
}

/** Has the rules of all flows evaluated once a minute. Any number of processes can run it: one of them has the turn. */
export class AlertClock {
  readonly #dependencies: AlertClockDependencies;
  readonly #interval: number;
  readonly #changes: Counter;
  #timer: NodeJS.Timeout | undefined;
  #evaluating: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(dependencies: AlertClockDependencies) {
    this.#dependencies = dependencies;
    this.#interval = dependencies.alertIntervalMilliseconds ?? INTERVAL_MILLISECONDS;
    this.#changes = dependencies.metrics.counter(
      'millrace_alert_changes_total',
      'Alerts of flows that began or ended, by change',
      { labels: { change: ['began', 'ended'] } },
    );
  }

  start(): void {
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#evaluating;
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#evaluating = this.#evaluate().then(() => this.#schedule());
    }, this.#interval);
  }

  async #evaluate(): Promise<void> {
    const { alerts, logger, pythonPool } = this.#dependencies;
    try {
      const intervalMilliseconds = Math.floor(this.#interval * TURN);
      const evaluated = await alerts.evaluate({ intervalMilliseconds, pythonPool });
      for (const change of evaluated?.changes ?? []) this.#note(change);
      if (evaluated?.isPartial === true)
        logger.warn({}, 'not all rules of alerts were evaluated: there are more than 10,000');
    } catch (error) {
      logger.warn({ error }, 'the rules of alerts could not be evaluated; they will be the next time');
    }
  }

  #note({ userId, report }: AlertChange): void {
    const { state, flow_id: flowId, alert_id: alertId, rule, measure, threshold, value, runs } = report;
    this.#changes.add(1, { change: state });
    const fields = { flowId, userId, alertId, rule, measure, threshold, value, runs };
    if (state === 'began') this.#dependencies.logger.warn(fields, 'alert began');
    else this.#dependencies.logger.info(fields, 'alert ended');
  }
}
