import { useWaiting } from '../api/waiting';
import type { WaitingReason } from '../api/waiting';
import type { Run } from '../api/answers';
import { exactTime } from '../ui/format';
import { Clock } from '../ui/icons';
import { Time } from '../ui/parts';

/** Why a run waits, in one line. What it asks a person is shown instead. */
export function WaitingLine({ run }: { readonly run: Run }) {
  const { data: reason } = useWaiting(run);
  if (!reason || reason.reason === 'person') return null;
  return (
    <div className="note" role="status">
      <Clock size={17} />
      <p className="note-text" dir="auto">
        {reason.text}{' '}
        {reason.at !== null && (
          <span className="muted">
            {exactTime(reason.at)} (<Time of={reason.at} kind="due" />)
          </span>
        )}
      </p>
    </div>
  );
}

/** The reason in a few words, for the row of a list. */
export function ShortReason({ of }: { readonly of: WaitingReason }) {
  return (
    <span title={of.text}>
      {shortText(of)}
      {of.at !== null && of.reason !== 'delivery' && (
        <>
          {' '}
          · <Time of={of.at} kind="due" />
        </>
      )}
    </span>
  );
}

export function shortText({ reason, text, limit, place, attempt, attempts }: WaitingReason): string {
  const line = place === null ? '' : ` · place ${place}`;
  switch (reason) {
    case 'person':
      return 'waits for a person';
    case 'flow_limit':
      return `flow limit ${limit}${line}`;
    case 'trigger_limit':
      return `trigger limit ${limit}${line}`;
    case 'user_share':
      return `share of the user ${limit}${line}`;
    case 'next_attempt':
      return `attempt ${attempt} of ${attempts}`;
    case 'executors_busy':
      return `all ${limit} slots in use`;
    default:
      return text.replace(/\.$/, '');
  }
}
