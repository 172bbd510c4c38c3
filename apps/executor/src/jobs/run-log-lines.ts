import { MAXIMUM_LOG_CHARACTERS, runLogText } from '@millrace/runs';
import type { RunLogLine, RunStore } from '@millrace/runs';
import { redactText } from '@millrace/service';
import type { Counter, Logger, LogMethod, Metrics, SharedClock } from '@millrace/service';
import { toRunFailure } from '../attempts/run-failure';

const FLUSH_MILLISECONDS = 1_000;
/** How long lines wait for the row of their run after its attempt; some runs get none. */
const ROW_MILLISECONDS = 60_000;
const MAXIMUM_RUNS = 1_000;
const MAXIMUM_CHARACTERS = 4_194_304;
const MAXIMUM_TEXT_LENGTH = 1_000;

/** The fields that an owner of a run may read: they name no server and contain no value of a flow. */
const SHOWN_FIELDS = [
  'status',
  'code',
  'reason',
  'vertex',
  'worker',
  'previousWorker',
  'retryInMilliseconds',
  'lateMilliseconds',
  'exitCode',
  'signal',
  'requestId',
];

export interface RunLogLinesOptions {
  readonly runs: Pick<RunStore, 'appendLogs'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: SharedClock;
  /** False: the lines are written to the log alone. */
  readonly enabled: boolean;
}

interface PendingLog {
  text: string;
  giveUpAt: number;
}

/** The runs whose rows are written when their attempt ends. */
export interface RowlessRuns {
  get(runId: string): { readonly durable: boolean } | undefined;
}

/**
 * Keeps the warnings and errors that name a run, and adds them to its record, many runs in one statement. A run without
 * such lines costs nothing. Lines of a process that crashes are lost, as are those beyond the limits of memory, which are
 * counted.
 */
export class RunLogLines {
  /** Writes to the log of the process, and keeps the lines of runs. */
  readonly logger: Logger;
  readonly #options: RunLogLinesOptions;
  readonly #lost: Counter;
  #running: RowlessRuns = new Map();
  #pending = new Map<string, PendingLog>();
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: RunLogLinesOptions) {
    this.#options = options;
    this.#lost = options.metrics.counter(
      'millrace_run_log_lines_lost_total',
      'Warnings and errors of runs that are in the log of the process alone, because too many waited to be stored',
    );
    this.logger = options.enabled ? this.#keeping(options.logger) : options.logger;
  }

  /** Sets the attempts in flight: their runs without a row get one later. */
  watch(running: RowlessRuns): void {
    this.#running = running;
  }

  /** Stores what waits. */
  async close(): Promise<void> {
    await this.#flushing;
    clearTimeout(this.#timer);
    await this.#flush();
  }

  #keeping(logger: Logger): Logger {
    const method = (level: RunLogLine['level']): LogMethod => {
      return (fields, message) => {
        logger[level](fields, message);
        if ('runId' in fields && typeof fields.runId === 'string')
          this.#keep(fields.runId, level, fields, message);
      };
    };
    return {
      level: logger.level,
      debug: logger.debug,
      info: logger.info,
      warn: method('warn'),
      error: method('error'),
      fatal: logger.fatal,
      child: (fields) => logger.child(fields),
    };
  }

  #keep(runId: string, level: RunLogLine['level'], fields: object, message: string): void {
    const { attempt, ...shown } = shownFields(fields);
    const at = new Date(this.#options.clock.now()).toISOString();
    const text = runLogText({ at, level, message: redactText(message), attempt, fields: shown });
    const pending = this.#pending.get(runId);
    const length = (pending?.text.length ?? 0) + text.length;
    const isFull = pending === undefined && this.#pending.size >= MAXIMUM_RUNS;
    if (isFull || length > MAXIMUM_LOG_CHARACTERS || this.#characters + text.length > MAXIMUM_CHARACTERS)
      return this.#lost.add(1);
    this.#characters += text.length;
    if (pending) pending.text += text;
    else this.#pending.set(runId, { text, giveUpAt: performance.now() + ROW_MILLISECONDS });
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#flushing = this.#flush().then(() => {
        this.#timer = undefined;
        if (this.#pending.size > 0) this.#schedule();
      });
    }, FLUSH_MILLISECONDS).unref();
  }

  /** Never rejects. Lines that could not be stored wait for the next time, up to their limit. */
  async #flush(): Promise<void> {
    const { runs, logger } = this.#options;
    const taken = this.#take();
    if (taken.size === 0) return;
    let stored: ReadonlySet<string> = new Set();
    try {
      stored = await runs.appendLogs(new Map([...taken].map(([runId, { text }]) => [runId, text])));
    } catch (error) {
      logger.warn({ error, runs: taken.size }, 'could not store log lines of runs');
    }
    const now = performance.now();
    for (const [runId, log] of taken) {
      if (!stored.has(runId) && log.giveUpAt > now) this.#putBack(runId, log);
      else this.#characters -= log.text.length;
    }
  }

  /** Takes the lines of runs that can have a row. */
  #take(): Map<string, PendingLog> {
    const taken = new Map<string, PendingLog>();
    for (const [runId, log] of this.#pending) {
      if (this.#running.get(runId)?.durable === false) log.giveUpAt = performance.now() + ROW_MILLISECONDS;
      else taken.set(runId, log);
    }
    for (const runId of taken.keys()) this.#pending.delete(runId);
    return taken;
  }

  /** Puts lines before those that were kept meanwhile. */
  #putBack(runId: string, log: PendingLog): void {
    const later = this.#pending.get(runId);
    if (later) later.text = log.text + later.text;
    else this.#pending.set(runId, log);
  }
}

type ShownFields = Record<string, unknown> & { attempt: number | null };

function shownFields(fields: object): ShownFields {
  const given = fields as Readonly<Record<string, unknown>>;
  const attempt = given['attempt'];
  const shown: ShownFields = { attempt: typeof attempt === 'number' ? attempt : null };
  for (const name of SHOWN_FIELDS) {
    const value = given[name];
    if (value !== undefined && value !== null) shown[name] = bounded(value);
  }
  const { error } = given;
  if (error !== undefined && error !== null) shown['error'] = shownError(error);
  return shown;
}

function bounded(value: unknown): unknown {
  return typeof value === 'string' ? redactText(value).slice(0, MAXIMUM_TEXT_LENGTH) : value;
}

/** Says what kind of error it was. Its message is in the log alone: it can name servers and contain values of the flow. */
function shownError(error: unknown): string {
  const { code } = toRunFailure(error);
  if (code !== 'internal') return code;
  if (!(error instanceof Error)) return typeof error;
  const own = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  return bounded(`${error.name === 'Error' ? error.constructor.name : error.name}${own}`) as string;
}
