import { activeTraceparent, machineTime } from '@millrace/service';
import type { Job } from '@millrace/messages';
import type { RunRequest } from '@millrace/flow';
import type { KeyValueStore } from '@millrace/key-value';
import type { Verdict } from '@millrace/messaging';
import type { RequestSeal } from '@millrace/runs';
import type { SharedClock } from '@millrace/service';
import { wholeRunFailure } from '../attempts/run-failure';
import { requestOf } from '../intake/read-job';
import type { DeliveredJob } from '../intake/read-job';
import type { Takeover } from '../intake/takeover';
import type { RunUpdates } from '../records/run-updates';
import { storedBody } from '../replies/replies';
import type { Replies } from '../replies/replies';
import type { EndedRuns } from './ended-runs';
import { interactiveRow, MAXIMUM_ATTEMPTS } from './interactive-attempt';
import type { InteractiveAttempt } from './interactive-attempt';
import { remainingMilliseconds } from '../intake/remaining-milliseconds';

/** A caller is waiting, so fail fast while the database is unavailable. */
const RESTART_TIMEOUT_MILLISECONDS = 5_000;

export interface InteractiveStartsDependencies {
  readonly clock: SharedClock;
  readonly keyValue: KeyValueStore;
  readonly seal: RequestSeal;
  readonly takeover: Takeover;
  readonly updates: RunUpdates;
  readonly replies: Replies;
  readonly ended: EndedRuns;
}

/** Starts runs whose callers wait, and restarts those that another executor lost. */
export class InteractiveStarts {
  readonly #dependencies: InteractiveStartsDependencies;

  constructor(dependencies: InteractiveStartsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves to the attempt, or to the verdict on a job whose run is late, has ended or is executed elsewhere. */
  async start(delivered: DeliveredJob): Promise<InteractiveAttempt | Verdict> {
    const { clock, keyValue, seal, takeover, ended } = this.#dependencies;
    const { job, delivery } = delivered;
    const remaining = job.deadline === null ? 0 : remainingMilliseconds(job, clock);
    if (remaining <= 0) return ended.endLate(delivered, -remaining);
    const deadline = machineTime() + remaining;
    const request = await requestOf(job, { keyValue, seal });
    if (!request) throw new Error('the request of the run is missing or cannot be decrypted');
    const first = firstAttempt(job, request, deadline);
    if (!delivery.redelivered) return first;
    const location = await takeover.locate({ runId: job.runId, timeoutMilliseconds: remaining });
    return location === 'elsewhere' ? 'done' : this.#restart(delivered, first);
  }

  /** Restarts a run that its executor lost. It gets a row first, so that a run that crashes its executors ends. */
  async #restart(delivered: DeliveredJob, first: InteractiveAttempt): Promise<InteractiveAttempt | Verdict> {
    const { updates, replies, ended } = this.#dependencies;
    const late = machineTime() - first.deadline;
    if (late >= 0) return ended.endLate(delivered, late);
    const { job, delivery } = delivered;
    const begun = await updates.restart(
      interactiveRow(job, first),
      Math.min(RESTART_TIMEOUT_MILLISECONDS, -late),
    );
    if ('attempt' in begun) return { ...first, ...begun, repeatReason: 'redelivered' };
    if ('finished' in begun) {
      const { status, attempt, resultText, failure } = begun.finished;
      if (status === 'accepted' || status === 'queued' || status === 'running') return 'retry';
      const caller = { runId: job.runId, replyTo: delivery.replyTo, attempt };
      await replies.answer(caller, status, storedBody(status, resultText, failure));
      return 'done';
    }
    const failure = wholeRunFailure(
      'attempts_exhausted',
      'The executor crashed on every attempt of the run.',
    );
    return ended.endUnexecuted(delivered, 'dead', failure, { attempt: begun.lastAttempt });
  }
}

function firstAttempt(job: Job, request: RunRequest, deadline: number): InteractiveAttempt {
  return {
    attempt: 1,
    countedAttempts: 1,
    maximumAttempts: MAXIMUM_ATTEMPTS,
    retries: 0,
    retry: null,
    repeatReason: null,
    previousWorker: null,
    userId: job.userId,
    flowId: job.flowId,
    flowVersion: job.flowVersion,
    request,
    deadline,
    acceptedAt: acceptedAtOf(job),
    usage: null,
    recordSettings: job.records ?? null,
    traceparent: activeTraceparent(),
    replayedTraceparent: null,
  };
}

/** When the gateway accepted the run: by the database's clock if the gateway has measured it, else by its own. */
function acceptedAtOf({ acceptedAt, deadline, databaseDeadline }: Job): Date {
  if (deadline === null || databaseDeadline === undefined) return new Date(acceptedAt);
  return new Date(acceptedAt + databaseDeadline - deadline);
}
