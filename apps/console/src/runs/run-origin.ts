import type { Run } from '../api/answers';

const TRIGGERS = { inbound_webhook: 'trigger', schedule: 'schedule', rabbitmq: 'queue' } as const;

/** What started a run: the kind of its trigger, or the endpoint that was called. */
export const originOf = ({ trigger, origin }: Pick<Run, 'trigger' | 'origin'>): string =>
  trigger ? TRIGGERS[trigger.kind] : (origin ?? '–');
