import type { Run, RunRequest } from '../api/answers';
import { Empty, Facts } from '../ui/parts';
import { ValueView } from '../ui/value-view';
import type { LiveMessage } from './live-run';
import { originOf } from './run-origin';

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
      {messages.map(({ id, sender, text, isMine }) => (
        <li key={id} className={isMine ? 'mine' : ''}>
          <span className="muted">{sender}</span>
          <p className="value-text" dir="auto">
            {text}
          </p>
        </li>
      ))}
    </ol>
  );
}

interface RequestProps {
  readonly run: Run;
  readonly input: string;
  readonly request: RunRequest | null | undefined;
}

export function Request({ run, input, request }: RequestProps) {
  return (
    <>
      <Facts
        of={[
          { name: 'Origin', value: originOf(run) },
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
      {request && (
        <div className="value-entry">
          <span className="value-name">Body</span>
          <ValueView value={request} label="Body of the request" />
        </div>
      )}
    </>
  );
}
