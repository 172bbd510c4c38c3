import type { HttpError } from '@millrace/http';
import { answeredByOthers, decisionRefused, notResumable, unknownResumable } from './workflow-errors';

/** What became of answers to requests of a run. */
export type AnswerOutcome = { readonly kind: 'taken' } | MissedAnswer;

/** Why answers were not taken. Nothing is stored of them. */
export type MissedAnswer =
  /** The caller has no such run. */
  | { readonly kind: 'unknown' }
  /** The flow names others to answer; without names for an end user. */
  | { readonly kind: 'asks others'; readonly names: readonly string[] }
  /** The request does not allow the decision. */
  | { readonly kind: 'refused'; readonly sentence: string }
  /** Another answer was faster, or the time-out. */
  | { readonly kind: 'answered'; readonly at: Date; readonly by: string | null }
  | { readonly kind: 'ended' }
  | { readonly kind: 'not asked' }
  /** The run has an answer to another of its requests. It can wait for its turn, and can ask this again. */
  | { readonly kind: 'goes on' };

export const GOES_ON =
  'The run goes on with an answer to another of its questions, at once or when its flow has room and is not paused. ' +
  'If it still asks this one afterwards, answer again.';

/** Returns the error of answers that were not taken. */
export function answerError(runId: string, outcome: MissedAnswer): HttpError {
  switch (outcome.kind) {
    case 'unknown':
      return unknownResumable(runId);
    case 'asks others':
      return answeredByOthers(runId, outcome.names);
    case 'refused':
      return decisionRefused(runId, outcome.sentence);
    case 'answered': {
      const { at, by } = outcome;
      return notResumable(runId, { reason: 'answered', decided_at: at.toISOString(), decided_by: by });
    }
    case 'ended':
      return notResumable(runId, { reason: 'ended' });
    case 'not asked':
      return notResumable(runId, { reason: 'not_asked' });
    case 'goes on':
      return notResumable(runId, { reason: 'goes_on' }, GOES_ON);
  }
}
