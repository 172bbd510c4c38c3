import type { BrokerNames } from '@millrace/messages';
import { controlHandler, sendControlMessage } from '@millrace/dispatch';
import type { DeliveryHandler, MessageBus } from '@millrace/messaging';
import type { VariableStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { Peers } from './peers';
import type { ExecutorPython } from '../attempts/python/executor-python';
import type { RunningAttempts } from '../attempts/running-attempts';
import type { Replies } from '../replies/replies';
import type { Takeover } from './takeover';
import type { WatchedFlows } from '../replies/watched-flows';

export interface ControlDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly running: RunningAttempts;
  readonly takeover: Takeover;
  readonly peers: Peers;
  /** The runs of this process from their delivery to their verdict. */
  readonly inFlight: { has(runId: string): boolean };
  readonly watchedFlows: WatchedFlows;
  readonly replies: Replies;
  /** Absent when nothing runs in Python. */
  readonly python?: Pick<ExecutorPython, 'approvedCode'> | undefined;
  readonly budgetedUsers: { refresh(): Promise<void> };
  readonly variables: { readonly defaultFields: Pick<VariableStore['defaultFields'], 'forget'> };
  readonly logger: Logger;
}

/** Returns the consumer of an executor's control queue. */
export function executorControl({
  bus,
  names,
  running,
  takeover,
  peers,
  inFlight,
  watchedFlows,
  replies,
  python,
  budgetedUsers,
  variables,
  logger,
}: ControlDependencies): DeliveryHandler {
  return controlHandler(
    {
      cancel: ({ runId }) => running.cancel(runId),
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
      'which-vertices': ({ runId, asker }) => {
        const trace = running.get(runId)?.recorder?.traceSoFar();
        if (trace === undefined) return;
        // A gateway that has ended needs no answer.
        sendControlMessage({ bus, names }, asker, { kind: 'vertices-so-far', runId, asker, trace }).catch(
          () => undefined,
        );
      },
      'resend-frames': (message) => void replies.resend(message),
      'author-code-changed': ({ sha256 }) => python?.approvedCode.forget(sha256),
      'limits-changed': () => void budgetedUsers.refresh(),
      'variables-changed': ({ userId }) => variables.defaultFields.forget(userId),
      'watch-flow': (message) => watchedFlows.watch(message),
    },
    logger,
  );
}
