import type { RetainedKind, RetentionDays } from '@millrace/runs';
import { setting } from '@millrace/service';

// Settings are read before tracing starts, which patches the clients of databases when they are loaded: no value of another
// library than that of services is imported here.
const retainedKinds = ['messages', 'vertexRecords', 'files'] as const satisfies readonly RetainedKind[];

const MAXIMUM_DAYS = 36_500;

/** How long rows are kept that no run deletes, for flows without a retention of their own. */
export const retentionSetting = setting<
  RetentionDays,
  { description: string; default: RetentionDays; unusual: true }
>(
  'list',
  {
    unusual: true,
    default: {},
    description:
      'Days after which messages, vertexRecords and files are deleted, as in `messages=90,vertexRecords=3`. Messages and files without days are kept until they are deleted, vertex records as long as their run.',
  },
  parseRetention,
  (days) =>
    Object.entries(days)
      .map(([kind, number]) => `${kind}=${number}`)
      .join(','),
);

function parseRetention(text: string): RetentionDays {
  const days: Partial<Record<RetainedKind, number>> = {};
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [name = '', value = ''] = entry.split('=');
    const kind = retainedKinds.find((known) => known === name.trim());
    if (kind === undefined)
      throw new Error(`must name ${retainedKinds.join(', ')}, each with its days, as in messages=90`);
    const number = /^\s*\d{1,5}\s*$/.test(value) ? Number(value) : 0;
    if (number < 1 || number > MAXIMUM_DAYS)
      throw new Error(`must give ${kind} a number of days from 1 to ${MAXIMUM_DAYS}`);
    days[kind] = number;
  }
  return days;
}
