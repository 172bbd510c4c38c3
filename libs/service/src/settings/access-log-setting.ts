import { setting } from './setting';

/** Which requests have a line in the access log. */
export interface AccessLogRule {
  /** True when each request that is answered with an error has a line. */
  readonly errors: boolean;
  /** Share of the other requests that have a line, from 0 to 1. */
  readonly share: number;
}

/** Which requests have a line in the log of a service with an HTTP interface. */
export const accessLogSetting = setting<AccessLogRule, { description: string; default: AccessLogRule }>(
  'off | errors | all | number',
  {
    description:
      'Which requests have a line `request answered` in the log: `off`, `errors` (status 400 and above), `all`, or errors and a share of the others from 0 to 1, such as `0.01`. Services select the same requests, by the request id. [docs/operate/logs.md](logs.md).',
    default: { errors: true, share: 1 },
  },
  parseRule,
  printRule,
);

function parseRule(text: string): AccessLogRule {
  const value = text.trim().toLowerCase();
  if (value === 'off') return { errors: false, share: 0 };
  if (value === 'errors') return { errors: true, share: 0 };
  if (value === 'all') return { errors: true, share: 1 };
  const share = /^\d{1,3}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
  if (!(share >= 0 && share <= 1)) throw new Error('must be off, errors, all or a number from 0 to 1');
  return { errors: true, share };
}

function printRule({ errors, share }: AccessLogRule): string {
  if (!errors) return 'off';
  if (share === 0) return 'errors';
  return share === 1 ? 'all' : String(share);
}
