import { Link } from 'wouter';
import { SHOWN_ALERTS, useAlerts } from '../api/alerts';
import type { Alert } from '../api/alerts';
import { cost, duration, plural } from '../ui/format';
import { Note, Time } from '../ui/parts';

/** The runs to look at first. */
const RUNS: Readonly<Record<Alert['measure'], string>> = {
  failures: '&status=failed,timed_out,dead',
  latency: '',
  waiting: '&status=accepted,queued',
  spend: '',
};

/** The alerts of the user's flows, or of one flow, that have not ended; nothing when there is none. */
export function OpenAlerts({ flow }: { readonly flow?: string }) {
  const { data: alerts = [] } = useAlerts(flow);
  if (alerts.length === 0) return null;
  const hasMore = alerts.length > SHOWN_ALERTS;
  return (
    <Note tone="bad" title={hasMore ? `More than ${SHOWN_ALERTS} alerts` : plural(alerts.length, 'alert')}>
      <ul className="stack">
        {alerts.slice(0, SHOWN_ALERTS).map((alert) => (
          <li key={alert.alert_id} className="note-text">
            {flow === undefined && (
              <>
                <Link href={`/flows/${alert.flow_id}`} dir="auto">
                  {alert.flow_name}
                </Link>
                {': '}
              </>
            )}
            <strong dir="auto">{alert.rule}</strong>, {textOf(alert)}, began <Time of={alert.began_at} />{' '}
            <Link href={`/runs?flow=${alert.flow_id}${RUNS[alert.measure]}`}>Runs</Link>
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** What the rule measured when the alert began, and its threshold. */
function textOf({ measure, value, threshold, window_minutes: minutes }: Alert): string {
  const measured = value === null ? '' : ` ${amount(measure, value)} in ${minutes} min,`;
  return `${measure}${measured} threshold ${amount(measure, threshold)}`;
}

function amount(measure: Alert['measure'], value: number): string {
  if (measure === 'spend') return cost(value);
  return measure === 'failures' ? `${Number((value * 100).toFixed(1))} %` : duration(value * 1_000);
}
