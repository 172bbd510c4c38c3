import { controlHandler } from '@millrace/dispatch';
import type { DeliveryHandler, MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import type { CancelledRuns } from './cancelled-runs';
import { resendFrames } from '../replies/resend-frames';
import type { InFlightRuns } from './in-flight-runs';
import type { Peers } from './peers';
import type { RunningAttempts } from '../jobs/running-attempts';
import type { SentFrames } from '../replies/sent-frames';
import type { Takeover } from './takeover';
import type { WatchedFlows } from '../replies/watched-flows';

export interface ControlDependencies {
  readonly running: RunningAttempts;
  readonly cancelledRuns: CancelledRuns;
  readonly takeover: Takeover;
  readonly peers: Peers;
  readonly inFlight: Pick<InFlightRuns, 'has'>;
  readonly watchedFlows: WatchedFlows;
  readonly bus: MessageBus;
  readonly sentFrames: SentFrames;
  readonly logger: Logger;
}

/** Returns the consumer of an executor's control queue. */
export function executorControl(dependencies: ControlDependencies): DeliveryHandler {
  const { running, cancelledRuns, takeover, peers, inFlight, watchedFlows, bus, sentFrames, logger } =
    dependencies;
  return controlHandler(
    {
      cancel: ({ runId }) => {
        if (!running.abort(runId, 'cancelled')) cancelledRuns.add(runId);
      },
      'who-runs': (message) => {
        const { runId } = message;
        return takeover.answer(message, {
          attempt: running.get(runId)?.attempt,
          isInFlight: inFlight.has(runId),
        });
      },
      'i-run': (message) => takeover.onAnswer(message),
      'are-you-there': (message) => takeover.answerPing(message),
      'i-am-here': (message) => peers.onAnswer(message),
      'resend-frames': (message) => void resendFrames({ bus, sentFrames, logger }, message),
      'watch-flow': (message) => watchedFlows.watch(message),
    },
    logger,
  );
}
