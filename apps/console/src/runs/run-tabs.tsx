import { useQuery } from '@tanstack/react-query';
import { call, query } from '../api/client';
import type { Run, StoredMessage } from '../api/types';
import { exactTime } from '../ui/format';
import { Empty, ErrorNote, Facts, Time } from '../ui/parts';
import { ValueView } from '../ui/value-view';
import type { LiveMessage } from './live-run';

export const useMessages = (run: Run | undefined) =>
  useQuery({
    queryKey: ['messages', run?.id, run?.status],
    enabled: run !== undefined,
    queryFn: async ({ signal }) => {
      const stored = await call<StoredMessage[]>(
        `/api/v1/monitor/messages${query({ flow_id: run?.flow_id, session_id: run?.session_id })}`,
        { signal },
      );
      return stored.filter(({ session_metadata }) => session_metadata?.graph_run_id === run?.id);
    },
  });

/** What the outputs of the flow returned, or what has arrived of it so far. */
export function Outputs({ run, live }: { readonly run: Run; readonly live: readonly LiveMessage[] }) {
  const outputs = run.result?.outputs?.flatMap((each) => each.outputs ?? []) ?? [];
  if (outputs.length === 0 && live.length > 0) return <LiveMessages messages={live} />;
  if (outputs.length === 0)
    return (
      <Empty title="No output">
        {run.finished_at === null
          ? 'The run goes on.'
          : 'The run ended without an output, or it is no longer kept.'}
      </Empty>
    );
  return (
    <>
      {outputs.map((output) => (
        <div key={output.component_id} className="value-entry">
          <span className="value-name">{output.component_display_name}</span>
          {Object.entries(output.results ?? {}).map(([name, value]) => (
            <ValueView key={name} value={value} label={`${output.component_display_name}: ${name}`} />
          ))}
        </div>
      ))}
    </>
  );
}

/** Messages that grow with each token. */
export function LiveMessages({ messages }: { readonly messages: readonly LiveMessage[] }) {
  return (
    <ol className="messages" aria-label="Messages" aria-live="polite" aria-atomic="false">
      {messages.map(({ id, sender, text }) => (
        <li key={id} className={sender === 'User' ? 'mine' : ''}>
          <span className="muted">{sender}</span>
          <p className="value-text" dir="auto">
            {text}
          </p>
        </li>
      ))}
    </ol>
  );
}

export function Messages({ run }: { readonly run: Run }) {
  const { data, error } = useMessages(run);
  if (error !== null) return <ErrorNote error={error} />;
  if (data?.length === 0)
    return <Empty title="No messages">This run stored no messages in its session.</Empty>;
  return (
    <ol className="messages" aria-label="Messages">
      {(data ?? []).map(({ id, sender, sender_name: name, text, timestamp }) => (
        <li key={id} className={sender === 'User' ? 'mine' : ''}>
          <span className="muted" title={timestamp}>
            {name}
          </span>
          <p className="value-text" dir="auto">
            {text}
          </p>
        </li>
      ))}
    </ol>
  );
}

export function Request({ run, input }: { readonly run: Run; readonly input: string }) {
  return (
    <>
      <Facts
        of={[
          { name: 'Origin', value: run.origin ?? '–' },
          { name: 'Session', value: <span className="mono">{run.session_id}</span> },
          { name: 'Lane', value: run.lane },
          { name: 'Pool', value: run.pool },
        ]}
      />
      <div className="value-entry">
        <span className="value-name">Input</span>
        {input === '' ? (
          <p className="muted">Empty, or not kept.</p>
        ) : (
          <ValueView value={input} label="Input" />
        )}
      </div>
      {run.request && (
        <div className="value-entry">
          <span className="value-name">Body</span>
          <ValueView value={run.request} label="Body of the request" />
        </div>
      )}
    </>
  );
}

/** The attempts of a run, as far as the API knows them. */
export function Attempts({ run }: { readonly run: Run }) {
  if (run.attempts !== undefined && run.attempts.length > 0)
    return (
      <div className="table-wrap">
        <table>
          <thead>
            <tr>
              <th>Attempt</th>
              <th>Worker</th>
              <th>Began</th>
              <th>Ended</th>
              <th>Reason</th>
            </tr>
          </thead>
          <tbody>
            {run.attempts.map((attempt) => (
              <tr key={attempt.attempt}>
                <td>{attempt.attempt}</td>
                <td className="mono">{attempt.executor ?? '–'}</td>
                <td>
                  <Time of={attempt.started_at} />
                </td>
                <td>
                  <Time of={attempt.ended_at} />
                </td>
                <td dir="auto">{attempt.reason ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  const steps: readonly (readonly [string, string | null | undefined])[] = [
    ['Accepted', run.accepted_at],
    ['Published', run.queued_at],
    [run.attempt > 1 ? `Attempt ${run.attempt} began` : 'Began', run.started_at],
    ['Ended', run.finished_at],
  ];
  return (
    <ol className="steps">
      {steps
        .filter(([, at]) => at)
        .map(([name, at]) => (
          <li key={name}>
            <strong>{name}</strong> <span className="muted">{exactTime(at ?? '')}</span>
          </li>
        ))}
    </ol>
  );
}
