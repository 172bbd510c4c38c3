/** What must have happened at least once, or the run has proven nothing: { what, count }. */
export function sometimes({ logs, stored }) {
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
    { what: 'a run published again by the sweeper', count: logs.count('runs are published again') },
  ];
}
