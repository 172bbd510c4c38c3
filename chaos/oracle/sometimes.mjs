import { suspensionCounts } from './judge-suspensions.mjs';

/** @import { Seen } from './judge.mjs' */

/**
 * Counts the events that must happen at least once in a chaos run, or it proves nothing: { what, count }.
 * @param {Pick<Seen, 'logs' | 'stored' | 'people'>} seen
 */
export function sometimes({ logs, stored, people }) {
  const { answered, byLink, refused, cancelled, unanswered } = suspensionCounts({ people, stored });
  const runs = [...stored.runs.values()];
  return [
    { what: 'a redelivery', count: runs.filter(({ attempt, sweeps }) => attempt > 1 && sweeps === 0).length },
    {
      what: 'a fenced write',
      count:
        logs.count('another attempt owns this run: result discarded') +
        logs.count('another attempt owns this run: stopped'),
    },
    { what: 'a reconnect', count: logs.count('connected to RabbitMQ again') },
    {
      what: 'a run published again by the sweeper',
      count: logs.count('republishing runs that have no message'),
    },
    { what: 'an answer of a person', count: answered },
    { what: 'an answer by a decision link', count: byLink },
    { what: 'a refused answer', count: refused },
    { what: 'a suspended run that was cancelled', count: cancelled },
    { what: 'a question without an answer', count: unanswered },
  ];
}
